/* SPDX-License-Identifier: MIT */
/*
 * What users set, of this and of other caches.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/directory.h"
#include "cache/settings.h"
#include "cli/checkup.h"
#include "cli/remote_secrets.h"
#include "cli/suggestion.h"
#include "cli/text.h"

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static bool is_on(const char *value)
{
	return *value && strcmp(value, "0") != 0 &&
	       strcasecmp(value, "false") != 0 && strcasecmp(value, "no") != 0;
}

struct effect {
	enum occ_setting_id id;
	enum occ_checkup_kind kind;
	uint64_t number; /* not of OCC_SETTING_SKIP: any */
	const char *what;
};

static const struct effect effects[] = {
	{OCC_SETTING_DISABLE, OCC_CHECKUP_PROBLEM, 1, "the layer does nothing"},
	{OCC_SETTING_PERSISTENT, OCC_CHECKUP_PROBLEM, 0,
	 "entries are not kept between processes"},
	{OCC_SETTING_MODE, OCC_CHECKUP_WARNING, OCC_MODE_READONLY,
	 "no new entries are stored"},
	{OCC_SETTING_MODE, OCC_CHECKUP_WARNING, OCC_MODE_RECACHE,
	 "no entry is used, and every program is compiled and stored again"},
	{OCC_SETTING_MODE, OCC_CHECKUP_WARNING, OCC_MODE_REQUIRE,
	 "programs that are not in the store fail to build"},
	{OCC_SETTING_STORE, OCC_CHECKUP_WARNING, OCC_STORE_NEVER,
	 "no new entries are stored"},
	{OCC_SETTING_SKIP, OCC_CHECKUP_WARNING, 0,
	 "these programs and devices are skipped"},
};

/* False: it isn't so. However it is spelt, or misspelt. */
static bool look_at_effect(struct occ_checkup *checkup,
			   const struct occ_settings *settings,
			   const struct effect *effect)
{
	const struct occ_setting_value *found = &settings->values[effect->id];
	char *advice;

	if (!found->text || found->number != effect->number)
		return false;
	advice =
		found->file
			? occ_text(
				  "change line %u of %s if that isn't intended",
				  found->line, found->file)
			: occ_text("unset %s if that isn't intended",
				   found->name);
	occ_checkup_add(checkup, effect->kind, advice, "%s=%s: %s", found->name,
			found->text, effect->what);
	free(advice);
	return true;
}

/* Can messages be written? As the layer opens the file; a new one goes again.
 */
static bool look_at_log(struct occ_checkup *checkup, const char *path)
{
	int file = path ? occ_path_open_file(path, O_WRONLY | O_APPEND) : -1;

	if (path && file < 0 && errno == ENOENT) {
		file = occ_path_open_file(path, O_WRONLY | O_CREAT | O_EXCL);
		if (file >= 0)
			unlink(path);
	}
	if (!path || file >= 0) {
		occ_file_close(file);
		return false;
	}
	occ_checkup_warn(
		checkup,
		"check its permissions and its directory, or choose another "
		"file",
		"OCLCACHE_LOG_FILE=%s can't be written: %s; messages are lost",
		path, strerror(errno));
	return true;
}

/* What isn't heeded of variables and of files. True: there is any. */
static bool look_at_problems(struct occ_checkup *checkup,
			     const struct occ_settings *settings)
{
	bool any = settings->problem_count > 0;
	char text[OCC_SETTINGS_TEXT_SIZE];

	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		const struct occ_setting_value *found = &settings->values[id];
		char *value;

		if (found->understood)
			continue;
		any = true;
		value = id == OCC_SETTING_REMOTE
				? occ_remote_secrets_hide(found->text)
				: occ_text("%s", found->text);
		occ_checkup_warn(checkup,
				 occ_settings_advice(&occ_settings_table[id],
						     text),
				 "%s=%s isn't understood", found->name, value);
		free(value);
	}
	for (size_t i = 0; i < settings->problem_count; i++) {
		const struct occ_settings_problem *problem =
			&settings->problems[i];
		const char *name = problem->name ? problem->name : "";
		const char *meant = occ_suggestion_setting(name);
		char *advice = meant ? occ_text("did you mean %s?", meant)
				     : occ_text("see 'oclcache config'");

		occ_checkup_warn(checkup, advice, "%s, line %u: %s%s%s",
				 problem->file, problem->line, name,
				 *name ? " " : "", problem->text);
		free(advice);
	}
	return any;
}

static void add_misspelling(const char *name, const char *meant, void *data)
{
	struct occ_checkup *checkup = data;
	char *advice = meant ? occ_text("did you mean %s?", meant)
			     : occ_text("see 'oclcache config' for the names "
					"of the settings");

	occ_checkup_warn(checkup, advice,
			 "the environment variable %s isn't a setting", name);
	free(advice);
}

void occ_checkup_settings(struct occ_checkup *checkup)
{
	struct occ_settings settings;
	bool any = false;

	occ_checkup_group(checkup, "Settings");
	occ_settings_read(&settings);
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		any |= look_at_effect(checkup, &settings, &effects[i]);
	any |= look_at_log(checkup, settings.log_file);
	any |= occ_suggestion_each_misspelt(add_misspelling, checkup);
	any |= look_at_problems(checkup, &settings);
	if (!any)
		occ_checkup_ok(checkup, "all settings let it work");
	occ_settings_release(&settings);
}

/* Each once: two drivers of one maker may share one. False: there is none. */
static bool look_at_drivers(struct occ_checkup *checkup)
{
	const struct occ_driver_cache *last = NULL;

	for (size_t i = 0; i < OCC_DRIVERS; i++) {
		const struct occ_driver_cache *cache = occ_driver_at(i)->cache;
		const char *value;
		char *advice;

		if (!checkup->has_driver[i] || !cache || cache == last)
			continue;
		last = cache;
		value = cache->variable ? value_of(cache->variable) : "";
		if (cache->off ? strcmp(value, cache->off) != 0
			       : !is_on(value)) {
			occ_checkup_ok(checkup, "%s", cache->when_on);
			continue;
		}
		advice = occ_text("unset %s", cache->variable);
		occ_checkup_warn(checkup, advice, "%s", cache->when_off);
		free(advice);
	}
	return last != NULL;
}

static bool has_pyopencl_cache(void)
{
	const char *cache = value_of("XDG_CACHE_HOME");
	char *path = *cache ? occ_text("%s/pyopencl", cache)
			    : occ_text("%s/.cache/pyopencl", value_of("HOME"));
	bool found = !access(path, F_OK);

	free(path);
	return found && !*value_of("PYOPENCL_NO_CACHE");
}

void occ_checkup_caches(struct occ_checkup *checkup)
{
	bool any, sycl = is_on(value_of("SYCL_CACHE_PERSISTENT"));
	bool pyopencl = has_pyopencl_cache();

	occ_checkup_group(checkup, "Other caches");
	any = look_at_drivers(checkup);
	if (sycl)
		occ_checkup_ok(
			checkup,
			"SYCL's own cache is on: programs found there don't "
			"reach oclcache, and each program is stored twice");
	if (pyopencl)
		occ_checkup_ok(checkup, "pyopencl's own cache is on: programs "
					"found there don't reach oclcache, and "
					"each program is stored twice");
	if (!any && !sycl && !pyopencl)
		occ_checkup_ok(checkup, "none that interferes");
}
