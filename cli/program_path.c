/* SPDX-License-Identifier: MIT */
#include "cli/program_path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text.h"

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) &&
	       !access(path, X_OK);
}

/* Takes the path over. */
static char *keep_program(char *path)
{
	char *whole = is_program(path) ? realpath(path, NULL) : NULL;

	free(path);
	return whole;
}

char *occ_program_path_find(const char *name)
{
	const char *directory = getenv("PATH");
	char *path = NULL;

	if (strchr(name, '/'))
		return keep_program(occ_text("%s", name));
	while (directory && *directory && !path) {
		int length = (int)strcspn(directory, ":");

		if (*directory == '/')
			path = keep_program(
				occ_text("%.*s/%s", length, directory, name));
		directory += length + (directory[length] == ':');
	}
	return path;
}

/* Of the name as seen from this command's directory; NULL: it isn't known. */
static char *join(const char *name)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	own[length < 0 ? 0 : length] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	return occ_text("%s/%s", own, name);
}

char *occ_program_path_beside(const char *name)
{
	char *path = join(name);

	return path ? keep_program(path) : NULL;
}

char *occ_program_path_relative(const char *name)
{
	char *path = join(name);
	char *whole = path && !access(path, R_OK) ? realpath(path, NULL) : NULL;

	free(path);
	return whole;
}
