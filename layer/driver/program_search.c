/* SPDX-License-Identifier: MIT */
#include "layer/driver/program_search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *occ_program_search_find(const char *name, const char *search_path)
{
	char path[PATH_MAX];

	while (search_path && *search_path) {
		size_t length = strcspn(search_path, ":");

		if (snprintf(path, sizeof(path), "%.*s/%s", (int)length,
			     search_path, name) < (int)sizeof(path) &&
		    length && !access(path, X_OK))
			return strdup(path);
		search_path += length + (search_path[length] == ':');
	}
	return NULL;
}
