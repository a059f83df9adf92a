/* SPDX-License-Identifier: MIT */
/* Intel's CPU runtime. */
#include "cache/driver/driver.h"

static const struct occ_option_rule options[] = {
	/* -auto-prefetch-level=2 ... */
	{"-auto-prefetch-level=", OCC_OPTION_PREFIX, OCC_OPTION_SAFE},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

static const struct occ_option_dialect dialect = {
	.number = 2,
	.reading = OCC_READ_QUOTES | OCC_READ_ESCAPES,
	.options = options,
};

static const struct occ_variable variables[] = {
	{"CL_CONFIG_*", OCC_VARIABLE_KEY},
	{"DISABLE_INFER_AS", OCC_VARIABLE_KEY},
	{"ICX_S2O", OCC_VARIABLE_KEY},
	{"INTEL_ISA_DISABLE", OCC_VARIABLE_KEY},
	{"NO_OVERRIDE_CLANG_VERSION", OCC_VARIABLE_KEY},
	{"VOLCANO_*", OCC_VARIABLE_KEY},
	{"OPENCL_PROGRAM_COMPILE_OPTIONS", OCC_VARIABLE_OPTIONS},
	{"CL_CONFIG_DUMP_*", OCC_VARIABLE_FILES},
	{"CL_CONFIG_FORCE_PROFILE_LIB_PATH", OCC_VARIABLE_FILES},
	{"CL_CONFIG_LLVM_OPTIONS", OCC_VARIABLE_FILES},
	{"CL_CONFIG_REPLACE_IR_*", OCC_VARIABLE_FILES},
	{"ICX_PLO_FOLDER", OCC_VARIABLE_FILES},
	{"LLVM_IGNORED_ENV_VAR", OCC_VARIABLE_FILES},
	{"OCLBACKEND_PLUGINS", OCC_VARIABLE_FILES},
	/* How kernels are run. */
	{"CL_CONFIG_CPU_TBB_NUM_WORKERS", OCC_VARIABLE_HARMLESS},
	{"CL_CONFIG_ENABLE_PARALLEL_COPY", OCC_VARIABLE_HARMLESS},
	{"DPCPP_CPU_*", OCC_VARIABLE_HARMLESS},
	{"SYCL_CPU_*", OCC_VARIABLE_HARMLESS},
	{"TBB_*", OCC_VARIABLE_HARMLESS},
	/* What is printed. */
	{"CL_CONFIG_LOG_FILE", OCC_VARIABLE_HARMLESS},
	{"CL_CONFIG_USER_LOGGER", OCC_VARIABLE_HARMLESS},
	{"CL_DISABLE_STACK_TRACE", OCC_VARIABLE_HARMLESS},
	{"LIBUNWIND_PRINT_*", OCC_VARIABLE_HARMLESS},
	/* Who watches what is done. */
	{"CL_ITT_CONFIG_*", OCC_VARIABLE_HARMLESS},
	{"INTEL_ITTNOTIFY_GROUPS", OCC_VARIABLE_HARMLESS},
	{"INTEL_JIT_*", OCC_VARIABLE_HARMLESS},
	{"INTEL_LIBITTNOTIFY64", OCC_VARIABLE_HARMLESS},
	{"KMP_FOR_TCHECK", OCC_VARIABLE_HARMLESS},
	{"KMP_FOR_TPROFILE", OCC_VARIABLE_HARMLESS},
	/* What the machine looks like: the key has it. */
	{"HWLOC_*", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	{"libintelocl", "clbltfn*.rtl", OCC_COMPONENT_FILES, true},
	{"libintelocl", "../clbltfn*.rtl", OCC_COMPONENT_FILES, false},
	{"libintelocl", "cllibrary*", OCC_COMPONENT_FILES, false},
	{"libintelocl", "libocl_svml_*.so", OCC_COMPONENT_OBJECTS, false},
	{"libintelocl", "__ocl_svml_*.so", OCC_COMPONENT_OBJECTS, false},
	{"libintelocl", "cl.cfg", OCC_COMPONENT_FILES, false},
	/* Older ones are several libraries, which load others by name. */
	{"libtask_executor", "libOclCpuBackEnd.so.*", OCC_COMPONENT_OBJECTS,
	 false},
	{"libtask_executor", "libclang_compiler.so.*", OCC_COMPONENT_OBJECTS,
	 false},
	{"libtask_executor", "libcommon_clang.so*", OCC_COMPONENT_OBJECTS,
	 false},
	{"libtask_executor", "libcpu_device.so.*", OCC_COMPONENT_OBJECTS,
	 false},
	{NULL, "cl.cfg", OCC_COMPONENT_HERE, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	{NULL, NULL},
};

const struct occ_driver occ_driver_intel_cpu = {
	.name = "intel",
	.platform_name = "Intel(R) OpenCL",
	.device_types = OCC_DEVICE_CPU,
	.dialect = &dialect,
	.variables = variables,
	.components = components,
	.include_dirs = include_dirs,
	.source_name_varies = OCC_REASON_SOURCE_NAME_VARIES,
	.searches_whole_path = true,
	.fetch = OCC_FETCH_AFTER_BUILD,
	.notify = OCC_NOTIFY_CALLER,
	.releases_at_exit = true,
	.binary_specialized = true,
	.live_again = true,
	.loads_ahead = true,
	.kernels_ahead = true,
	.reports_storage = true,
	.refuses_storage = true,
	.splices_blanks = true,
};
