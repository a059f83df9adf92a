/* SPDX-License-Identifier: MIT */
/* PoCL, of which CPU devices were had. */
#include "cache/driver/driver.h"

/* Of targets, as clang has it in the names of programs. */
#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#elif defined(__i386__)
#define MACHINE "i686"
#elif defined(__powerpc64__)
#define MACHINE "powerpc64le"
#elif defined(__riscv)
#define MACHINE "riscv64"
#elif defined(__arm__)
#define MACHINE "arm"
#else
#define MACHINE "unknown"
#endif

static const struct occ_option_dialect dialect = {
	.number = 1,
	.reading = OCC_READ_QUOTES | OCC_READ_QUOTES_BLANK,
};

static const struct occ_variable variables[] = {
	{"POCL_*", OCC_VARIABLE_KEY},
	{"POCL_EXTRA_BUILD_FLAGS", OCC_VARIABLE_OPTIONS},
	/* Arguments of programs that it starts. */
	{"POCL_ARGS_*", OCC_VARIABLE_FILES},
	{"POCL_BITCODE_FINALIZER", OCC_VARIABLE_FILES},
	{"POCL_BUILDING", OCC_VARIABLE_FILES},
	{"POCL_KERNELLIB_NAME", OCC_VARIABLE_FILES},
	{"POCL_PATH_*", OCC_VARIABLE_FILES},
	/*
	 * Devices of other machines: their drivers, with files and variables
	 * that nobody sees here, compile there.
	 */
	{"POCL_DISCOVERY", OCC_VARIABLE_FILES},
	{"POCL_REMOTE*", OCC_VARIABLE_FILES},
	{"HOME", OCC_VARIABLE_PLACE},
	{"POCL_CACHE_DIR", OCC_VARIABLE_PLACE},
	{"POCL_KERNEL_CACHE", OCC_VARIABLE_PLACE},
	{"XDG_CACHE_HOME", OCC_VARIABLE_PLACE},
	/* What is printed. */
	{"POCL_DEBUG", OCC_VARIABLE_HARMLESS},
	{"POCL_DEBUG_LLVM_PASSES", OCC_VARIABLE_HARMLESS},
	{"POCL_TRACING", OCC_VARIABLE_HARMLESS},
	{"POCL_TRACING_FILTER", OCC_VARIABLE_HARMLESS},
	{"POCL_TRACING_OPT", OCC_VARIABLE_HARMLESS},
	/* Which devices there are; what stays in its cache. */
	{"POCL_DEVICES", OCC_VARIABLE_HARMLESS},
	{"POCL_LEAVE_KERNEL_COMPILER_TEMP_FILES", OCC_VARIABLE_HARMLESS},
	/* What the machine looks like: the key has it. */
	{"HWLOC_*", OCC_VARIABLE_HARMLESS},
	/* Where it compiles for Intel's GPUs. */
	{"IGC_*", OCC_VARIABLE_KEY},
	/* ld's, and how it is found. */
	{"COMPILER_PATH", OCC_VARIABLE_FILES},
	{"ELF_PACKAGE_METADATA", OCC_VARIABLE_KEY},
	{"GNUTARGET", OCC_VARIABLE_KEY},
	{"LDEMULATION", OCC_VARIABLE_KEY},
	{"LD_RUN_PATH", OCC_VARIABLE_KEY},
	{"LD_STATS", OCC_VARIABLE_FILES},
	{"NO_PKG_METADATA", OCC_VARIABLE_KEY},
	{"PATH", OCC_VARIABLE_PROGRAMS},
	/* What ld prints; searched behind the system's directories. */
	{"COLLECT_NO_DEMANGLE", OCC_VARIABLE_HARMLESS},
	{"LIBCTF_DEBUG", OCC_VARIABLE_HARMLESS},
	{"LIBRARY_PATH", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	{"libpocl", "pocl/libpocl-devices-*.so", OCC_COMPONENT_OBJECTS, false},
	{"libpocl", "../../share/pocl/kernel-*.bc", OCC_COMPONENT_FILES, true},
	{"libpocl", "../share/pocl/kernel-*.bc", OCC_COMPONENT_FILES, true},
	{"libpocl", "../../share/pocl/include/*.h", OCC_COMPONENT_GROUP, false},
	{"libpocl", "../share/pocl/include/*.h", OCC_COMPONENT_GROUP, false},
	/*
	 * It links each work-group function. Clang looks for the ld of its
	 * target first, and for both beside itself and gcc before PATH.
	 */
	{NULL, "ld", OCC_COMPONENT_PROGRAM, false},
	{NULL, MACHINE "-pc-linux-gnu-ld", OCC_COMPONENT_PROGRAM, false},
	{NULL, MACHINE "-unknown-linux-gnu-ld", OCC_COMPONENT_PROGRAM, false},
	{"libpocl", "/usr/lib/llvm-*/bin/ld", OCC_COMPONENT_OBJECTS, false},
	{"libpocl", "/usr/lib/llvm-*/bin/*-ld", OCC_COMPONENT_OBJECTS, false},
	{"libpocl", "/usr/*-linux-gnu*/bin/ld", OCC_COMPONENT_OBJECTS, false},
	{"libpocl", "/usr/*-linux-gnu*/bin/*-ld", OCC_COMPONENT_OBJECTS, false},
	{"libc.so", "libbfd-*.so", OCC_COMPONENT_OBJECTS, false},
	{"libpocl", "/usr/lib/gcc/*/*/libgcc.a", OCC_COMPONENT_FILES, false},
	/* Since 7.1 it links with the C library, and clang reads options. */
	{"libpocl", "/usr/lib/gcc/*/*/libgcc_s.so", OCC_COMPONENT_FILES, false},
	{"libpocl", "/usr/lib/*-linux-gnu*/libc.so", OCC_COMPONENT_FILES,
	 false},
	{"libpocl", "/usr/lib/*-linux-gnu*/libc_nonshared.a",
	 OCC_COMPONENT_FILES, false},
	{"libpocl", "/usr/lib/llvm-*/bin/*.cfg", OCC_COMPONENT_FILES, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

/* (lib/CL/pocl_cache.c) */
static const struct occ_source_dir source_dirs[] = {
	{"POCL_CACHE_DIR", false, {""}},
	{"XDG_CACHE_HOME", true, {"/pocl/kcache", "/pocl/uncached"}},
	{"HOME", false, {"/.cache/pocl/kcache", "/.cache/pocl/uncached"}},
	{NULL, false, {"/tmp/pocl/kcache", "/tmp/pocl/uncached"}},
	{NULL, false, {NULL}},
};

static const struct occ_driver_cache cache = {
	.variable = "POCL_KERNEL_CACHE",
	.off = "0",
	.place = "POCL_CACHE_DIR",
	.is_needed = true,
	.when_on = "PoCL's own cache is on, as it must be",
	.when_off = "PoCL's own cache is off, so oclcache can't cache anything "
		    "on PoCL, either",
};

/*
 * It compiles a work-group function per work-group size at the first launch,
 * and a generic one for every kernel when asked for binaries.
 */
const struct occ_driver occ_driver_pocl = {
	.name = "pocl",
	.platform_name = "Portable Computing Language",
	.device_types = OCC_DEVICE_CPU,
	.dialect = &dialect,
	.variables = variables,
	.components = components,
	.source_dirs = source_dirs,
	.cache = &cache,
	.fetch = OCC_FETCH_AT_RELEASE,
	.expensive = true,
	.fetches_at_exit = true,
	.notify = OCC_NOTIFY_CALLER,
	.releases_at_exit = true,
	.released_program_valid = true,
	.binary_loses_multiple = true,
	.objects_are_whole = true,
	.counts_kernels = true,
	.counts_programs = true,
	.binary_specialized = true,
	.live_again = true,
	.loads_ahead = true,
	.refuses_storage = true,
	.tells_no_options = true,
	.splices_blanks = true,
};
