/* SPDX-License-Identifier: MIT */
#include "layer/base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cache/remote_setting.h"
#include "layer/base/log.h"

struct occ_settings occ_settings;
char *occ_settings_stats_file;
bool occ_settings_keeps_all;
char *occ_settings_record_file;

#define INSTEAD_SIZE (OCC_SETTINGS_TEXT_SIZE + 16)

/* What is taken when a value isn't understood: its number, if it has one. */
static const char *instead(enum occ_setting_id id, char ret_text[INSTEAD_SIZE])
{
	const struct occ_setting *setting = &occ_settings_table[id];
	char text[OCC_SETTINGS_TEXT_SIZE];

	if (id == OCC_SETTING_DIR)
		return "nothing will be stored";
	if (id == OCC_SETTING_SIGNING_KEY)
		return "nothing will be signed";
	if (setting->kind == OCC_SETTING_ITEMS)
		return "skipping nothing";
	occ_settings_text(setting, occ_settings.values[id].number, text);
	snprintf(ret_text, INSTEAD_SIZE, "using %s", text);
	return ret_text;
}

/* Warns of a value that isn't understood. */
static void report_value(enum occ_setting_id id)
{
	const struct occ_setting_value *value = &occ_settings.values[id];
	char advice[OCC_SETTINGS_TEXT_SIZE], taken[INSTEAD_SIZE];
	char place[OCC_SETTINGS_PLACE_SIZE];

	if (!value->understood)
		occ_log_warning("%s%s=%s is not understood; %s; %s",
				occ_settings_place(value->file, value->line,
						   place),
				value->name, value->text,
				occ_settings_advice(&occ_settings_table[id],
						    advice),
				instead(id, taken));
}

static void report_values(void)
{
	static const enum occ_setting_id ids[] = {
		OCC_SETTING_STORE,
		OCC_SETTING_MODE,
		OCC_SETTING_PERSISTENT,
		OCC_SETTING_MAX_SIZE,
		OCC_SETTING_MAX_AGE,
		OCC_SETTING_MEMORY_SIZE,
		OCC_SETTING_WAIT,
		OCC_SETTING_DIR,
		OCC_SETTING_RECORD_MAX_SIZE,
		OCC_SETTING_REMOTE_CONNECT,
		OCC_SETTING_REMOTE_WAIT,
		OCC_SETTING_SIGNING_KEY,
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		report_value(ids[i]);
}

/* Without its text, in which there may be a password. */
static void report_remote(void)
{
	const struct occ_setting_value *value =
		&occ_settings.values[OCC_SETTING_REMOTE];
	char place[OCC_SETTINGS_PLACE_SIZE];
	struct occ_remote_setting setting;
	const char *problem;

	if (value->understood)
		return;
	problem = occ_remote_setting_parse(value->text, &setting);
	occ_log_warning("%s%s is not understood: %s; nothing is shared with "
			"other machines",
			occ_settings_place(value->file, value->line, place),
			value->name, problem ? problem : "");
	occ_remote_setting_release(&setting);
}

static void report_relative_paths(void)
{
	const struct occ_setting_value *value =
		&occ_settings.values[OCC_SETTING_READONLY_DIRS];
	char place[OCC_SETTINGS_PLACE_SIZE];
	const char *path = value->text;
	size_t length;

	if (value->understood)
		return;
	for (; (path = occ_settings_path(path, &length)); path += length)
		if (*path != '/')
			occ_log_warning(
				"%s%s: %.*s is not an absolute path; not read",
				occ_settings_place(value->file, value->line,
						   place),
				value->name, (int)length, path);
}

static void report_problems(void)
{
	char place[OCC_SETTINGS_PLACE_SIZE];

	for (size_t i = 0; i < occ_settings.problem_count; i++) {
		const struct occ_settings_problem *problem =
			&occ_settings.problems[i];

		occ_log_warning("%s%s%s%s; ignored",
				occ_settings_place(problem->file, problem->line,
						   place),
				problem->name ? problem->name : "",
				problem->name ? " " : "", problem->text);
	}
	if (occ_settings.problem_count < occ_settings.problem_total)
		occ_log_warning(
			"and %zu more problems, which 'oclcache config' shows",
			occ_settings.problem_total -
				occ_settings.problem_count);
}

/* Of `oclcache run`, which makes the file: never from a configuration file. */
static char *find_stats_file(void)
{
	const char *value = getenv("OCLCACHE_STATS_FILE");

	if (!value || !*value)
		return NULL;
	if (*value == '/')
		return strdup(value);
	occ_log_warning(
		"OCLCACHE_STATS_FILE=%s is not an absolute path; not written",
		value);
	return NULL;
}

static bool is_one(const char *value)
{
	return value && !strcmp(value, "1");
}

/* The application may go elsewhere: a relative path is from here. */
static char *find_record_file(void)
{
	const char *value = occ_settings.record;
	char directory[PATH_MAX];
	char *path;

	if (!value)
		return NULL;
	if (*value == '/')
		return strdup(value);
	if (!getcwd(directory, sizeof(directory))) {
		occ_log_warning("OCLCACHE_RECORD=%s: can't tell the current "
				"directory; nothing is recorded",
				value);
		return NULL;
	}
	path = malloc(strlen(directory) + strlen(value) + 2);
	if (path)
		stpcpy(stpcpy(stpcpy(path, directory), "/"), value);
	return path;
}

static bool is_executable(const char *name, size_t length)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *file = slash ? slash + 1 : path;

	if (!strncmp(program_invocation_short_name, name, length) &&
	    !program_invocation_short_name[length])
		return true;
	/* Of a script, the script. */
	return file && !strncmp(file, name, length) && !file[length];
}

