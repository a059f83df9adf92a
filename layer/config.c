/* SPDX-License-Identifier: MIT */
#include "layer/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cache/preference.h"
#include "layer/log.h"

#define DAY_S 86400

struct occ_config occ_config;

const char occ_config_skipped[] = "left alone: OCLCACHE_SKIP";

/* Only while the configuration is being read. */
static struct occ_preferences preferences;

/* "/etc/oclcache.conf:3: ", or nothing for the environment. */
struct place {
	char text[PATH_MAX + 16];
};

static const char *place_of(const char *file, unsigned line,
			    struct place *ret_place)
{
	if (!file)
		return "";
	if (line)
		snprintf(ret_place->text, sizeof(ret_place->text),
			 "%s:%u: ", file, line);
	else
		snprintf(ret_place->text, sizeof(ret_place->text),
			 "%s: ", file);
	return ret_place->text;
}

/* What is taken when a value isn't understood. */
static const char *instead(enum occ_setting_id id,
			   char ret_text[OCC_SETTING_TEXT_SIZE])
{
	const struct occ_setting *setting = &occ_settings[id];
	char text[OCC_SETTING_TEXT_SIZE];

	if (id == OCC_SETTING_DIR)
		return "nothing will be stored";
	if (setting->kind == OCC_SETTING_ITEMS)
		return "leaving nothing alone";
	snprintf(ret_text, OCC_SETTING_TEXT_SIZE, "taking %s",
		 occ_setting_text(setting, setting->otherwise, text));
	return ret_text;
}

/* False after a warning: it isn't understood. */
static bool understand(enum occ_setting_id id, uint64_t *ret_number)
{
	const struct occ_preference *found = &preferences.values[id];
	char advice[OCC_SETTING_TEXT_SIZE], taken[OCC_SETTING_TEXT_SIZE];
	struct place place;

	if (occ_setting_parse(&occ_settings[id], found->value, ret_number))
		return true;
	occ_log_warning("%s%s=%s is not understood: %s; %s",
			place_of(found->file, found->line, &place), found->name,
			found->value,
			occ_setting_advice(&occ_settings[id], advice),
			instead(id, taken));
	return false;
}

static uint64_t number(enum occ_setting_id id)
{
	uint64_t result;

	understand(id, &result);
	return result;
}

static bool flag(enum occ_setting_id id)
{
	return number(id) != 0;
}

static char *copy_of(enum occ_setting_id id)
{
	const char *value = preferences.values[id].value;

	return value ? strdup(value) : NULL;
}

static void read_directory(void)
{
	uint64_t none;

	understand(OCC_SETTING_DIR, &none);
	occ_config.directory =
		occ_preferences_directory(&preferences,
					  &occ_config.create_parent);
}

/* The part of `list` up to ':' or the end. */
static char *cut(const char *list)
{
	return strndup(list, strcspn(list, ":"));
}

static void complain_of_relative(const char *directory)
{
	const struct occ_preference *found =
		&preferences.values[OCC_SETTING_READONLY_DIRS];
	struct place place;

	occ_log_warning("%s%s: %s is not an absolute path: not read",
			place_of(found->file, found->line, &place), found->name,
			directory);
}

static void add_read_only(char *directory, size_t *count)
{
	if (!directory)
		return;
	if (*directory == '/') {
		occ_config.read_only_directories[(*count)++] = directory;
		return;
	}
	if (*directory)
		complain_of_relative(directory);
	free(directory);
}

static void read_read_only_directories(void)
{
	const char *list = preferences.values[OCC_SETTING_READONLY_DIRS].value;
	size_t count = 0, most = 2;

	if (!list)
		return;
	for (const char *c = list; *c; c++)
		most += *c == ':';
	occ_config.read_only_directories = calloc(most, sizeof(char *));
	if (!occ_config.read_only_directories)
		return;
	add_read_only(cut(list), &count);
	while ((list = strchr(list, ':')))
		add_read_only(cut(++list), &count);
}

