/* SPDX-License-Identifier: MIT */
#include "cli/store_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/settings.h"
#include "cli/message.h"
#include "cli/text.h"

static char *from_here(const char *path, char **ret_why)
{
	char *here, *absolute;

	if (*path == '/')
		return occ_message_must(strdup(path));
	here = getcwd(NULL, 0);
	if (!here) {
		*ret_why = occ_text("%s: the current directory no longer "
				    "exists; use an absolute path",
				    path);
		return NULL;
	}
	absolute = occ_text("%s/%s", here, path);
	free(here);
	return absolute;
}

static char *find(const struct occ_arguments *arguments,
		  const struct occ_settings *settings, bool *ret_by_default,
		  char **ret_why)
{
	const struct occ_setting_value *found =
		&settings->values[OCC_SETTING_DIR];
	const char *value = occ_arguments_value(arguments, "dir");
	char place[OCC_SETTINGS_PLACE_SIZE];

	*ret_by_default = !value && settings->directory_is_default;
	*ret_why = NULL;
	if (value)
		return from_here(value, ret_why);
	if (settings->directory)
		return occ_message_must(strdup(settings->directory));
	/* What is set isn't a path, or nothing is. */
	if (found->text)
		*ret_why =
			occ_text("%s%s=%s is not an absolute path, so programs "
				 "store nothing; correct it, or use --dir",
				 occ_settings_place(found->file, found->line,
						    place),
				 found->name, found->text);
	else
		*ret_why = occ_text("there is no store, because neither "
				    "OCLCACHE_DIR nor HOME is set; use --dir");
	return NULL;
}

char *occ_store_path_directory(const struct occ_arguments *arguments)
{
	bool by_default;
	char *why;
	char *directory = occ_store_path_find(arguments, &by_default, &why);

	if (!directory)
		occ_message_error("%s", why);
	free(why);
	return directory;
}

char *occ_store_path_find(const struct occ_arguments *arguments,
			  bool *ret_by_default, char **ret_why)
{
	struct occ_settings settings;
	char *directory;

	occ_settings_read(&settings);
	directory = find(arguments, &settings, ret_by_default, ret_why);
	occ_settings_release(&settings);
	return directory;
}

uint64_t occ_store_path_max_size(void)
{
	struct occ_settings settings;
	uint64_t size;

	occ_settings_read(&settings);
	size = settings.max_size;
	occ_settings_release(&settings);
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

	/* Who changes one judges before it does. */
	if (result == OCC_OK && !changes)
		result = occ_listing_judge(file);
	occ_file_close(file);
	if (result == OCC_OK || (result == OCC_E_NO_DIRECTORY && may_miss))
		return true;
	if (result == OCC_E_NO_DIRECTORY)
		occ_message_error("%s: no such directory", directory);
	else if (result == OCC_E_NOT_A_STORE)
		occ_message_error("%s isn't a store: none of its files is a "
				  "store's",
				  directory);
	else
		complain_of(directory, result);
	return false;
}

bool occ_store_path_make(const char *directory)
{
	int file = -1;
	int result = occ_directory_open(directory, OCC_DIRECTORY_CREATE_PARENT,
					&file);

	if (result == OCC_OK) {
		occ_file_close(file);
		return true;
	}
	if (result == OCC_E_NO_DIRECTORY)
		occ_message_error("can't create the directory %s: %s",
				  directory, strerror(errno));
	else
		complain_of(directory, result);
	return false;
}

static struct occ_store *open_place(const struct occ_arguments *arguments,
				    bool changes, bool may_miss)
{
	char *directory = occ_store_path_directory(arguments);
	struct occ_store *store = NULL;
	struct occ_settings settings;

	if (directory && is_usable(directory, changes, may_miss)) {
		occ_settings_read(&settings);
		store = occ_message_must(
			changes ? occ_store_open(directory, settings.max_size,
						 false)
				: occ_store_open_read_only(directory));
		if (changes)
			occ_store_set_max_age(store, settings.max_age);
		occ_settings_release(&settings);
	}
	free(directory);
	return store;
}

struct occ_store *occ_store_path_open(const struct occ_arguments *arguments,
				      bool changes)
{
	return open_place(arguments, changes,
			  !occ_arguments_has(arguments, "dir"));
}

struct occ_store *occ_store_path_open_to_fill(
	const struct occ_arguments *arguments, bool changes)
{
	return open_place(arguments, changes, true);
}

void occ_store_path_fail(const char *thing, int error)
{
	const char *why = occ_error_string(error), *hint = "";

	switch (error) {
	case OCC_E_IO:
		why = strerror(errno);
		break;
	case OCC_E_MEMORY:
		occ_message_no_memory();
	case OCC_E_NO_DIRECTORY:
		why = "no such directory";
		break;
	case OCC_E_NOT_FOUND:
		why = "no such file";
		break;
	case OCC_E_FORBIDDEN:
		why = "it belongs to another user, or other users can write to "
		      "it";
		break;
	case OCC_E_ANOTHERS:
		why = "its path contains another user's link or leads into "
		      "another user's directory";
		hint = "; choose another one, or create it as that user";
		break;
	case OCC_E_NOT_A_STORE:
		why = "the directory contains other files and isn't a store";
		hint = "; choose an empty directory";
		break;
	case OCC_E_READ_ONLY:
		why = "it is read-only";
		break;
	case OCC_E_BUSY:
		hint = "; try again when it is done";
		break;
	case OCC_E_SIZE_LEDGER:
		hint = " and has been recreated; try again";
		break;
	case OCC_E_TOO_LARGE:
		why = "there is no room for it";
		break;
	default:
		break;
	}
	occ_message_error("%s: %s%s", thing, why, hint);
}

bool occ_store_path_enter(struct occ_store *store, int *ret_directory)
{
	const char *path = occ_store_directory(store);
	int error = occ_directory_open(path,
				       occ_store_is_read_only(store)
					       ? OCC_DIRECTORY_READ_ONLY
					       : OCC_DIRECTORY_MUST_EXIST,
				       ret_directory);

	if (!error)
		return true;
	*ret_directory = -1;
	if (error == OCC_E_NO_DIRECTORY)
		return true;
	occ_store_path_fail(path, error);
	return false;
}
