/* SPDX-License-Identifier: MIT */
#include "cli/compile_variables.h"

#include <string.h>

/* Which of them were seen in a driver: doc/drivers.md, "Replayed". */
static const char *const known[] = {
	/* Compilers. */
	"CLANG_NO_DEFAULT_CONFIG",
	"LLVM_OVERRIDE_PRODUCER",
	/* PoCL. */
	"POCL_BINARY_SPECIALIZE_WG",
	"POCL_CPU_LOCAL_MEM_SIZE",
	"POCL_CPU_MAX_CU_COUNT",
	"POCL_ENABLE_UNINIT",
	"POCL_EXTRA_BUILD_FLAGS",
	"POCL_FORCE_PARALLEL_OUTER_LOOP",
	"POCL_FULL_REPLICATION_THRESHOLD",
	"POCL_LLVM_CPU_NAME",
	"POCL_MAX_PTHREAD_COUNT",
	"POCL_MAX_WORK_GROUP_SIZE",
	"POCL_MEMORY_LIMIT",
	"POCL_WILOOPS_MAX_UNROLL_COUNT",
	"POCL_WORK_GROUP_METHOD",
	"POCL_WORK_GROUP_SPECIALIZATION",
	/* Intel's CPU runtime. */
	"CL_CONFIG_CPU_EXPENSIVE_MEM_OPT",
	"CL_CONFIG_CPU_FORCE_GLOBAL_MEM_SIZE",
	"CL_CONFIG_CPU_FORCE_LOCAL_MEM_SIZE",
	"CL_CONFIG_CPU_FORCE_MAX_MEM_ALLOC_SIZE",
	"CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE",
	"CL_CONFIG_CPU_FORCE_PRIVATE_MEM_SIZE",
	"CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE",
	"CL_CONFIG_CPU_REQD_SUB_GROUP_SIZE",
	"CL_CONFIG_CPU_RT_LOOP_UNROLL_FACTOR",
	"CL_CONFIG_CPU_STREAMING_ALWAYS",
	"CL_CONFIG_CPU_SUB_GROUP_CONSTRUCTION",
	"CL_CONFIG_CPU_TARGET_ARCH",
	"CL_CONFIG_CPU_VECTORIZER_MODE",
	"CL_CONFIG_STACK_DEFAULT_SIZE",
	"CL_CONFIG_STACK_EXTRA_SIZE",
	"CL_CONFIG_USE_FAST_RELAXED_MATH",
	"CL_CONFIG_USE_VECTORIZER",
	"DISABLE_INFER_AS",
	"INTEL_ISA_DISABLE",
	"NO_OVERRIDE_CLANG_VERSION",
	"OPENCL_PROGRAM_COMPILE_OPTIONS",
	/* Intel's GPU driver. */
	"IGC_DisableLoopUnroll",
	"NEO_FP64_EMULATION",
	"ONEAPI_PVC_SEND_WAR_WA",
	"OverrideDefaultFP64Settings",
	"ZEX_NUMBER_OF_CCS",
	/* rusticl. */
	"LP_NATIVE_VECTOR_WIDTH",
	"RUSTICL_DEVICE_TYPE",
	"RUSTICL_FEATURES",
	/* Oclgrind. */
	"OCLGRIND_BUILD_OPTIONS",
	"OCLGRIND_COMPUTE_UNITS",
	"OCLGRIND_CONSTANT_MEM_SIZE",
	"OCLGRIND_DATA_RACES",
	"OCLGRIND_DISABLE_PCH",
	"OCLGRIND_GLOBAL_MEM_SIZE",
	"OCLGRIND_LOCAL_MEM_SIZE",
	"OCLGRIND_MAX_WGSIZE",
	"OCLGRIND_UNIFORM_WRITES",
	"OCLGRIND_UNINITIALIZED",
	/* NVIDIA. */
	"CUDA_DISABLE_JIT",
	"CUDA_DISABLE_PTX_JIT",
	"CUDA_FORCE_JIT",
	"CUDA_FORCE_PTX_JIT",
	/* AMD. */
	"AMD_OCL_BUILD_OPTIONS",
	"AMD_OCL_BUILD_OPTIONS_APPEND",
	"GPU_ENABLE_WAVE32_MODE",
	"GPU_MAX_WORKGROUP_SIZE",
};

bool occ_compile_variable_is_known(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == length &&
		    !memcmp(known[i], name, length))
			return true;
	return false;
}

const char *occ_compile_variable_refusal(const struct occ_driver *driver,
					 const char *variable)
{
	size_t length = strcspn(variable, "=");
	const char *value = variable + length + (variable[length] == '=');

	if (!occ_compile_variable_is_known(variable, length))
		return "a variable is not known to affect nothing but "
		       "compilation";
	if (strchr(value, '/') || strstr(value, ".so"))
		return "a variable may name files";
	if (occ_driver_variable(driver, variable, length) ==
		    OCC_VARIABLE_OPTIONS &&
	    occ_driver_unsafe_option(driver, value, &length))
		return "options in a variable may load, read or write files";
	return NULL;
}
