/* SPDX-License-Identifier: MIT */
/*
 * The directories of stores: does the layer make, trust and read them?
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/settings.h"
#include "cli/checkup.h"
#include "cli/message.h"
#include "cli/text.h"

#define NAME_ANOTHER "choose another directory with OCLCACHE_DIR"

/* To be freed. Slashes at the end don't count. */
static char *parent_of(const char *path)
{
	char *parent = occ_message_must(strdup(path));
	char *end = parent + strlen(parent);

	while (end > parent + 1 && end[-1] == '/')
		end--;
	while (end > parent + 1 && end[-1] != '/')
		end--;
	while (end > parent + 1 && end[-1] == '/')
		end--;
	*end = '\0';
	return parent;
}

static bool is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

/*
 * 0, or why no directory can be made in that one. Under a name of its own,
 * since programs may make theirs just now. access() would say of /proc, and to
 * root of all, that it can be written to.
 */
static int try_to_make_in(const char *directory)
{
	char *path = occ_text("%s/oclcache-XXXXXX",
			      strcmp(directory, "/") != 0 ? directory : "");
	int error = mkdtemp(path) ? 0 : errno;

	if (!error)
		rmdir(path);
	free(path);
	return error;
}

/* Not there is as good as empty, if it can be made. */
static void look_at_missing(struct occ_checkup *checkup, const char *directory,
			    bool by_default)
{
	char *needed = parent_of(directory), *above, *advice;
	struct stat status;
	int error;

	/* The layer makes the parent, too, where nobody has named it. */
	if (by_default && !is_there(needed)) {
		above = parent_of(needed);
		free(needed);
		needed = above;
	}
	advice =
		occ_text("create it (mkdir -p '%s'), or " NAME_ANOTHER, needed);
	if (!lstat(directory, &status))
		occ_checkup_problem(checkup,
				    "create its target, or " NAME_ANOTHER,
				    "%s is a dangling link", directory);
	else if (!stat(needed, &status) && !occ_path_may_make_in(&status))
		occ_checkup_problem(
			checkup, "create it as that user, or " NAME_ANOTHER,
			"%s isn't created: %s belongs to the user with ID %u",
			directory, needed, (unsigned)status.st_uid);
	else if (!is_there(needed) && errno == ENOENT)
		occ_checkup_problem(
			checkup, advice,
			"%s can't be created: %s doesn't exist, and programs "
			"create only the last directory of a path",
			directory, needed);
	else if ((error = try_to_make_in(needed)))
		occ_checkup_problem(checkup, "create it, or " NAME_ANOTHER,
				    "%s can't be created in %s: %s", directory,
				    needed, strerror(error));
	else
		occ_checkup_ok(
			checkup,
			"%s doesn't exist yet: the first program creates it",
			directory);
	free(advice);
	free(needed);
}

static void look_at_none(struct occ_checkup *checkup, const char *directory,
			 bool by_default)
{
	if (is_there(directory))
		occ_checkup_problem(checkup, NAME_ANOTHER,
				    "%s isn't a directory", directory);
	else if (errno == ENOTDIR)
		occ_checkup_problem(checkup, NAME_ANOTHER,
				    "%s can't be created: part of its path "
				    "isn't a directory",
				    directory);
	else
		look_at_missing(checkup, directory, by_default);
}

