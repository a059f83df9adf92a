/* SPDX-License-Identifier: MIT */
/*
 * The directories of stores: does the layer make, trust and read them?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/preference.h"
#include "cli/checkup.h"
#include "cli/message.h"
#include "cli/text.h"

#define NAME_ANOTHER "name another with OCLCACHE_DIR"

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
 * The folder in which the first of what is missing would be made: the layer
 * makes the directory, and its parent only where nobody has named it.
 */
static char *needed_folder(const char *directory, bool by_default)
{
	char *parent = parent_of(directory), *above;

	if (!by_default || is_there(parent))
		return parent;
	above = parent_of(parent);
	free(parent);
	return above;
}

/*
 * Under a name of its own, since programs may make theirs just now. access()
 * would say of /proc, and to root of all, that it can be written to.
 */
static int try_to_make_in(const char *folder)
{
	char *path;
	int error = 0;

	path = occ_text("%s/oclcache-XXXXXX",
			strcmp(folder, "/") != 0 ? folder : "");
	if (!mkdtemp(path))
		error = errno;
	else
		rmdir(path);
	free(path);
	return error;
}

static void report_needed(struct occ_findings *findings, const char *directory,
			  const char *needed)
{
	char *advice;

	advice = occ_text("make it (mkdir -p '%s'), or name another with "
			  "OCLCACHE_DIR",
			  needed);
	occ_finding_add(findings, OCC_FINDING_PROBLEM, advice,
			"%s can't be made: %s isn't there, and programs make "
			"the last folder of a path only",
			directory, needed);
	free(advice);
}

/* Not there is as good as empty, if it can be made. */
static void look_at_missing(struct occ_findings *findings,
			    const char *directory, bool by_default)
{
	char *needed = needed_folder(directory, by_default);
	struct stat status;
	int error;

	if (!lstat(directory, &status))
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"make what it leads to, or " NAME_ANOTHER,
				"%s is a link that leads nowhere", directory);
	else if (!is_there(needed) && errno == ENOENT)
		report_needed(findings, directory, needed);
	else if ((error = try_to_make_in(needed)))
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"make it, or " NAME_ANOTHER,
				"%s can't be made: no folder can be made in "
				"%s: %s",
				directory, needed, strerror(error));
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s isn't there yet: the first program makes "
				"it",
				directory);
	free(needed);
}

static void look_at_none(struct occ_findings *findings, const char *directory,
			 bool by_default)
{
	if (is_there(directory))
		occ_finding_add(findings, OCC_FINDING_PROBLEM, NAME_ANOTHER,
				"%s is no directory", directory);
	else if (errno == ENOTDIR)
		occ_finding_add(findings, OCC_FINDING_PROBLEM, NAME_ANOTHER,
				"%s can't be made: a part of its path is no "
				"directory",
				directory);
	else
		look_at_missing(findings, directory, by_default);
}

static bool has_file(const char *directory, const char *name)
{
	int file = occ_file_open_in(directory, name, O_RDONLY);

	if (file >= 0)
		occ_file_close(file);
	return file >= 0;
}

/*
 * Or is it a folder that others use, which a user had better not be told to
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
			  has_file(directory, OCC_NAME_CONFIG));
}

static char *advice_on(const char *directory, bool is_mine,
		       const struct stat *status)
{
	char *advice;

	if (!is_a_store(directory, status))
		return occ_message_must(strdup(NAME_ANOTHER));
	if (!is_mine)
		return occ_message_must(strdup("remove it, or " NAME_ANOTHER));
	advice = occ_text("chmod go-w '%s'", directory);
	return advice;
}

static void report_forbidden(struct occ_findings *findings,
			     const char *directory)
{
	struct stat status;
	bool is_mine;
	char *advice;

	if (stat(directory, &status))
		memset(&status, 0, sizeof(status));
	is_mine = status.st_uid == geteuid();
	advice = advice_on(directory, is_mine, &status);
	if (is_mine)
		occ_finding_add(findings, OCC_FINDING_PROBLEM, advice,
				"%s can be written by others (mode %04o), so "
				"it isn't used",
				directory, (unsigned)status.st_mode & 07777);
	else
		occ_finding_add(findings, OCC_FINDING_PROBLEM, advice,
				"%s is of the user with number %u, so it isn't "
				"used",
				directory, (unsigned)status.st_uid);
	free(advice);
}

bool occ_checkup_directory(struct occ_checkup *checkup, const char *directory,
			   bool by_default)
{
	struct occ_findings *findings = &checkup->findings;
	int result = occ_directory_look(directory, OCC_DIRECTORY_MUST_EXIST);

	if (result == OCC_E_NO_DIRECTORY) {
		look_at_none(findings, directory, by_default);
		return false;
	}
	if (result == OCC_E_FORBIDDEN) {
		report_forbidden(findings, directory);
		return false;
	}
	if (result || access(directory, R_OK | W_OK | X_OK)) {
		occ_finding_add(findings, OCC_FINDING_PROBLEM,
				"see to its mode, or " NAME_ANOTHER,
				"%s can't be used: %s", directory,
				result ? occ_error_string(result)
				       : strerror(errno));
		return false;
	}
	return true;
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

static void look_at_read_only(struct occ_findings *findings,
			      const char *directory)
{
	size_t count;
	int result = count_entries(directory, &count);

	if (*directory != '/')
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"make it an absolute path",
				"'%s' isn't read: it is no absolute path",
				directory);
	else if (result == OCC_E_FORBIDDEN)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"let it be yours or root's, and let nobody "
				"else write to it",
				"%s isn't read: another user owns it, or can "
				"write to it",
				directory);
	else if (result == OCC_E_NO_DIRECTORY)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"make it, or take it out of "
				"OCLCACHE_READONLY_DIRS",
				"%s isn't there, or is no directory",
				directory);
	else if (result)
		occ_finding_add(findings, OCC_FINDING_WARNING,
				"see to its mode", "%s can't be read: %s",
				directory, occ_error_string(result));
	else
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"%s is read, too: %zu %s", directory, count,
				count == 1 ? "entry" : "entries");
}

void occ_checkup_read_only(struct occ_checkup *checkup)
{
	struct occ_preferences preferences;
	const char *list;

	occ_preferences_read(&preferences);
	list = preferences.values[OCC_SETTING_READONLY_DIRS].value;
	for (size_t length; list && *list;
	     list += length + (list[length] == ':')) {
		char *directory;

		length = strcspn(list, ":");
		if (!length)
			continue;
		directory = occ_message_must(strndup(list, length));
		look_at_read_only(&checkup->findings, directory);
		free(directory);
	}
	occ_preferences_release(&preferences);
}
