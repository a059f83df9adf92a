/* SPDX-License-Identifier: MIT */
#include "cli/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/preference.h"
#include "cli/message.h"
#include "cli/text.h"

#define DAY_S 86400

static char *from_here(const char *path, char **ret_why)
{
	char *here, *absolute;

	if (*path == '/')
		return occ_message_must(strdup(path));
	here = getcwd(NULL, 0);
	if (!here) {
		*ret_why = occ_text(
			"%s: the current directory is gone; name it by "
			"its whole path",
			path);
		return NULL;
	}
	absolute = occ_text("%s/%s", here, path);
	free(here);
	return absolute;
}

/* Why there's none: what is set isn't a path, or nothing is. */
static char *why_none(const struct occ_preference *found)
{
	if (!found->value)
		return occ_text(
			"there is no store: neither OCLCACHE_DIR nor HOME "
			"is set; use --dir");
	if (found->file)
		return occ_text(
			"%s:%u: %s=%s is not an absolute path, so that "
			"programs store nothing; make it one, or use --dir",
			found->file, found->line, found->name, found->value);
	return occ_text("%s=%s is not an absolute path, so that programs store "
			"nothing; make it one, or use --dir",
			found->name, found->value);
}

static char *find(const struct occ_arguments *arguments,
		  const struct occ_preferences *preferences,
		  bool *ret_by_default, char **ret_why)
{
	const char *value = occ_arguments_value(arguments, "dir");
	char *directory;

	*ret_by_default = false;
	*ret_why = NULL;
	if (value)
		return from_here(value, ret_why);
	directory = occ_preferences_directory(preferences, ret_by_default);
	if (!directory)
		*ret_why = why_none(&preferences->values[OCC_SETTING_DIR]);
	return directory;
}

static char *directory_of(const struct occ_arguments *arguments,
			  const struct occ_preferences *preferences)
{
	bool by_default;
	char *why, *directory = find(arguments, preferences, &by_default, &why);

	if (!directory)
		occ_message_error("%s", why);
	free(why);
	return directory;
}

char *occ_place_directory(const struct occ_arguments *arguments)
{
	struct occ_preferences preferences;
	char *directory;

	occ_preferences_read(&preferences);
	directory = directory_of(arguments, &preferences);
	occ_preferences_release(&preferences);
	return directory;
}

char *occ_place_find(const struct occ_arguments *arguments,
		     bool *ret_by_default, char **ret_why)
{
	struct occ_preferences preferences;
	char *directory;

	occ_preferences_read(&preferences);
	directory = find(arguments, &preferences, ret_by_default, ret_why);
	occ_preferences_release(&preferences);
	return directory;
}

uint64_t occ_place_max_size(void)
{
	struct occ_preferences preferences;
	uint64_t size;

	occ_preferences_read(&preferences);
	size = occ_preferences_number(&preferences, OCC_SETTING_MAX_SIZE);
	occ_preferences_release(&preferences);
	return size;
}

/* errno is as the error left it. */
static void complain_of(const char *directory, int error)
{
	if (error == OCC_E_IO)
		occ_message_error("%s: %s", directory, strerror(errno));
	else
		occ_message_error("%s: %s", directory, occ_error_string(error));
}

/* False after an error. */
static bool is_usable(const char *directory, bool changes, bool may_miss)
{
	int file = -1;
	int result = occ_directory_open(directory,
					changes ? OCC_DIRECTORY_MUST_EXIST
						: OCC_DIRECTORY_READ_ONLY,
					&file);

	if (result == OCC_OK)
		occ_file_close(file);
	if (result == OCC_OK || (result == OCC_E_NO_DIRECTORY && may_miss))
		return true;
	if (result == OCC_E_NO_DIRECTORY)
		occ_message_error("%s: there is no such directory", directory);
	else
		complain_of(directory, result);
	return false;
}

bool occ_place_make(const char *directory)
{
	int file = -1;
	int result = occ_directory_open(directory, OCC_DIRECTORY_CREATE_PARENT,
					&file);

	if (result == OCC_OK) {
		occ_file_close(file);
		return true;
	}
	if (result == OCC_E_NO_DIRECTORY)
		occ_message_error("%s: the directory can't be made: %s",
				  directory, strerror(errno));
	else
		complain_of(directory, result);
	return false;
}

static struct occ_store *open_for_changes(const char *directory,
					  const struct occ_preferences *set)
{
	uint64_t days = occ_preferences_number(set, OCC_SETTING_MAX_AGE);
	struct occ_store *store = occ_message_must(occ_store_open(
		directory, occ_preferences_number(set, OCC_SETTING_MAX_SIZE),
		false));

	occ_store_set_max_age(store, (int64_t)days * DAY_S);
	return store;
}

static struct occ_store *open_place(const struct occ_arguments *arguments,
				    bool changes, bool may_miss)
{
	struct occ_preferences preferences;
	struct occ_store *store = NULL;
	char *directory;

	occ_preferences_read(&preferences);
	directory = directory_of(arguments, &preferences);
	if (directory && is_usable(directory, changes, may_miss))
		store = changes ? open_for_changes(directory, &preferences)
				: occ_message_must(
					  occ_store_open_read_only(directory));
	free(directory);
	occ_preferences_release(&preferences);
	return store;
}

struct occ_store *occ_place_open(const struct occ_arguments *arguments,
				 bool changes)
{
	return open_place(arguments, changes,
			  !occ_arguments_has(arguments, "dir"));
}

struct occ_store *occ_place_open_to_fill(const struct occ_arguments *arguments,
					 bool changes)
{
	return open_place(arguments, changes, true);
}
