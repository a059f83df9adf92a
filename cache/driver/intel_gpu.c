/* SPDX-License-Identifier: MIT */
/*
 * Intel's driver for GPUs (NEO). Its platform has had another name since 2022,
 * and is the same otherwise.
 */
#include "cache/driver/driver.h"

static const struct occ_option_rule options[] = {
	{"-cl-intel-", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{"-ze-", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

static const struct occ_option_dialect dialect = {
	.number = 6,
	.reading = OCC_READ_QUOTES,
	.options = options,
};

static const struct occ_variable variables[] = {
	/* The compiler's own, which it reads in every build. */
	{"IGC_*", OCC_VARIABLE_KEY},
	{"IGC_*Dump*", OCC_VARIABLE_FILES},
	{"IGC_ExtraOCLOptions", OCC_VARIABLE_FILES},
	{"IGC_*File*", OCC_VARIABLE_FILES},
	{"IGC_*Path*", OCC_VARIABLE_FILES},
	{"IGC_ShaderOverride", OCC_VARIABLE_FILES},
	{"INTEL_*", OCC_VARIABLE_KEY},
	{"NEO_*", OCC_VARIABLE_KEY},
	{"NEOReadDebugKeys", OCC_VARIABLE_SWITCH},
	/* Options, which may name files. */
	{"InjectApiBuildOptions", OCC_VARIABLE_FILES},
	{"InjectInternalBuildOptions", OCC_VARIABLE_FILES},
	/* Where caches are, and how large. */
	{"NEO_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_MAX_SIZE", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_PERSISTENT", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_STATS", OCC_VARIABLE_HARMLESS},
	{"cl_cache_dir", OCC_VARIABLE_HARMLESS},
	{"*", OCC_VARIABLE_SWITCHED},
	/*
	 * What systems, shells, loaders and this layer set, and where a
	 * simulated device's commands are written: none of the switches has
	 * such a name.
	 */
	{"AUBDumpCaptureFileName", OCC_VARIABLE_HARMLESS},
	{"BinaryCacheTrace", OCC_VARIABLE_HARMLESS},
	{"COLORTERM", OCC_VARIABLE_HARMLESS},
	{"COLUMNS", OCC_VARIABLE_HARMLESS},
	{"CONDA_*", OCC_VARIABLE_HARMLESS},
	{"DBUS_*", OCC_VARIABLE_HARMLESS},
	{"DEBUGINFOD_*", OCC_VARIABLE_HARMLESS},
	{"DESKTOP_*", OCC_VARIABLE_HARMLESS},
	{"DISPLAY", OCC_VARIABLE_HARMLESS},
	{"EDITOR", OCC_VARIABLE_HARMLESS},
	{"GDK_*", OCC_VARIABLE_HARMLESS},
	{"GNOME_*", OCC_VARIABLE_HARMLESS},
	{"GPG_*", OCC_VARIABLE_HARMLESS},
	{"GTK_*", OCC_VARIABLE_HARMLESS},
	{"HOME", OCC_VARIABLE_HARMLESS},
	{"HOSTNAME", OCC_VARIABLE_HARMLESS},
	{"INVOCATION_ID", OCC_VARIABLE_HARMLESS},
	{"JOURNAL_STREAM", OCC_VARIABLE_HARMLESS},
	{"KDE_*", OCC_VARIABLE_HARMLESS},
	{"LANG", OCC_VARIABLE_HARMLESS},
	{"LANGUAGE", OCC_VARIABLE_HARMLESS},
	{"LC_*", OCC_VARIABLE_HARMLESS},
	{"LD_*", OCC_VARIABLE_HARMLESS},
	{"LESS*", OCC_VARIABLE_HARMLESS},
	{"LINES", OCC_VARIABLE_HARMLESS},
	{"LOGNAME", OCC_VARIABLE_HARMLESS},
	{"LS_COLORS", OCC_VARIABLE_HARMLESS},
	{"MAIL", OCC_VARIABLE_HARMLESS},
	{"MANAGERPID", OCC_VARIABLE_HARMLESS},
	{"MEMORY_PRESSURE_*", OCC_VARIABLE_HARMLESS},
	{"OCLCACHE_*", OCC_VARIABLE_HARMLESS},
	{"OCL_ICD_*", OCC_VARIABLE_HARMLESS},
	{"OLDPWD", OCC_VARIABLE_HARMLESS},
	{"OPENCL_*", OCC_VARIABLE_HARMLESS},
	{"PAGER", OCC_VARIABLE_HARMLESS},
	{"PATH", OCC_VARIABLE_HARMLESS},
	{"PYTHON*", OCC_VARIABLE_HARMLESS},
	{"PrintDebugMessages", OCC_VARIABLE_HARMLESS},
	{"QT_*", OCC_VARIABLE_HARMLESS},
	{"SHELL", OCC_VARIABLE_HARMLESS},
	{"SHLVL", OCC_VARIABLE_HARMLESS},
	{"SSH_*", OCC_VARIABLE_HARMLESS},
	{"SUDO_*", OCC_VARIABLE_HARMLESS},
	{"SYSTEMD_*", OCC_VARIABLE_HARMLESS},
	{"TERM", OCC_VARIABLE_HARMLESS},
	{"TERM_*", OCC_VARIABLE_HARMLESS},
	{"TZ", OCC_VARIABLE_HARMLESS},
	{"USER", OCC_VARIABLE_HARMLESS},
	{"VIRTUAL_ENV*", OCC_VARIABLE_HARMLESS},
	{"VISUAL", OCC_VARIABLE_HARMLESS},
	{"VTE_VERSION", OCC_VARIABLE_HARMLESS},
	{"WAYLAND_DISPLAY", OCC_VARIABLE_HARMLESS},
	{"WINDOWID", OCC_VARIABLE_HARMLESS},
	{"XAUTHORITY", OCC_VARIABLE_HARMLESS},
	{"XDG_*", OCC_VARIABLE_HARMLESS},
	{"_", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

/* Which of them depends on who built the driver. */
static const struct occ_component components[] = {
	{"libigdrcl", "../libigdfcl.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "../libigc.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "../libopencl-clang.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "libigdfcl.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "libigc.so.*", OCC_COMPONENT_OBJECTS, false},
	{"libigdrcl", "libopencl-clang.so.*", OCC_COMPONENT_OBJECTS, false},
	/* Switches, in the place of the environment's. */
	{NULL, "igdrcl.config", OCC_COMPONENT_HERE, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	{NULL, NULL},
};

static const struct occ_driver_cache cache = {
	.when_on = "Intel's GPU driver may have a cache of its own, which "
		   "shares directory, maximum and rules with this one",
};

#define INTEL_GPU(short_name, platform)                                        \
	{                                                                      \
		.name = (short_name), .platform_name = (platform),             \
		.dialect = &dialect, .variables = variables,                   \
		.switches_file = "igdrcl.config", .components = components,    \
		.include_dirs = include_dirs,                                  \
		.source_name_varies = OCC_REASON_SOURCE_NAME_VARIES,           \
		.cache = &cache, .knows_program = true,                        \
		.fetch = OCC_FETCH_AFTER_BUILD, .notify = OCC_NOTIFY_CALLER,   \
		.released_program_valid = true, .binary_keeps_kernels = true,  \
		.counts_kernels = true, .binary_specialized = true,            \
	}

const struct occ_driver occ_driver_intel_gpu =
	INTEL_GPU("neo", "Intel(R) OpenCL Graphics");

const struct occ_driver occ_driver_intel_gpu_hd =
	INTEL_GPU("neo-hd", "Intel(R) OpenCL HD Graphics");
