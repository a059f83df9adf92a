/* SPDX-License-Identifier: MIT */
/* Mesa's drivers: rusticl, and Clover before it, which wasn't had. */
#include "cache/driver/driver.h"

static const struct occ_option_dialect dialect = {
	.number = 4,
	.reading = OCC_READ_QUOTES,
	.is_clang = true,
};

static const struct occ_variable variables[] = {
	{"CLC_*", OCC_VARIABLE_KEY},
	{"DRAW_*", OCC_VARIABLE_KEY},
	{"FD_MESA_*", OCC_VARIABLE_KEY},
	{"GALLIUM_*", OCC_VARIABLE_KEY},
	{"GALLIVM_*", OCC_VARIABLE_KEY},
	{"LLVMPIPE_*", OCC_VARIABLE_KEY},
	{"LP_*", OCC_VARIABLE_KEY},
	{"MESA_*", OCC_VARIABLE_KEY},
	{"NIR_*", OCC_VARIABLE_KEY},
	{"R600_*", OCC_VARIABLE_KEY},
	{"RUSTICL_*", OCC_VARIABLE_KEY},
	{"SPIRV_*", OCC_VARIABLE_KEY},
	{"TGSI_*", OCC_VARIABLE_KEY},
	{"VC_*", OCC_VARIABLE_KEY},
	{"ZINK_*", OCC_VARIABLE_KEY},
	/* Archives of what is compiled, for debugging, are written. */
	{"MDA_*", OCC_VARIABLE_FILES},
	/* SPIR-V that takes the place of what is translated, or is written. */
	{"MESA_SPIRV_DUMP_PATH", OCC_VARIABLE_FILES},
	{"MESA_SPIRV_READ_PATH", OCC_VARIABLE_FILES},
	{"MESA_SHADER_CACHE_DISABLE", OCC_VARIABLE_PLACE},
	/* Which devices there are, and what one says of its memory. */
	{"LIBGL_ALWAYS_SOFTWARE", OCC_VARIABLE_HARMLESS},
	{"RUSTICL_ENABLE", OCC_VARIABLE_HARMLESS},
	{"override_vram_size", OCC_VARIABLE_HARMLESS},
	/* How kernels are run. */
	{"LP_NUM_THREADS", OCC_VARIABLE_HARMLESS},
	{"RUST_MIN_STACK", OCC_VARIABLE_HARMLESS},
	/* What is printed. */
	{"MESA_DEBUG", OCC_VARIABLE_HARMLESS},
	{"MESA_LOG_FILE", OCC_VARIABLE_HARMLESS},
	{"RUST_BACKTRACE", OCC_VARIABLE_HARMLESS},
	/* Where caches are, and how large. */
	{"HOME", OCC_VARIABLE_HARMLESS},
	{"MESA_DISK_CACHE_*", OCC_VARIABLE_HARMLESS},
	{"MESA_GLSL_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"MESA_GLSL_CACHE_DISABLE", OCC_VARIABLE_HARMLESS},
	{"MESA_GLSL_CACHE_MAX_SIZE", OCC_VARIABLE_HARMLESS},
	{"MESA_SHADER_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"MESA_SHADER_CACHE_MAX_SIZE", OCC_VARIABLE_HARMLESS},
	{"MESA_SHADER_CACHE_SHOW_STATS", OCC_VARIABLE_HARMLESS},
	{"XDG_CACHE_HOME", OCC_VARIABLE_HARMLESS},
	/* For programs of OpenGL; in small letters, as in drirc files. */
	{"alias_*", OCC_VARIABLE_HARMLESS},
	{"allow_*", OCC_VARIABLE_HARMLESS},
	{"always_have_depth_buffer", OCC_VARIABLE_HARMLESS},
	{"disable_*", OCC_VARIABLE_HARMLESS},
	{"do_dce_before_clip_cull_analysis", OCC_VARIABLE_HARMLESS},
	{"force_*", OCC_VARIABLE_HARMLESS},
	{"glsl_*", OCC_VARIABLE_HARMLESS},
	{"glthread_*", OCC_VARIABLE_HARMLESS},
	{"glx_*", OCC_VARIABLE_HARMLESS},
	{"ignore_*", OCC_VARIABLE_HARMLESS},
	{"indirect_gl_extension_override", OCC_VARIABLE_HARMLESS},
	{"keep_native_window_glx_drawable", OCC_VARIABLE_HARMLESS},
	{"mesa_*", OCC_VARIABLE_HARMLESS},
	{"pp_*", OCC_VARIABLE_HARMLESS},
	{"transcode_*", OCC_VARIABLE_HARMLESS},
	{"vertex_program_default_out", OCC_VARIABLE_HARMLESS},
	{"vs_position_*", OCC_VARIABLE_HARMLESS},
	{"zero_invalidated_buffers", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	{"libclang-cpp", "clang/*/include/opencl-c*.h", OCC_COMPONENT_GROUP,
	 false},
	{"libclang-cpp", "../lib/clang/*/include/opencl-c*.h",
	 OCC_COMPONENT_GROUP, false},
	/* Where Clang has been told that they are when Mesa was built. */
	{"libRusticlOpenCL",
	 "/usr/lib*/llvm-*/lib*/clang/*/include/opencl-c*.h",
	 OCC_COMPONENT_GROUP, false},
	{"libRusticlOpenCL", "/usr/lib*/clang/*/include/opencl-c*.h",
	 OCC_COMPONENT_GROUP, false},
	{"libRusticlOpenCL", "/usr/lib/clc/spirv*-mesa3d-.spv",
	 OCC_COMPONENT_FILES, false},
	{"libRusticlOpenCL", "/usr/lib64/clc/spirv*-mesa3d-.spv",
	 OCC_COMPONENT_FILES, false},
	{"libRusticlOpenCL", "/usr/share/clc/spirv*-mesa3d-.spv",
	 OCC_COMPONENT_FILES, false},
	{"libRusticlOpenCL", "gallium-pipe/pipe_*.so", OCC_COMPONENT_OBJECTS,
	 false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	/* Where headers are said to be that clCompileProgram is given. */
	{"/tmp/openclon12", NULL},
	{"/usr/lib*/llvm-*/lib*/clang/*", "/include"},
	{"/usr/lib*/clang/*", "/include"},
	{"/usr/local/lib*/clang/*", "/include"},
	{NULL, NULL},
};

static const char *const headers[] = {"opencl-c-base.h", "opencl-c.h", NULL};

/* The directory of those that the call is given comes first. */
static const char *const headers_beside_given[] = {
	"opencl-c-base.h", "opencl-c.h", "/tmp/openclon12/opencl-c-base.h",
	"/tmp/openclon12/opencl-c.h", NULL};

static const struct occ_driver_cache cache = {
	.variable = "MESA_SHADER_CACHE_DISABLE",
	.overlooks_includes = true,
	.when_on = "Mesa's own cache is on: it keeps the device code, and "
		   "oclcache keeps what Clang makes",
	.when_off = "Mesa's own cache is off: only that cache keeps the device "
		    "code made at a kernel's first launch",
};

/* What all versions have in common. */
#define RUSTICL                                                                \
	.name = "rusticl", .platform_name = "rusticl", .dialect = &dialect,    \
	.variables = variables, .components = components,                      \
	.include_dirs = include_dirs, .headers = headers,                      \
	.headers_beside_given = headers_beside_given, .cache = &cache,         \
	.device_advice = "set RUSTICL_ENABLE to the name of a Mesa driver, "   \
			 "such as radeonsi, iris or llvmpipe",                 \
	.fetch = OCC_FETCH_AFTER_BUILD, .releases_at_exit = true,              \
	.released_program_valid = true, .counts_kernels = true,                \
	.counts_programs = true, .adds_kernel_names = true,                    \
	.live_again = true, .loads_ahead = true, .kernels_ahead = true,        \
	.refuses_storage = true, .splices_blanks = true

/* Where the call has a callback it returns before a thread has compiled. */
const struct occ_driver occ_driver_rusticl = {
	RUSTICL,
	.since = {25, 3},
	.notify = OCC_NOTIFY_OTHER,
	.holds_to_notify = true,
};

/* Kernels are translated when a binary is loaded: an object's can't be. */
const struct occ_driver occ_driver_rusticl_23 = {
	RUSTICL,
	.since = {23, 0},
	.notify = OCC_NOTIFY_CALLER,
};

const struct occ_driver occ_driver_rusticl_22 = {
	RUSTICL,
	.notify = OCC_NOTIFY_CALLER,
	.binary_keeps_kernels = true,
	.objects_are_whole = true,
	.refuses_by_count = true,
};

const struct occ_driver occ_driver_clover = {
	.name = "clover",
	.platform_name = "Clover",
	.learnt = true,
	.cache = &cache,
};