/* Of `oclcache run`, which makes the file: never from a configuration file. */
static char *stats_file(void)
{
	const char *value = getenv("OCLCACHE_STATS_FILE");

	if (!value || !*value)
		return NULL;
	if (*value == '/')
		return strdup(value);
	occ_log_warning("OCLCACHE_STATS_FILE=%s is not an absolute path: not "
			"written",
			value);
	return NULL;
}

static void read_sizes(void)
{
	occ_config.persistent = flag(OCC_SETTING_PERSISTENT);
	occ_config.max_size = number(OCC_SETTING_MAX_SIZE);
	occ_config.max_age = (int64_t)number(OCC_SETTING_MAX_AGE) * DAY_S;
	occ_config.memory_size = number(OCC_SETTING_MEMORY_SIZE);
	occ_config.wait = number(OCC_SETTING_WAIT);
}

static void read_skip(void)
{
	uint64_t none;

	if (understand(OCC_SETTING_SKIP, &none))
		occ_config.skip = copy_of(OCC_SETTING_SKIP);
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

	for (const char *item = occ_config.skip; item;
	     item = occ_setting_next_item(item)) {
		const char *name = occ_setting_item(item, "exe:", &length);

		if (!name || !is_executable(name, length))
			continue;
		occ_log_debug("%.*s is left alone: OCLCACHE_SKIP", (int)length,
			      name);
		return true;
	}
	return false;
}

bool occ_config_skips_device(const char *device)
{
	size_t length = 0;

	for (const char *item = occ_config.skip; item;
	     item = occ_setting_next_item(item)) {
		const char *text = occ_setting_item(item, "device:", &length);

		if (text && memmem(device, strlen(device), text, length))
			return true;
	}
	return false;
}

static void report_problems(void)
{
	size_t count = occ_preferences_problems(&preferences);
	struct place place;

	for (size_t i = 0; i < count; i++) {
		const struct occ_problem *problem = &preferences.problems[i];

		occ_log_warning("%s%s%s%s: ignored",
				place_of(problem->file, problem->line, &place),
				problem->name ? problem->name : "",
				problem->name ? " " : "", problem->text);
	}
	if (count < preferences.problem_count)
		occ_log_warning("and %zu more that 'oclcache config' shows",
				preferences.problem_count - count);
}

static void read_all(void)
{
	occ_config.log_file = copy_of(OCC_SETTING_LOG_FILE);
	report_problems();
	occ_config.debug_messages = flag(OCC_SETTING_DEBUG);
	occ_config.trace = flag(OCC_SETTING_TRACE);
	occ_config.disabled = flag(OCC_SETTING_DISABLE);
	if (occ_config.disabled)
		return;
	read_skip();
	occ_config.disabled = skips_executable();
	if (occ_config.disabled)
		return;
	occ_config.hash_environment = copy_of(OCC_SETTING_HASH_ENV);
	occ_config.stats_file = stats_file();
	occ_config.store_policy =
		(enum occ_store_policy)number(OCC_SETTING_STORE);
	occ_config.mode = (enum occ_mode)number(OCC_SETTING_MODE);
	/* Who wants all anew doesn't want to come twice for it. */
	if (occ_config.mode == OCC_MODE_RECACHE &&
	    occ_config.store_policy == OCC_STORE_AUTO)
		occ_config.store_policy = OCC_STORE_EAGER;
	read_sizes();
	read_directory();
	read_read_only_directories();
}

void occ_config_read(void)
{
	memset(&occ_config, 0, sizeof(occ_config));
	/* A setuid program must not write where its caller says; ocl-icd
	 * would have loaded us (it uses plain getenv). */
	if (getauxval(AT_SECURE)) {
		occ_config.disabled = true;
		return;
	}
	occ_preferences_read(&preferences);
	read_all();
	occ_preferences_release(&preferences);
}

void occ_config_release(void)
{
	for (char **directory = occ_config.read_only_directories;
	     directory && *directory; directory++)
		free(*directory);
	free(occ_config.read_only_directories);
	free(occ_config.directory);
	free(occ_config.log_file);
	free(occ_config.stats_file);
	free(occ_config.hash_environment);
	free(occ_config.skip);
	memset(&occ_config, 0, sizeof(occ_config));
	occ_config.disabled = true;
}
