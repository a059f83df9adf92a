/* SPDX-License-Identifier: MIT */
#include "cache/preference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cache/directory.h"
#include "cache/file.h"

static const char blanks[] = " \t\r\v\f";

static const char *const variables[] = {
	"OCLCACHE_CHILD_LIMIT", "OCLCACHE_CONFIG", "OCLCACHE_DOCTOR_ROOT",
	"OCLCACHE_LAYER",	"OCLCACHE_ROOT",   "OCLCACHE_STATS_FILE",
};

bool occ_preference_is_variable(const char *name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (!strcmp(variables[i], name))
			return true;
	return false;
}

static void add_problem(struct occ_preferences *preferences,
			const struct occ_problem *problem)
{
	if (preferences->problem_count < OCC_PREFERENCE_PROBLEMS)
		preferences->problems[preferences->problem_count] = *problem;
	preferences->problem_count++;
}

size_t occ_preferences_problems(const struct occ_preferences *preferences)
{
	return preferences->problem_count < OCC_PREFERENCE_PROBLEMS
		       ? preferences->problem_count
		       : OCC_PREFERENCE_PROBLEMS;
}

/* The setting of that name, OCC_SETTINGS for none. */
static enum occ_setting_id find(const char *name)
{
	size_t id = 0;

	while (id < OCC_SETTINGS && strcmp(occ_settings[id].name, name) != 0 &&
	       (!occ_settings[id].intels ||
		strcmp(occ_settings[id].intels, name) != 0))
		id++;
	return (enum occ_setting_id)id;
}

/* Puts the value in the place of what an earlier place, or line, has set. */
static void set(struct occ_preferences *preferences, enum occ_setting_id id,
		const struct occ_preference *found)
{
	const struct occ_setting *setting = &occ_settings[id];
	struct occ_preference *value = &preferences->values[id];
	bool same_place = value->name && value->file == found->file;

	/* Within a place ours goes before Intel's. */
	if (same_place && !strcmp(value->name, setting->name) &&
	    strcmp(found->name, setting->name) != 0)
		return;
	*value = *found;
	if (!strcmp(found->value, "default"))
		value->value = NULL;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, blanks);
	end = text + strlen(text);
	while (end > text && strchr(blanks, end[-1]))
		end--;
	*end = '\0';
	return text;
}

static char *unquote(char *text)
{
	size_t length = strlen(text);

	if (length < 2 || *text != '"' || text[length - 1] != '"')
		return text;
	text[length - 1] = '\0';
	return text + 1;
}

static void read_setting(struct occ_preferences *preferences, const char *name,
			 const char *value, struct occ_problem *problem)
{
	const struct occ_preference found = {
		.value = value,
		.name = name,
		.file = problem->file,
		.line = problem->line,
	};
	enum occ_setting_id id = find(name);

	if (id < OCC_SETTINGS) {
		if (*value)
			set(preferences, id, &found);
		return;
	}
	problem->name = name;
	problem->text = occ_preference_is_variable(name)
				? "is heeded in the environment only"
				: "is no setting";
	add_problem(preferences, problem);
}

static void read_line(struct occ_preferences *preferences, char *line,
		      size_t size, struct occ_problem *problem)
{
	char *equals;

	if (strlen(line) != size)
		problem->text = "has a NUL in it";
	else if (size > OCC_PREFERENCE_LINE_MAX)
		problem->text = "is too long";
	if (problem->text) {
		add_problem(preferences, problem);
		return;
	}
	line = trim(line);
	if (!*line || *line == '#')
		return;
	equals = strchr(line, '=');
	if (!equals || equals == line) {
		problem->text = "isn't of the form NAME=VALUE";
		add_problem(preferences, problem);
		return;
	}
	*equals = '\0';
	read_setting(preferences, trim(line), unquote(trim(equals + 1)),
		     problem);
}

/* `text` has a NUL behind its end. */
static void read_lines(struct occ_preferences *preferences, const char *path,
		       char *text, size_t size)
{
	struct occ_problem problem = {.file = path};
	char *end = text + size;

	/* Some editors begin a file of UTF-8 with a mark of the byte order. */
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (text < end) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		*stop = '\0';
		problem = (struct occ_problem){.file = path,
					       .line = problem.line + 1};
		read_line(preferences, text, (size_t)(stop - text), &problem);
		text = stop + 1;
	}
}

/* Whose group has his number is in it alone. */
static bool is_trusted(const struct stat *status)
{
	return occ_file_is_trusted(status, true) &&
	       !(status->st_mode & S_IWOTH) &&
	       (!(status->st_mode & S_IWGRP) ||
		status->st_gid == status->st_uid);
}

/* What is wrong with it, or NULL. *ret_size: without the NUL. */
static const char *read_text(int file, char **ret_text, size_t *ret_size)
{
	struct stat status;
	ssize_t size;
	char *text;

	if (occ_file_status(file, &status))
		return "can't be read";
	if (!S_ISREG(status.st_mode))
		return "is no regular file";
	if (!is_trusted(&status))
		return "can be written by others than you and root";
	if (status.st_size > OCC_PREFERENCE_FILE_MAX)
		return "is larger than 64 KiB";
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return "can't be read: out of memory";
	size = occ_file_read(file, 0, text, (size_t)status.st_size);
	/* Half a number is another number. */
	if (size != status.st_size) {
		free(text);
		return size < 0 ? "can't be read" : "is just being written";
	}
	text[size] = '\0';
	*ret_text = text;
	*ret_size = (size_t)size;
	return NULL;
}

