/* SPDX-License-Identifier: MIT */
/* AMD's driver (ROCm), which wasn't to be had. Facts are from its sources. */
#include "cache/driver/driver.h"

static const char *const refused_options[] = {
	/* What is in the binary, and what it is made of. */
	"-fno-bin-", "-binary_is_spirv", NULL};

/* Each of the runtime's switches is a variable (rocclr/utils/flags.hpp). */
static const struct occ_variable variables[] = {
	{"AMD_*", OCC_VARIABLE_KEY},
	{"CL_KHR_FP64", OCC_VARIABLE_KEY},
	{"DEBUG_CLR_*", OCC_VARIABLE_KEY},
	{"DEBUG_GPU_*", OCC_VARIABLE_KEY},
	{"GPU_*", OCC_VARIABLE_KEY},
	{"HSA_*", OCC_VARIABLE_KEY},
	{"OCL_*", OCC_VARIABLE_KEY},
	{"OPENCL_USE_NC_MEMORY_POLICY", OCC_VARIABLE_KEY},
	{"OPENCL_VERSION", OCC_VARIABLE_KEY},
	{"PAL_*", OCC_VARIABLE_KEY},
	{"ROCCLR_*", OCC_VARIABLE_KEY},
	{"ROC_*", OCC_VARIABLE_KEY},
	{"AMD_OCL_BUILD_OPTIONS", OCC_VARIABLE_OPTIONS},
	{"AMD_OCL_BUILD_OPTIONS_APPEND", OCC_VARIABLE_OPTIONS},
	/* Binaries, sources and compilers that take the place of others. */
	{"AMD_OCL_SC_LIB", OCC_VARIABLE_FILES},
	{"AMD_OCL_SUBST_OBJFILE", OCC_VARIABLE_FILES},
	{"HSA_TOOLS_LIB", OCC_VARIABLE_FILES},
	{"OCL_STUB_PROGRAMS", OCC_VARIABLE_FILES},
	/* What the instruction set is like. */
	{"ROCCLR_ISA_CONFIG_FILE", OCC_VARIABLE_FILES},
	{"GPU_DUMP_*", OCC_VARIABLE_FILES},
	/* The compiler's own (amd/comgr/src/comgr-env.cpp). */
	{"AMD_COMGR_DRIVER_OPTIONS_APPEND", OCC_VARIABLE_FILES},
	{"AMD_COMGR_REDIRECT_LOGS", OCC_VARIABLE_FILES},
	{"AMD_COMGR_SAVE_*", OCC_VARIABLE_FILES},
	{"AMD_COMGR_TIME_STATISTICS*", OCC_VARIABLE_FILES},
	/* Where it looks for its libraries for devices, and for options. */
	{"CLANG_NO_DEFAULT_CONFIG", OCC_VARIABLE_KEY},
	{"HIP_DEVICE_LIB_PATH", OCC_VARIABLE_FILES},
	{"LLVM_PATH", OCC_VARIABLE_FILES},
	{"ROCM_PATH", OCC_VARIABLE_KEY},
	/* Where its cache is, and how large. */
	{"AMD_COMGR_CACHE", OCC_VARIABLE_HARMLESS},
	{"AMD_COMGR_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"AMD_COMGR_CACHE_POLICY", OCC_VARIABLE_HARMLESS},
	/* What is printed; which devices there are; the loader's. */
	{"AMD_LOG_*", OCC_VARIABLE_HARMLESS},
	{"GPU_DEVICE_ORDINAL", OCC_VARIABLE_HARMLESS},
	{"OCL_ICD_*", OCC_VARIABLE_HARMLESS},
	{"ROCR_VISIBLE_DEVICES", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

static const struct occ_component components[] = {
	/* Loaded for the first build, and with it what it may need. */
	{"libamdocl", "libamd_comgr*.so.*", OCC_COMPONENT_NAMED, true},
	{"libamdocl", "libLLVM*.so*", OCC_COMPONENT_NAMED, false},
	{"libamdocl", "libclang-cpp*.so*", OCC_COMPONENT_NAMED, false},
	{"libamdocl", "liblld*.so*", OCC_COMPONENT_NAMED, false},
	{"libamdocl", "libhsa-runtime64.so.*", OCC_COMPONENT_NAMED, false},
	{"libamdocl", "libamdhsail*.so*", OCC_COMPONENT_NAMED, false},
	/* More instruction sets (rocclr/device/isa_loader.cpp). */
	{"libamdocl", "../share/rocclr/isa_table_internal.json",
	 OCC_COMPONENT_FILES, false},
	{"libamdocl", "/opt/rocm/share/rocclr/isa_table_internal.json",
	 OCC_COMPONENT_FILES, false},
	/* Clang takes itself for /bin/clang, and reads options beside it. */
	{"libamdocl", "/bin/amdgcn-amd-amdhsa-clang.cfg", OCC_COMPONENT_FILES,
	 false},
	{"libamdocl", "/bin/amdgcn-amd-amdhsa.cfg", OCC_COMPONENT_FILES, false},
	{"libamdocl", "/bin/clang.cfg", OCC_COMPONENT_FILES, false},
	/*
	 * Libraries for devices in the current directory's lib/clang/<version>
	 * come before its own: of a directory nothing can be told.
	 */
	{NULL, "lib/clang", OCC_COMPONENT_HERE, false},
	{NULL, NULL, OCC_COMPONENT_OBJECTS, false},
};

static const struct occ_driver_cache cache = {
	.variable = "AMD_COMGR_CACHE",
	.off = "0",
	.place = "AMD_COMGR_CACHE_DIR",
	.when_on = "AMD's compiler may have a cache of its own, for "
		   "preprocessed programs",
	.when_off = "the cache of AMD's compiler is off: programs that are not "
		    "stored here are compiled again",
};

const struct occ_driver occ_driver_amd = {
	.name = "amd",
	.platform_name = "AMD Accelerated Parallel Processing",
	.learnt = true,
	.from_source = true,
	.refused_options = refused_options,
	.variables = variables,
	.components = components,
	.cache = &cache,
	/* Its profiles may give some programs more options. */
	.knows_program = true,
};
