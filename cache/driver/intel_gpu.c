/* SPDX-License-Identifier: MIT */
/* Intel's driver for GPUs (NEO), under its name now and the former one. */
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
	{"IGC_*File*", OCC_VARIABLE_FILES},
	{"IGC_*Inject*", OCC_VARIABLE_FILES},
	{"IGC_*Options*", OCC_VARIABLE_FILES},
	{"IGC_*Path*", OCC_VARIABLE_FILES},
	{"IGC_LLVMCommandLine", OCC_VARIABLE_FILES},
	{"IGC_ShaderOverride*", OCC_VARIABLE_FILES},
	{"INTEL_*", OCC_VARIABLE_KEY},
	{"NEO_*", OCC_VARIABLE_KEY},
	{"NEOReadDebugKeys", OCC_VARIABLE_SWITCH},
	/* Later versions take each switch with NEO_ or NEO_OCL_ before it. */
	{"NEO_*NEOReadDebugKeys", OCC_VARIABLE_FILES},
	{"NEO_*Dump*", OCC_VARIABLE_FILES},
	{"NEO_*File*", OCC_VARIABLE_FILES},
	{"NEO_*Inject*", OCC_VARIABLE_FILES},
	{"NEO_*Options*", OCC_VARIABLE_FILES},
	{"NEO_*Path*", OCC_VARIABLE_FILES},
	/* Read whether the others are or not (release_variables_base.inl). */
	{"EnableLEO*", OCC_VARIABLE_FILES},
	{"NEO_*EnableLEO*", OCC_VARIABLE_FILES},
	{"ONEAPI_PVC_SEND_WAR_WA", OCC_VARIABLE_KEY},
	{"OverrideDefaultFP64Settings", OCC_VARIABLE_KEY},
	{"ZE_*", OCC_VARIABLE_KEY},
	{"ZES_*", OCC_VARIABLE_KEY},
	{"ZET_*", OCC_VARIABLE_KEY},
	{"ZEX_*", OCC_VARIABLE_KEY},
	/* Where its own cache is, in 22.43. */
	{"cl_cache_dir", OCC_VARIABLE_PLACE},
	/* Where a compiler for another language is. */
	{"CM_FE_DIR", OCC_VARIABLE_FILES},
	/* Where caches are, and how large. */
	{"NEO_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_MAX_SIZE", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_PERSISTENT", OCC_VARIABLE_HARMLESS},
	{"NEO_CACHE_STATS", OCC_VARIABLE_HARMLESS},
	{"*", OCC_VARIABLE_SWITCHED},
	{"*Dump*", OCC_VARIABLE_SWITCHED_FILES},
	{"*File*", OCC_VARIABLE_SWITCHED_FILES},
	{"*Inject*", OCC_VARIABLE_SWITCHED_FILES},
	{"*Options*", OCC_VARIABLE_SWITCHED_FILES},
	{"*Path*", OCC_VARIABLE_SWITCHED_FILES},
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

/*
 * The compiler is loaded for the first build, by the names of its libraries,
 * and with it what these need. Which of them depends on who built the driver.
 */
static const struct occ_component components[] = {
	{"libigdrcl", "libigdfcl.so.*", OCC_COMPONENT_NAMED, true},
	{"libigdrcl", "libigc.so.*", OCC_COMPONENT_NAMED, true},
	{"libigdrcl", "libopencl-clang.so*", OCC_COMPONENT_NAMED, false},
	{"libigdrcl", "libclang*.so*", OCC_COMPONENT_NAMED, false},
	{"libigdrcl", "libLLVM*.so*", OCC_COMPONENT_NAMED, false},
	{"libigdrcl", "libiga*.so*", OCC_COMPONENT_NAMED, false},
	/* The debugger: while it is active other code is made. */
	{"libigdrcl", "libigfxdbgxchg*.so*", OCC_COMPONENT_NAMED_REFUSED,
	 false},
	/* Switches, in the place of the environment's: now, and in 2022. */
	{NULL, "neo.config", OCC_COMPONENT_HERE, false},
	{NULL, "igdrcl.config", OCC_COMPONENT_HERE, false},
	/* The compiler's. */
	{NULL, "/tmp/IntelIGC/debugFlags/Options.txt", OCC_COMPONENT_REFUSED,
	 false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const char *const switches_files[] = {"neo.config", "igdrcl.config",
					     NULL};

static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	{NULL, NULL},
};

static const struct occ_driver_cache cache = {
	/* And not for "# include". */
	.marks_includes = "#include",
	.on_variable = "cl_cache_dir",
	.on_directory = "cl_cache",
	.overlooks_variables = "IGC_",
	.when_on = "Intel's GPU driver may have a cache of its own, which "
		   "shares its directory, maximum size and rules with this one",
};

/* Versions up to 2022: 22.43 was seen, with a device that it simulates. */
const struct occ_driver occ_driver_intel_gpu_hd = {
	.name = "neo-hd",
	.platform_name = "Intel(R) OpenCL HD Graphics",
	.dialect = &dialect,
	.variables = variables,
	.switches_files = switches_files,
	.components = components,
	.include_dirs = include_dirs,
	.source_name_varies = OCC_REASON_SOURCE_NAME_VARIES,
	.cache = &cache,
	.knows_program = true,
	.loads_ahead = true,
	.fetch = OCC_FETCH_AFTER_BUILD,
	.notify = OCC_NOTIFY_CALLER,
	.released_program_valid = true,
	.binary_keeps_kernels = true,
	.counts_kernels = true,
	.binary_specialized = true,
	.splices_blanks = true,
};

/* Later versions: 26.27 was seen, its cache and that it can be learnt. */
const struct occ_driver occ_driver_intel_gpu = {
	.name = "neo",
	.platform_name = "Intel(R) OpenCL Graphics",
	.learnt = true,
	.variables = variables,
	.components = components,
	.cache = &cache,
	.knows_program = true,
};
