/* SPDX-License-Identifier: MIT */
/* NVIDIA's driver. */
#include "cache/driver/driver.h"

/* cl_nv_compiler_options; its log is kept in the entry. */
static const struct occ_option_rule options[] = {
	{"-cl-nv-maxrregcount", OCC_OPTION_JOINED, OCC_OPTION_NAME},
	{"-cl-nv-opt-level", OCC_OPTION_JOINED, OCC_OPTION_NAME},
	{"-cl-nv-arch", OCC_OPTION_JOINED, OCC_OPTION_NAME},
	{"-cl-nv-cstd", OCC_OPTION_JOINED, OCC_OPTION_NAME},
	{NULL, OCC_OPTION_WHOLE, OCC_OPTION_SAFE},
};

static const struct occ_option_dialect dialect = {
	.number = 3,
	.reading = OCC_READ_QUOTES | OCC_READ_SINGLE_QUOTES,
	.odd_backslash = true,
	.options = options,
};

static const struct occ_variable variables[] = {
	{"CUDA_*", OCC_VARIABLE_KEY},
	{"NVCL_*", OCC_VARIABLE_KEY},
	{"NVVM*", OCC_VARIABLE_KEY},
	{"NV_*", OCC_VARIABLE_KEY},
	{"LIBNVVM_*", OCC_VARIABLE_KEY},
	{"__CUDA_*", OCC_VARIABLE_KEY},
	{"CAN_FINALIZE_DEBUG", OCC_VARIABLE_KEY},
	{"DISABLE_MERCURY_IMAGE_DCI", OCC_VARIABLE_KEY},
	{"FORCE_ENABLE_COOPERATIVE_LAUNCH_PATCH", OCC_VARIABLE_KEY},
	{"CUDA_DEVCODE_CACHE", OCC_VARIABLE_FILES},
	{"CUDA_DEVCODE_PATH", OCC_VARIABLE_FILES},
	{"DUMP_KNOBS_TO_FILE", OCC_VARIABLE_FILES},
	/* What NVIDIA's images say is in them, and a container has. */
	{"NV_VERSION", OCC_VARIABLE_HARMLESS},
	{"NV_*_VERSION", OCC_VARIABLE_HARMLESS},
	{"NV_PACKAGE*", OCC_VARIABLE_HARMLESS},
	{"NV_*_PACKAGE*", OCC_VARIABLE_HARMLESS},
	{"CUDA_VERSION", OCC_VARIABLE_HARMLESS},
	/* Where caches are, and how large. */
	{"HOME", OCC_VARIABLE_HARMLESS},
	{"CUDA_CACHE_DISABLE", OCC_VARIABLE_HARMLESS},
	{"CUDA_CACHE_MAXSIZE", OCC_VARIABLE_HARMLESS},
	{"CUDA_CACHE_PATH", OCC_VARIABLE_HARMLESS},
	/* Which devices there are. */
	{"CUDA_DEVICE_ORDER", OCC_VARIABLE_HARMLESS},
	{"CUDA_VISIBLE_DEVICES", OCC_VARIABLE_HARMLESS},
	/* Where nvcc is. */
	{"CUDA_BIN_PATH", OCC_VARIABLE_HARMLESS},
	{"CUDA_HOME", OCC_VARIABLE_HARMLESS},
	{"CUDA_PATH", OCC_VARIABLE_HARMLESS},
	{"CUDA_ROOT", OCC_VARIABLE_HARMLESS},
	/* Who debugs it; how it finds the kernel's module. */
	{"CUDBG_*", OCC_VARIABLE_HARMLESS},
	{"__RM_*", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

/*
 * Loaded by name. Machines with CUDA often have an empty directory in
 * LD_LIBRARY_PATH, which is the current one: then it isn't certain which.
 */
static const struct occ_component components[] = {
	{"libnvidia-opencl", "libnvidia-nvvm.so.4",
	 OCC_COMPONENT_NAMED_OR_BESIDE, true},
	{"libnvidia-opencl", "libnvidia-nvvm70.so.4",
	 OCC_COMPONENT_NAMED_OR_BESIDE, true},
	{"libnvidia-opencl", "libnvidia-compiler.so.*",
	 OCC_COMPONENT_NAMED_OR_BESIDE, true},
	{"libnvidia-opencl", "libnvidia-ptxjitcompiler.so.1",
	 OCC_COMPONENT_NAMED_OR_BESIDE, false},
	{"libnvidia-opencl", "libnvidia-gpucomp.so.*",
	 OCC_COMPONENT_NAMED_OR_BESIDE, false},
	{"libnvidia-opencl", "libcuda.so.1", OCC_COMPONENT_NAMED_OR_BESIDE,
	 false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	{NULL, NULL},
};

static const char *const headers[] = {"cl_kernel.h", "cl_kernel.h.pch", NULL};

static const struct occ_driver_cache cache = {
	.variable = "CUDA_CACHE_DISABLE",
	.when_on = "NVIDIA's own cache is on: it keeps the device code that "
		   "the driver makes from the PTX stored here",
	.when_off = "NVIDIA's own cache is off: each process compiles the PTX "
		    "in its binaries again",
};

const struct occ_driver occ_driver_nvidia = {
	.name = "nvidia",
	.platform_name = "NVIDIA CUDA",
	.device_types = OCC_DEVICE_GPU,
	.dialect = &dialect,
	.variables = variables,
	.components = components,
	.include_dirs = include_dirs,
	.headers = headers,
	.cache = &cache,
	.loads_ahead = true,
	.loads_in_turn = true,
	.fetch = OCC_FETCH_AFTER_BUILD,
	.notify = OCC_NOTIFY_CALLER,
	.released_program_valid = true,
	.binary_keeps_kernels = true,
	.objects_are_whole = true,
	.takes_code = true,
};
