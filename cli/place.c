/* SPDX-License-Identifier: MIT */
#include "cli/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cli/message.h"

static char *join(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		occ_message_no_memory();
	return path;
}

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static char *from_here(const char *path)
{
	char *here, *absolute;

	if (*path == '/')
		return occ_message_must(strdup(path));
	here = getcwd(NULL, 0);
	if (!here) {
		occ_message_error("%s: the current directory is gone; name it "
				  "by its whole path",
				  path);
		return NULL;
	}
	absolute = join(here, path);
	free(here);
	return absolute;
}

static char *from_variable(const char *name, const char *value)
{
	if (*value == '/')
		return occ_message_must(strdup(value));
	occ_message_error("%s=%s is not an absolute path, so that programs "
			  "store nothing; make it one, or use --dir",
			  name, value);
	return NULL;
}

char *occ_place_directory(const struct occ_arguments *arguments)
{
	static const char *const variables[] = {"OCLCACHE_DIR",
						"NEO_CACHE_DIR"};
	const char *value = occ_arguments_value(arguments, "dir");

	if (value)
		return from_here(value);
	for (size_t i = 0; i < 2; i++) {
		value = value_of(variables[i]);
		if (value)
			return from_variable(variables[i], value);
	}
	value = value_of("XDG_CACHE_HOME");
	if (value && *value == '/')
		return join(value, OCC_DIRECTORY_NEO);
	value = value_of("HOME");
	if (value && *value == '/')
		return join(value, ".cache/" OCC_DIRECTORY_NEO);
	occ_message_error("there is no store: neither OCLCACHE_DIR nor HOME is "
			  "set; use --dir");
	return NULL;
}

/* False after an error. */
static bool is_usable(const char *directory, bool changes)
{
	int file = -1;
	int result = occ_directory_open(directory,
					changes ? OCC_DIRECTORY_MUST_EXIST
						: OCC_DIRECTORY_READ_ONLY,
					&file);

	if (result == OCC_OK)
		occ_file_close(file);
	if (result == OCC_OK || result == OCC_E_NO_DIRECTORY)
		return true;
	occ_message_error("%s: %s", directory, occ_error_string(result));
	return false;
}

struct occ_store *occ_place_open(const struct occ_arguments *arguments,
				 bool changes)
{
	char *directory = occ_place_directory(arguments);
	struct occ_store *store = NULL;

	if (!directory)
		return NULL;
	if (is_usable(directory, changes))
		store = occ_message_must(
			changes ? occ_store_open(directory,
						 OCC_STORE_DEFAULT_MAX_SIZE,
						 false)
				: occ_store_open_read_only(directory));
	free(directory);
	return store;
}