/* Is it there, for others? A home that can't be entered has none for us. */
static bool is_missing(const char *path)
{
	struct stat status;

	return errno == ENOENT || errno == ENOTDIR ||
	       occ_file_status_path(path, &status);
}

/* `named`: it isn't one of those that may be missing. */
static void read_file(struct occ_preferences *preferences, bool named)
{
	struct occ_preference_file *file =
		&preferences->files[preferences->file_count++];
	struct occ_problem problem = {.file = file->path};
	int descriptor = occ_file_open_path(file->path);
	size_t size = 0;

	if (descriptor >= 0) {
		problem.text = read_text(descriptor, &file->text, &size);
		occ_file_close(descriptor);
	} else if (!is_missing(file->path)) {
		problem.text = "can't be read";
	} else if (named) {
		problem.text = "isn't there";
	}
	if (problem.text)
		add_problem(preferences, &problem);
	else if (file->text)
		read_lines(preferences, file->path, file->text, size);
}

/* Nothing when the path is too long for a file to be there. */
static void read_in(struct occ_preferences *preferences, const char *folder,
		    const char *rest)
{
	char *path = preferences->files[preferences->file_count].path;

	if (snprintf(path, PATH_MAX, "%s%s/" OCC_PREFERENCE_FILE_NAME, folder,
		     rest) < PATH_MAX)
		read_file(preferences, false);
}

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void read_named(struct occ_preferences *preferences, const char *path)
{
	static const struct occ_problem relative = {
		.file = "OCLCACHE_CONFIG", .text = "isn't an absolute path"};

	if (!*path)
		return;
	if (*path != '/' || snprintf(preferences->files[0].path, PATH_MAX, "%s",
				     path) >= PATH_MAX) {
		add_problem(preferences, &relative);
		return;
	}
	read_file(preferences, true);
}

static void read_files(struct occ_preferences *preferences)
{
	const char *named = getenv("OCLCACHE_CONFIG");
	const char *root = value_of("OCLCACHE_ROOT");
	const char *folder;

	if (named) {
		read_named(preferences, named);
		return;
	}
	read_in(preferences, root ? root : "", "/etc");
	folder = value_of("XDG_CONFIG_HOME");
	/* The XDG specification: relative paths are to be ignored. */
	if (folder && *folder == '/') {
		read_in(preferences, folder, "");
		return;
	}
	folder = value_of("HOME");
	if (folder && *folder == '/')
		read_in(preferences, folder, "/.config");
}

static void read_variable(struct occ_preferences *preferences,
			  enum occ_setting_id id, const char *name)
{
	const struct occ_preference found = {
		.value = name ? value_of(name) : NULL,
		.name = name,
	};

	if (found.value)
		set(preferences, id, &found);
}

void occ_preferences_read(struct occ_preferences *ret_preferences)
{
	ret_preferences->file_count = ret_preferences->problem_count = 0;
	memset(ret_preferences->values, 0, sizeof(ret_preferences->values));
	for (size_t i = 0; i < OCC_PREFERENCE_FILES; i++)
		ret_preferences->files[i].text = NULL;
	if (getauxval(AT_SECURE))
		return;
	read_files(ret_preferences);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		read_variable(ret_preferences, (enum occ_setting_id)id,
			      occ_settings[id].intels);
		read_variable(ret_preferences, (enum occ_setting_id)id,
			      occ_settings[id].name);
	}
}

void occ_preferences_release(struct occ_preferences *preferences)
{
	for (size_t i = 0; i < preferences->file_count; i++) {
		free(preferences->files[i].text);
		preferences->files[i].text = NULL;
	}
	memset(preferences->values, 0, sizeof(preferences->values));
	preferences->file_count = preferences->problem_count = 0;
}

uint64_t occ_preferences_number(const struct occ_preferences *preferences,
				enum occ_setting_id id)
{
	uint64_t number;

	occ_setting_parse(&occ_settings[id], preferences->values[id].value,
			  &number);
	return number;
}

static char *join(const char *folder, const char *rest)
{
	char *path = malloc(strlen(folder) + strlen(rest) + 1);

	if (path)
		stpcpy(stpcpy(path, folder), rest);
	return path;
}

char *occ_preferences_directory(const struct occ_preferences *preferences,
				bool *ret_by_default)
{
	const char *value = preferences->values[OCC_SETTING_DIR].value;

	*ret_by_default = !value;
	if (value)
		return *value == '/' ? join(value, "") : NULL;
	value = value_of("XDG_CACHE_HOME");
	/* The XDG specification: relative paths are to be ignored. */
	if (value && *value == '/')
		return join(value, "/" OCC_DIRECTORY_NEO);
	value = value_of("HOME");
	if (value && *value == '/')
		return join(value, "/.cache/" OCC_DIRECTORY_NEO);
	return NULL;
}
