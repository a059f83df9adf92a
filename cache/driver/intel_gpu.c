/* SPDX-License-Identifier: MIT */
/* Intel's driver for GPUs (NEO), under its name now and the former one. */
#include "cache/driver/driver.h"

static const struct occ_variable variables[] = {
	/* The compiler's own, which it reads in every build. */
	{"IGC_*", OCC_VARIABLE_KEY},
	{"IGC_*Dump*", OCC_VARIABLE_FILES},
	{"IGC_*File*", OCC_VARIABLE_FILES},
	{"IGC_*Path*", OCC_VARIABLE_FILES},
	{"IGC_Extra*Options", OCC_VARIABLE_FILES},
	{"IGC_LLVMCommandLine", OCC_VARIABLE_FILES},
	{"IGC_ShaderOverride", OCC_VARIABLE_FILES},
	{"INTEL_*", OCC_VARIABLE_KEY},
	{"NEOReadDebugKeys", OCC_VARIABLE_FILES},
	{"NEO_*", OCC_VARIABLE_KEY},
	/* Where caches are, and how large. */
	{"NEO_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_MAX_SIZE", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_PERSISTENT", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_STATS", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	{"libigdrcl", "../libigdfcl.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "../libigc.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "libigdfcl.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "libigc.so.*", OCC_COMPONENT_OBJECTS, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_driver_cache cache = {
	.when_on = "Intel's GPU driver may have a cache of its own, which "
		   "shares directory, maximum and rules with this one",
};

const struct occ_driver occ_driver_intel_gpu = {
	.name = "neo",
	.platform_name = "Intel(R) OpenCL Graphics",
	.learnt = true,
	.variables = variables,
	.components = components,
	.cache = &cache,
	/* It changes sources by it. */
	.knows_program = true,
};

const struct occ_driver occ_driver_intel_gpu_hd = {
	.name = "neo-hd",
	.platform_name = "Intel(R) OpenCL HD Graphics",
	.learnt = true,
	.cache = &cache,
};