static bool has_file(const char *directory, const char *name)
{
	char *path = occ_text("%s/%s", directory, name);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

/*
 * Or is it a directory that others use, which a user had better not be told to
 * close or to remove?
 */
static bool is_a_store(const char *directory, const struct stat *status)
{
	static const char *const common[] = {"/tmp", "/var/tmp", "/dev/shm"};
	char *real;
	bool known = false;

	if (status->st_mode & S_ISVTX)
		return false;
	real = realpath(directory, NULL);
	for (size_t i = 0; real && i < sizeof(common) / sizeof(*common); i++)
		known |= !strcmp(real, common[i]);
	free(real);
	return !known && (has_file(directory, OCC_NAME_TAG) ||
			  has_file(directory, OCC_NAME_SIZE_LEDGER));
}

static void report_forbidden(struct occ_checkup *checkup, const char *directory)
{
	struct stat status;
	bool is_mine;
	char *advice;

	if (stat(directory, &status))
		memset(&status, 0, sizeof(status));
	is_mine = status.st_uid == geteuid();
	/* Root with a user's HOME isn't to be told to remove what he has. */
	if (!is_mine && !geteuid())
		advice =
			occ_text("run programs as that user, or " NAME_ANOTHER);
	else if (!is_a_store(directory, &status))
		advice = occ_text(NAME_ANOTHER);
	else if (!is_mine)
		advice = occ_text("remove it, or " NAME_ANOTHER);
	else
		advice = occ_text("chmod go-w '%s'", directory);
	if (is_mine)
		occ_checkup_problem(checkup, advice,
				    "%s isn't used: other users can write to "
				    "it (mode %04o)",
				    directory,
				    (unsigned)status.st_mode & 07777);
	else
		occ_checkup_problem(
			checkup, advice,
			"%s isn't used: it belongs to the user with ID %u",
			directory, (unsigned)status.st_uid);
	free(advice);
}

/* Could it be a store? */
static bool may_be_store(const char *directory)
{
	int file, result = occ_directory_open(directory,
					      OCC_DIRECTORY_MUST_EXIST, &file);

	if (!result) {
		result = occ_listing_judge(file);
		occ_file_close(file);
		return !result;
	}
	return true;
}

bool occ_checkup_directory(struct occ_checkup *checkup, const char *directory,
			   bool by_default)
{
	int result = occ_directory_look(directory, OCC_DIRECTORY_MUST_EXIST);

	if (result == OCC_E_NO_DIRECTORY)
		look_at_none(checkup, directory, by_default);
	else if (result == OCC_E_FORBIDDEN)
		report_forbidden(checkup, directory);
	else if (result == OCC_E_ANOTHERS)
		occ_checkup_problem(
			checkup,
			"use the path that the link leads to, or " NAME_ANOTHER,
			"%s isn't used: a link in its path belongs to another "
			"user",
			directory);
	else if (!result && !may_be_store(directory))
		occ_checkup_problem(checkup, NAME_ANOTHER,
				    "%s isn't used: it contains other files "
				    "and isn't a store",
				    directory);
	else if (result || access(directory, R_OK | W_OK | X_OK))
		occ_checkup_problem(checkup,
				    "check its permissions, or " NAME_ANOTHER,
				    "%s can't be used: %s", directory,
				    result ? occ_error_string(result)
					   : strerror(errno));
	else
		return true;
	return false;
}

/* How many entries it has, or an error. */
static int count_entries(const char *directory, size_t *ret_count)
{
	struct occ_listing listing;
	int file, result;

	*ret_count = 0;
	result = occ_directory_open(directory, OCC_DIRECTORY_READ_ONLY, &file);
	if (result)
		return result;
	result = occ_listing_scan(file, &listing);
	occ_file_close(file);
	if (result)
		return result;
	for (size_t i = 0; i < listing.count; i++)
		*ret_count += listing.files[i]->kind == OCC_NAME_ENTRY;
	occ_listing_release(&listing);
	return OCC_OK;
}

static void look_at_read_only(struct occ_checkup *checkup,
			      const char *directory)
{
	size_t count;
	int result = count_entries(directory, &count);

	if (*directory != '/')
		occ_checkup_warn(checkup, "use an absolute path",
				 "'%s' isn't read: it isn't an absolute path",
				 directory);
	else if (result == OCC_E_FORBIDDEN)
		occ_checkup_warn(checkup,
				 "give it to yourself or root, and let nobody "
				 "else write to it",
				 "%s isn't read: another user owns it or can "
				 "write to it",
				 directory);
	else if (result == OCC_E_NO_DIRECTORY)
		occ_checkup_warn(
			checkup,
			"create it, or remove it from OCLCACHE_READONLY_DIRS",
			"%s doesn't exist, or isn't a directory", directory);
	else if (result)
		occ_checkup_warn(checkup, "check its permissions",
				 "%s can't be read: %s", directory,
				 occ_error_string(result));
	else
		occ_checkup_ok(checkup, "%s is also read: %zu %s", directory,
			       count, count == 1 ? "entry" : "entries");
}

void occ_checkup_read_only(struct occ_checkup *checkup)
{
	struct occ_settings settings;
	const char *list;
	size_t length;

	occ_settings_read(&settings);
	list = settings.values[OCC_SETTING_READONLY_DIRS].text;
	for (; list && (list = occ_settings_path(list, &length));
	     list += length) {
		char *directory = occ_message_must(strndup(list, length));

		look_at_read_only(checkup, directory);
		free(directory);
	}
	occ_settings_release(&settings);
}
