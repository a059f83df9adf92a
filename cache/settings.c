/* SPDX-License-Identifier: MIT */
#include "cache/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cache/directory.h"
#include "cache/heeded_file.h"

#define DAY_S 86400

static const char blanks[] = " \t\r\v\f";

static void add_problem(struct occ_settings *settings,
			const struct occ_settings_problem *problem)
{
	if (settings->problem_count < OCC_SETTINGS_PROBLEMS_MAX)
		settings->problems[settings->problem_count++] = *problem;
	settings->problem_total++;
}

/* In the place of what an earlier file, or line, has set. */
static void set(struct occ_setting_value *value, const char *ours,
		const struct occ_setting_value *found)
{
	bool same_place = value->name && value->file == found->file;

	/* Within a place ours goes before Intel's. */
	if (same_place && !strcmp(value->name, ours) &&
	    strcmp(found->name, ours) != 0)
		return;
	*value = *found;
	if (!strcmp(found->text, "default"))
		value->text = NULL;
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

static void read_setting(struct occ_settings *settings, const char *name,
			 char *value, struct occ_settings_problem *problem)
{
	const struct occ_setting_value found = {
		.text = value,
		.name = name,
		.file = problem->file,
		.line = problem->line,
	};
	enum occ_setting_id id = occ_settings_find(name);

	if (id < OCC_SETTINGS) {
		if (*value)
			set(&settings->values[id], occ_settings_table[id].name,
			    &found);
		return;
	}
	problem->name = name;
	problem->text = occ_settings_is_variable(name)
				? "is an environment variable, not a setting"
				: "isn't a setting";
	add_problem(settings, problem);
}

static void read_line(struct occ_settings *settings, char *line, size_t size,
		      struct occ_settings_problem *problem)
{
	char *equals;

	if (strlen(line) != size)
		problem->text = "contains a NUL";
	else if (size > OCC_SETTINGS_LINE_MAX)
		problem->text = "is too long";
	if (problem->text) {
		add_problem(settings, problem);
		return;
	}
	line = trim(line);
	if (!*line || *line == '#')
		return;
	equals = strchr(line, '=');
	if (!equals || equals == line) {
		problem->text = "isn't of the form NAME=VALUE";
		add_problem(settings, problem);
		return;
	}
	*equals = '\0';
	read_setting(settings, trim(line), unquote(trim(equals + 1)), problem);
}

/* `text` has a NUL behind its end. */
static void read_lines(struct occ_settings *settings, const char *path,
		       char *text, size_t size)
{
	struct occ_settings_problem problem = {.file = path};
	char *end = text + size;

	/* Some editors begin a file of UTF-8 with a mark of the byte order. */
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (text < end) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		*stop = '\0';
		problem =
			(struct occ_settings_problem){.file = path,
						      .line = problem.line + 1};
		read_line(settings, text, (size_t)(stop - text), &problem);
		text = stop + 1;
	}
}

static void clear(struct occ_settings *settings)
{
	memset(settings, 0, offsetof(struct occ_settings, paths));
}

/*
 * The path lies behind those of earlier files. `named`: it isn't one of those
 * that may be missing.
 */
static void read_file(struct occ_settings *settings, bool named)
{
	struct occ_settings_file *file =
		&settings->files[settings->file_count++];
	const char *path = settings->paths + settings->paths_size;
	struct occ_settings_problem problem = {.file = path};
	size_t size;

	file->path = path;
	settings->paths_size += strlen(path) + 1;
	problem.text = occ_heeded_file_read(path, OCC_HEEDED_PUBLIC,
					    &file->text, &size);
	if (!problem.text && !file->text && named)
		problem.text = "doesn't exist";
	if (problem.text)
		add_problem(settings, &problem);
	else if (file->text)
		read_lines(settings, path, file->text, size);
}

/* Nothing when the path is too long for a file to be there. */
static void read_in(struct occ_settings *settings, const char *directory,
		    const char *rest)
{
	char *path = settings->paths + settings->paths_size;

	if (snprintf(path, PATH_MAX, "%s%s/" OCC_SETTINGS_FILE_NAME, directory,
		     rest) < PATH_MAX)
		read_file(settings, false);
}

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static void read_named(struct occ_settings *settings, const char *path)
{
	static const struct occ_settings_problem relative = {
		.file = "OCLCACHE_CONFIG", .text = "isn't an absolute path"};

	if (!*path)
		return;
	if (*path != '/' ||
	    snprintf(settings->paths, PATH_MAX, "%s", path) >= PATH_MAX) {
		add_problem(settings, &relative);
		return;
	}
	read_file(settings, true);
}

static void read_files(struct occ_settings *settings)
{
	const char *named = getenv("OCLCACHE_CONFIG");
	const char *root = value_of("OCLCACHE_ROOT");
	const char *directory;

	if (named) {
		read_named(settings, named);
		return;
	}
	read_in(settings, root ? root : "", "/etc");
	directory = value_of("XDG_CONFIG_HOME");
	/* The XDG specification: relative paths are to be ignored. */
	if (directory && *directory == '/') {
		read_in(settings, directory, "");
		return;
	}
	directory = value_of("HOME");
	if (directory && *directory == '/')
		read_in(settings, directory, "/.config");
}

static void read_variable(const struct occ_setting *setting,
			  struct occ_setting_value *value)
{
	const char *name = setting->name, *text = value_of(name);
	char *copy = NULL;