/* No further file is read: this is still the loader's initialisation. */
static bool skips_executable(void)
{
	size_t length = 0;

	for (const char *item = occ_settings.skip; item;
	     item = occ_settings_next_item(item)) {
		const char *name = occ_settings_item(item, "exe:", &length);

		if (!name || !is_executable(name, length))
			continue;
		occ_log_debug("OCLCACHE_SKIP: leaving %.*s alone", (int)length,
			      name);
		return true;
	}
	return false;
}

bool occ_settings_skips_device(const char *device)
{
	size_t length = 0;

	for (const char *item = occ_settings.skip; item;
	     item = occ_settings_next_item(item)) {
		const char *text = occ_settings_item(item, "device:", &length);

		if (text && memmem(device, strlen(device), text, length))
			return true;
	}
	return false;
}

/* Nothing is stored, at the end either. */
static void disable(void)
{
	occ_settings.disabled = true;
	occ_settings.persistent = false;
	occ_settings.memory_size = 0;
}

void occ_settings_load(void)
{
	/* A setuid program must not write where its caller says; ocl-icd
	 * would have loaded us (it uses plain getenv). */
	if (getauxval(AT_SECURE)) {
		occ_settings_unload();
		return;
	}
	occ_settings_read(&occ_settings);
	occ_log =
		(struct occ_log){.file = occ_settings.log_file,
				 .debug_messages = occ_settings.debug_messages,
				 .trace = occ_settings.trace};
	report_problems();
	report_value(OCC_SETTING_DEBUG);
	report_value(OCC_SETTING_TRACE);
	report_value(OCC_SETTING_DISABLE);
	report_value(OCC_SETTING_PREFETCH);
	if (!occ_settings.disabled)
		report_value(OCC_SETTING_SKIP);
	if (occ_settings.disabled || skips_executable()) {
		disable();
		return;
	}
	occ_settings_stats_file = find_stats_file();
	occ_settings_keeps_all = is_one(getenv("OCLCACHE_KEEP_ALL"));
	occ_settings_record_file = find_record_file();
	report_values();
	report_remote();
	report_relative_paths();
}

void occ_settings_unload(void)
{
	free(occ_settings_stats_file);
	occ_settings_stats_file = NULL;
	free(occ_settings_record_file);
	occ_settings_record_file = NULL;
	occ_log = (struct occ_log){0};
	occ_settings_release(&occ_settings);
	occ_settings.disabled = true;
}
