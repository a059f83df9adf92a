/* SPDX-License-Identifier: MIT */
#include "layer/driver/library_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory part of a path; NULL: none. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return NULL;
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Links to links beyond this are left to realpath(). */
#define LINKS_MAX 8

/* The file that a link leads to in another directory, or NULL. */
static char *follow(const char *path)
{
	char at[PATH_MAX], link[PATH_MAX], *file;

	if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at))
		return realpath(path, NULL);
	file = (char *)basename(at);
	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t size = readlink(at, link, sizeof(link) - 1);

		if (size < 0 && errno == EINVAL)
			return NULL;
		if (size < 0)
			break;
		link[size] = '\0';
		if (strchr(link, '/') || file + size >= at + PATH_MAX)
			break;
		memcpy(file, link, (size_t)size + 1);
	}
	return realpath(path, NULL);
}

void occ_library_place_find(const char *path,
			    struct occ_library_place *ret_place)
{
	char *real = follow(path);

	ret_place->directory = directory_of(path);
	ret_place->real_directory = real ? directory_of(real) : NULL;
	free(real);
}

void occ_library_place_release(struct occ_library_place *place)
{
	free(place->directory);
	free(place->real_directory);
}
