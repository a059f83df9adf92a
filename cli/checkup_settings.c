/* SPDX-License-Identifier: MIT */
/*
 * What users set, of this and of other caches.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/file.h"
#include "cache/preference.h"
#include "cli/checkup.h"
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
	enum occ_finding kind;
	const char *value; /* NULL: any */
	const char *what;
};

static const struct effect effects[] = {
	{OCC_SETTING_DISABLE, OCC_FINDING_PROBLEM, "1",
	 "the layer does nothing at all"},
	{OCC_SETTING_PERSISTENT, OCC_FINDING_PROBLEM, "0",
	 "nothing is kept from one process to the next"},
	{OCC_SETTING_MODE, OCC_FINDING_WARNING, "readonly",
	 "nothing new is stored"},
	{OCC_SETTING_MODE, OCC_FINDING_WARNING, "recache",
	 "no entry is used, and all are made anew"},
	{OCC_SETTING_MODE, OCC_FINDING_WARNING, "require",
	 "what isn't stored fails to build"},
	{OCC_SETTING_STORE, OCC_FINDING_WARNING, "never",
	 "nothing new is stored"},
	{OCC_SETTING_SKIP, OCC_FINDING_WARNING, NULL,
	 "these programs and devices are left alone"},
};

static bool look_at_effect(struct occ_findings *findings,
			   const struct occ_preferences *preferences,
			   const struct effect *effect)
{
	const struct occ_preference *found = &preferences->values[effect->id];
	char *advice;

	if (!found->value ||
	    (effect->value && strcmp(found->value, effect->value) != 0))
		return false;
	advice =
		found->file
			? occ_text("change line %u of %s if that isn't meant",
				   found->line, found->file)
			: occ_text("unset %s if that isn't meant", found->name);
	occ_finding_add(findings, effect->kind, advice, "%s=%s: %s",
			found->name, found->value, effect->what);
	free(advice);
	return true;
}

/* As the layer opens it; what wasn't there is gone again. errno: why not. */
static bool can_be_written(const char *path)
{
	static const int flags =
		O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int file = open(path, flags);

	if (file < 0 && errno == ENOENT) {
		file = open(path, flags | O_CREAT | O_EXCL, 0600);
		if (file >= 0)
			unlink(path);
	}
	if (file >= 0)
		occ_file_close(file);
	return file >= 0;
}

static bool look_at_log(struct occ_findings *findings,
			const struct occ_preferences *preferences)
{
	const char *path = preferences->values[OCC_SETTING_LOG_FILE].value;

	if (!path || can_be_written(path))
		return false;
	occ_finding_add(findings, OCC_FINDING_WARNING,
			"see to its mode and its folder, or name another",
			"OCLCACHE_LOG_FILE=%s can't be written, so messages "
			"are lost: %s",
			path, strerror(errno));
	return true;
}

static bool is_understood(const struct occ_preferences *preferences)
{
	uint64_t number;

	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!occ_setting_parse(&occ_settings[id],
				       preferences->values[id].value, &number))
			return false;
	return !preferences->problem_count;
}

void occ_checkup_settings(struct occ_checkup *checkup)
{
	struct occ_preferences preferences;
	bool any = false;

	occ_finding_group(&checkup->findings, "Settings");
	occ_preferences_read(&preferences);
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		any |= look_at_effect(&checkup->findings, &preferences,
				      &effects[i]);
	any |= look_at_log(&checkup->findings, &preferences);
	if (!is_understood(&preferences)) {
		any = true;
		occ_finding_add(&checkup->findings, OCC_FINDING_WARNING,
				"see 'oclcache config'",
				"some of what is set isn't understood");
	}
	if (!any)
		occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
				"none keeps it from working");
	occ_preferences_release(&preferences);
}

static void look_at_pocl(struct occ_checkup *checkup)
{
	if (!strcmp(value_of("POCL_KERNEL_CACHE"), "0"))
		occ_finding_add(&checkup->findings, OCC_FINDING_WARNING,
				"unset POCL_KERNEL_CACHE",
				"PoCL's own cache is off: then nothing of PoCL "
				"can be cached here, either");
	else
		occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
				"PoCL's own cache is on, as it has to be");
}

static void look_at_mesa(struct occ_checkup *checkup)
{
	if (is_on(value_of("MESA_SHADER_CACHE_DISABLE")))
		occ_finding_add(&checkup->findings, OCC_FINDING_WARNING,
				"unset MESA_SHADER_CACHE_DISABLE",
				"Mesa's own cache is off: it is what keeps the "
				"device's code, made at a first launch");
	else
		occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
				"Mesa's own cache is on: it keeps the device's "
				"code, and this one what Clang makes");
}

static void look_at_nvidia(struct occ_checkup *checkup)
{
	if (is_on(value_of("CUDA_CACHE_DISABLE")))
		occ_finding_add(&checkup->findings, OCC_FINDING_WARNING,
				"unset CUDA_CACHE_DISABLE",
				"NVIDIA's own cache is off: its binaries are "
				"PTX, which is assembled again in each "
				"process");
	else
		occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
				"NVIDIA's own cache is on: it keeps what the "
				"driver assembles of the PTX that is stored "
				"here");
}

static void look_at_neo(struct occ_checkup *checkup)
{
	occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
			"Intel's GPU driver may have a cache of its own, which "
			"shares directory, maximum and rules with this one");
}

static bool has_pyopencl_cache(void)
{
	const char *cache = value_of("XDG_CACHE_HOME");
	struct stat status;
	char *path;
	bool found;

	path = *cache ? occ_text("%s/pyopencl", cache)
		      : occ_text("%s/.cache/pyopencl", value_of("HOME"));
	found = stat(path, &status) == 0;
	free(path);
	return found;
}

static void look_at_others(struct occ_findings *findings)
{
	if (is_on(value_of("SYCL_CACHE_PERSISTENT")))
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"SYCL's own cache is on: what it has doesn't "
				"come here, and each program is stored twice");
	if (has_pyopencl_cache() && !*value_of("PYOPENCL_NO_CACHE"))
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"pyopencl's own cache is on: what it has "
				"doesn't come here, and each program is stored "
				"twice");
}

void occ_checkup_caches(struct occ_checkup *checkup)
{
	struct occ_findings *findings = &checkup->findings;
	size_t before;

	occ_finding_group(findings, "Other caches");
	before = findings->count[OCC_FINDING_OK] +
		 findings->count[OCC_FINDING_WARNING];
	if (checkup->has_pocl)
		look_at_pocl(checkup);
	if (checkup->has_mesa)
		look_at_mesa(checkup);
	if (checkup->has_nvidia)
		look_at_nvidia(checkup);
	if (checkup->has_neo)
		look_at_neo(checkup);
	look_at_others(findings);
	if (before == findings->count[OCC_FINDING_OK] +
			      findings->count[OCC_FINDING_WARNING])
		occ_finding_add(findings, OCC_FINDING_OK, NULL,
				"none that matters");
}