	if (!text && setting->intels) {
		name = setting->intels;
		text = value_of(name);
	}
	if (!text)
		return;
	if (strcmp(text, "default") != 0) {
		copy = strdup(text);
		if (!copy)
			return;
	}
	*value = (struct occ_setting_value){.text = copy, .name = name};
}

static char *join(const char *directory, const char *rest)
{
	char *path = malloc(strlen(directory) + strlen(rest) + 1);

	if (path)
		stpcpy(stpcpy(path, directory), rest);
	return path;
}

static void find_directory(struct occ_settings *settings)
{
	const char *value = settings->values[OCC_SETTING_DIR].text;
	const char *rest = "";

	settings->directory_is_default = !value;
	/* The XDG specification: relative paths are to be ignored. */
	if (!value) {
		value = value_of("XDG_CACHE_HOME");
		rest = "/" OCC_DIRECTORY_NEO;
		if (!value || *value != '/') {
			value = value_of("HOME");
			rest = "/.cache/" OCC_DIRECTORY_NEO;
		}
	}
	if (value && *value == '/')
		settings->directory = join(value, rest);
}

static void find_read_only_directories(struct occ_settings *settings)
{
	const char *list = settings->values[OCC_SETTING_READONLY_DIRS].text;
	size_t length, count = 0, most = 2;
	char *path;

	if (!list)
		return;
	for (const char *c = list; *c; c++)
		most += *c == ':';
	settings->read_only_directories = calloc(most, sizeof(char *));
	if (!settings->read_only_directories)
		return;
	for (; (list = occ_settings_path(list, &length)); list += length) {
		path = *list == '/' ? strndup(list, length) : NULL;
		if (path)
			settings->read_only_directories[count++] = path;
	}
}

static void interpret(struct occ_settings *settings)
{
	const struct occ_setting_value *values = settings->values;

	for (size_t id = 0; id < OCC_SETTINGS; id++)
		settings->values[id].understood =
			occ_settings_parse(&occ_settings_table[id],
					   settings->values[id].text,
					   &settings->values[id].number);
	settings->disabled = values[OCC_SETTING_DISABLE].number;
	settings->persistent = values[OCC_SETTING_PERSISTENT].number;
	find_directory(settings);
	find_read_only_directories(settings);
	settings->max_size = values[OCC_SETTING_MAX_SIZE].number;
	settings->max_age = (int64_t)values[OCC_SETTING_MAX_AGE].number * DAY_S;
	settings->memory_size = values[OCC_SETTING_MEMORY_SIZE].number;
	settings->store_policy =
		(enum occ_store_policy)values[OCC_SETTING_STORE].number;
	settings->mode = (enum occ_mode)values[OCC_SETTING_MODE].number;
	/* Who wants all anew doesn't want to come twice for it. */
	if (settings->mode == OCC_MODE_RECACHE &&
	    settings->store_policy == OCC_STORE_AUTO)
		settings->store_policy = OCC_STORE_EAGER;
	settings->wait = values[OCC_SETTING_WAIT].number;
	settings->upgrade = values[OCC_SETTING_UPGRADE].number;
	settings->prefetch = values[OCC_SETTING_PREFETCH].number;
	settings->record = values[OCC_SETTING_RECORD].text;
	settings->record_max_size = values[OCC_SETTING_RECORD_MAX_SIZE].number;
	settings->remote = values[OCC_SETTING_REMOTE].understood
				   ? values[OCC_SETTING_REMOTE].text
				   : NULL;
	settings->remote_connect = values[OCC_SETTING_REMOTE_CONNECT].number;
	settings->remote_wait = values[OCC_SETTING_REMOTE_WAIT].number;
	settings->debug_messages = values[OCC_SETTING_DEBUG].number;
	settings->trace = values[OCC_SETTING_TRACE].number;
	settings->log_file = values[OCC_SETTING_LOG_FILE].text;
	settings->hash_environment = values[OCC_SETTING_HASH_ENV].text;
	if (values[OCC_SETTING_SKIP].understood)
		settings->skip = values[OCC_SETTING_SKIP].text;
}

void occ_settings_read(struct occ_settings *ret_settings)
{
	clear(ret_settings);
	if (!getauxval(AT_SECURE)) {
		read_files(ret_settings);
		for (size_t id = 0; id < OCC_SETTINGS; id++)
			read_variable(&occ_settings_table[id],
				      &ret_settings->values[id]);
	}
	interpret(ret_settings);
}

void occ_settings_release(struct occ_settings *settings)
{
	char **directories = settings->read_only_directories;

	for (size_t i = 0; directories && directories[i]; i++)
		free(directories[i]);
	free(directories);
	free(settings->directory);
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!settings->values[id].file)
			free(settings->values[id].text);
	for (size_t i = 0; i < settings->file_count; i++)
		free(settings->files[i].text);
	clear(settings);
}

const char *occ_settings_place(const char *file, unsigned line,
			       char ret_text[OCC_SETTINGS_PLACE_SIZE])
{
	*ret_text = '\0';
	if (file && line)
		snprintf(ret_text, OCC_SETTINGS_PLACE_SIZE, "%s:%u: ", file,
			 line);
	else if (file)
		snprintf(ret_text, OCC_SETTINGS_PLACE_SIZE, "%s: ", file);
	return ret_text;
}
