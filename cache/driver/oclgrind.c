/* SPDX-License-Identifier: MIT */
/* Oclgrind, a simulator. */
#include "cache/driver/driver.h"

/* Of a process, as the driver has it in the names of files. */
#if SIZE_MAX > UINT32_MAX
#define BITS "64"
#else
#define BITS "32"
#endif

static const struct occ_option_dialect dialect = {
	.number = 5,
	.reading = OCC_READ_QUOTES | OCC_READ_ESCAPES,
	.is_clang = true,
};

static const struct occ_variable variables[] = {
	{"OCLGRIND_*", OCC_VARIABLE_KEY},
	{"OCLGRIND_BUILD_OPTIONS", OCC_VARIABLE_OPTIONS},
	{"OCLGRIND_DUMP_SPIR", OCC_VARIABLE_FILES},
	{"OCLGRIND_PCH_DIR", OCC_VARIABLE_FILES},
	/* What is printed. */
	{"OCLGRIND_CHECK_API", OCC_VARIABLE_HARMLESS},
	{"OCLGRIND_LOG", OCC_VARIABLE_HARMLESS},
	{"OCLGRIND_MAX_ERRORS", OCC_VARIABLE_HARMLESS},
	{"OCLGRIND_QUICK", OCC_VARIABLE_HARMLESS},
	/* How kernels are run. */
	{"OCLGRIND_NUM_THREADS", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	{"liboclgrind", "oclgrind/*/opencl-c*.h", OCC_COMPONENT_GROUP, false},
	{"liboclgrind", "oclgrind/*/opencl-c-*-" BITS ".pch",
	 OCC_COMPONENT_GROUP, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_include_dir include_dirs[] = {
	{"/remapped", NULL},
	/* They are its "root directory". */
	{"/usr/lib/*/oclgrind/*", "/usr/local/include"},
	{"/usr/lib/*/oclgrind/*", "/usr/include"},
	{"/usr/lib*/oclgrind/*", "/usr/local/include"},
	{"/usr/lib*/oclgrind/*", "/usr/include"},
	{"/usr/local/lib*/oclgrind/*", "/usr/local/include"},
	{"/usr/local/lib*/oclgrind/*", "/usr/include"},
	{NULL, NULL},
};

const struct occ_driver occ_driver_oclgrind = {
	.name = "oclgrind",
	.platform_name = "Oclgrind",
	.dialect = &dialect,
	.variables = variables,
	.components = components,
	.include_dirs = include_dirs,
	.fetch = OCC_FETCH_AFTER_BUILD,
	.notify = OCC_NOTIFY_CALLER,
	.released_program_valid = true,
	.binary_keeps_kernels = true,
	.objects_are_whole = true,
	.counts_kernels = true,
	.counts_programs = true,
	.kernels_as_named = true,
	.live_again = true,
	.refuses_storage = true,
	.splices_blanks = true,
	.takes_any_device = true,
};
