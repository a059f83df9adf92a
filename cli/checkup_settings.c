/* SPDX-License-Identifier: MIT */
/*
 * What users set, of this and of other caches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/checkup.h"
#include "cli/message.h"

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
	const char *name;
	const char *value; /* NULL: any */
	enum occ_finding kind;
	const char *what;
};

static const struct effect effects[] = {
	{"OCLCACHE_DISABLE", "1", OCC_FINDING_PROBLEM,
	 "the layer does nothing at all"},
	{"OCLCACHE_PERSISTENT", "0", OCC_FINDING_PROBLEM,
	 "nothing is kept from one process to the next"},
	{"NEO_CACHE_PERSISTENT", "0", OCC_FINDING_PROBLEM,
	 "nothing is kept from one process to the next"},
	{"OCLCACHE_MODE", "readonly", OCC_FINDING_WARNING,
	 "nothing new is stored"},
	{"OCLCACHE_MODE", "recache", OCC_FINDING_WARNING,
	 "no entry is used, and all are made anew"},
	{"OCLCACHE_MODE", "require", OCC_FINDING_WARNING,
	 "what isn't stored fails to build"},
	{"OCLCACHE_STORE", "never", OCC_FINDING_WARNING,
	 "nothing new is stored"},
	{"OCLCACHE_SKIP", NULL, OCC_FINDING_WARNING,
	 "these programs and devices are left alone"},
};

/* OCLCACHE_PERSISTENT wins. */
static bool is_overridden(const struct effect *effect)
{
	return !strcmp(effect->name, "NEO_CACHE_PERSISTENT") &&
	       *value_of("OCLCACHE_PERSISTENT");
}

static bool look_at_effect(struct occ_findings *findings,
			   const struct effect *effect)
{
	const char *value = value_of(effect->name);
	char *advice;

	if (!*value || (effect->value && strcmp(value, effect->value) != 0) ||
	    is_overridden(effect))
		return false;
	if (asprintf(&advice, "unset %s if that isn't meant", effect->name) < 0)
		occ_message_no_memory();
	occ_finding_add(findings, effect->kind, advice, "%s=%s: %s",
			effect->name, value, effect->what);
	free(advice);
	return true;
}

void occ_checkup_settings(struct occ_checkup *checkup)
{
	bool any = false;

	occ_finding_group(&checkup->findings, "Settings");
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++)
		any |= look_at_effect(&checkup->findings, &effects[i]);
	if (!any)
		occ_finding_add(&checkup->findings, OCC_FINDING_OK, NULL,
				"none keeps it from working");
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

	if ((*cache ? asprintf(&path, "%s/pyopencl", cache)
		    : asprintf(&path, "%s/.cache/pyopencl", value_of("HOME"))) <
	    0)
		occ_message_no_memory();
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
