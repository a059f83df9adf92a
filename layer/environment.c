/* SPDX-License-Identifier: MIT */
#include "layer/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/config.h"

/* doc/drivers.md says which driver each belongs to. */
static const char *const prefixes[] = {
	"AMD_COMGR_", "AMD_OCL_", "CLC_",      "CLVK_",	    "CL_CONFIG_",
	"CUDA_",      "FD_MESA_", "GALLIUM_",  "GALLIVM_",  "GPU_",
	"IGC_",	      "INTEL_",	  "LLVMPIPE_", "LP_",	    "MESA_",
	"NEO_",	      "NIR_",	  "NV_",       "OCLGRIND_", "OCL_",
	"POCL_",      "RUSTICL_", "SPIRV_",    "VC_",	    "VOLCANO_",
	"ZINK_",
};

/* Without effect on code; exact names. */
static const char *const ignored[] = {
	"AMD_COMGR_CACHE",
	"AMD_COMGR_CACHE_DIR",
	"AMD_COMGR_CACHE_POLICY",
	"CLVK_CACHE_DIR",
	"CLVK_LOG",
	"CUDA_BIN_PATH",
	"CUDA_CACHE_DISABLE",
	"CUDA_CACHE_MAXSIZE",
	"CUDA_CACHE_PATH",
	"CUDA_DEVICE_ORDER",
	"CUDA_HOME",
	"CUDA_PATH",
	"CUDA_ROOT",
	"CUDA_VERSION",
	"CUDA_VISIBLE_DEVICES",
	"GPU_DEVICE_ORDINAL",
	"LP_NUM_THREADS",
	"MESA_DEBUG",
	"MESA_DISK_CACHE_DATABASE",
	"MESA_DISK_CACHE_READ_ONLY_FOZ_DBS",
	"MESA_DISK_CACHE_SINGLE_FILE",
	"MESA_GLSL_CACHE_DIR",
	"MESA_GLSL_CACHE_DISABLE",
	"MESA_GLSL_CACHE_MAX_SIZE",
	"MESA_LOG_FILE",
	"MESA_SHADER_CACHE_DIR",
	"MESA_SHADER_CACHE_DISABLE",
	"MESA_SHADER_CACHE_MAX_SIZE",
	"MESA_SHADER_CACHE_SHOW_STATS",
	"NEO_CACHE_DIR",
	"NEO_CACHE_MAX_SIZE",
	"NEO_CACHE_PERSISTENT",
	"NEO_CACHE_STATS",
	"OCLGRIND_LOG",
	"OCLGRIND_MAX_ERRORS",
	"OCLGRIND_NUM_THREADS",
	"OCLGRIND_QUICK",
	"OCL_ICD_ASSUME_ICD_EXTENSION",
	"OCL_ICD_DEBUG",
	"OCL_ICD_DEFAULT_PLATFORM",
	"OCL_ICD_ENABLE_TRACE",
	"OCL_ICD_FILENAMES",
	"OCL_ICD_FORCE_LEGACY_TERMINATION",
	"OCL_ICD_DISABLE_DYNAMIC_LIBRARY_UNLOADING",
	"OCL_ICD_PLATFORM_SORT",
	"OCL_ICD_VENDORS",
	"POCL_CACHE_DIR",
	"POCL_DEBUG",
	"POCL_DEBUG_LLVM_PASSES",
	"POCL_DEVICES",
	"POCL_KERNEL_CACHE",
	"POCL_LEAVE_KERNEL_COMPILER_TEMP_FILES",
	"POCL_TRACING",
	"POCL_TRACING_FILTER",
	"POCL_TRACING_OPT",
	"RUSTICL_ENABLE",
};

/*
 * Read by drivers at builds, although nobody may have set them at
 * initialisation. From Intel's documents and the strings in the drivers.
 */
static const char *const known[] = {
	"CLC_DEBUG",
	"CL_CONFIG_CHANNEL_DEPTH_EMULATION_MODE",
	"CL_CONFIG_CPU_EXPENSIVE_MEM_OPT",
	"CL_CONFIG_CPU_FORCE_GLOBAL_MEM_SIZE",
	"CL_CONFIG_CPU_FORCE_LOCAL_MEM_SIZE",
	"CL_CONFIG_CPU_FORCE_MAX_MEM_ALLOC_SIZE",
	"CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE",
	"CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE",
	"CL_CONFIG_CPU_O0_VECTORIZATION",
	"CL_CONFIG_CPU_REQD_SUB_GROUP_SIZE",
	"CL_CONFIG_CPU_RT_LOOP_UNROLL_FACTOR",
	"CL_CONFIG_CPU_STREAMING_ALWAYS",
	"CL_CONFIG_CPU_SUB_GROUP_CONSTRUCTION",
	"CL_CONFIG_CPU_TARGET_ARCH",
	"CL_CONFIG_CPU_VECTORIZER_MODE",
	"CL_CONFIG_DUMP_ASM",
	"CL_CONFIG_DUMP_BIN",
	"CL_CONFIG_DUMP_DISASSEMBLY",
	"CL_CONFIG_DUMP_FILE_NAME_PREFIX",
	"CL_CONFIG_DUMP_IR_AFTER_OPTIMIZER",
	"CL_CONFIG_DUMP_IR_BEFORE_OPTIMIZER",
	"CL_CONFIG_FORCE_PROFILE_LIB_PATH",
	"CL_CONFIG_LLVM_OPTIONS",
	"CL_CONFIG_LTO_PM",
	"CL_CONFIG_REPLACE_IR_AFTER_OPTIMIZER",
	"CL_CONFIG_REPLACE_IR_BEFORE_OPTIMIZER",
	"CL_CONFIG_STACK_DEFAULT_SIZE",
	"CL_CONFIG_STACK_EXTRA_SIZE",
	"CL_CONFIG_USE_FAST_RELAXED_MATH",
	"CL_CONFIG_USE_TRAPPING",
	"CL_CONFIG_USE_VECTORIZER",
	"CL_CONFIG_USE_VTUNE",
	"IGC_EnableOCLOptimizations",
	"NEOReadDebugKeys",
	"OCLGRIND_BUILD_OPTIONS",
	"OCLGRIND_DISABLE_PCH",
	"OCLGRIND_DUMP_SPIR",
	"OCLGRIND_PCH_DIR",
	"POCL_BINARY_SPECIALIZE_WG",
	"POCL_BITCODE_FINALIZER",
	"POCL_BUILDING",
	"POCL_EXTRA_BUILD_FLAGS",
	"POCL_FORCE_PARALLEL_OUTER_LOOP",
	"POCL_FULL_REPLICATION_THRESHOLD",
	"POCL_IGNORE_CL_STD",
	"POCL_KERNELLIB_NAME",
	"POCL_LLVM_CPU_NAME",
	"POCL_MAX_WORK_GROUP_SIZE",
	"POCL_VECTORIZER_REMARKS",
	"POCL_WILOOPS_MAX_UNROLL_COUNT",
	"POCL_WORK_GROUP_METHOD",
	"POCL_WORK_GROUP_SPECIALIZATION",
};

/*
 * These make the compiler read or write files, which a hit wouldn't; a prefix
 * of names. While one is set nothing is cached.
 */
static const char *const file_prefixes[] = {
	"CL_CONFIG_DUMP_",	  "CL_CONFIG_FORCE_PROFILE_LIB_PATH",
	"CL_CONFIG_LLVM_OPTIONS", "CL_CONFIG_REPLACE_IR_",
	"OCLGRIND_DUMP_SPIR",	  "OCLGRIND_PCH_DIR",
	"POCL_BITCODE_FINALIZER", "POCL_BUILDING",
	"POCL_KERNELLIB_NAME",	  "POCL_PATH_",
};

static struct {
	char **names; /* sorted, each once */
	size_t count;
	uint64_t beginnings; /* a bit for each that a name may have */
	struct occ_buffer variables;
	bool names_files;
} environment = {.variables = OCC_BUFFER_INIT};

static bool listed(const char *name, size_t length, const char *const *list,
		   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == length && !memcmp(list[i], name, length))
			return true;
	return false;
}

/* What NVIDIA's container images say of the packages in them. */
static bool names_package(const char *name, size_t length)
{
	static const char version[] = "_VERSION";
	size_t size = sizeof(version) - 1;

	return length > size && !memcmp(name, "NV_", 3) &&
	       (!memcmp(name + length - size, version, size) ||
		memmem(name, length, "_PACKAGE", strlen("_PACKAGE")));
}

static bool matters(const char *name, size_t length)
{
	if (names_package(name, length))
		return false;
	if (listed(name, length, ignored, sizeof(ignored) / sizeof(*ignored)))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (length >= strlen(prefixes[i]) &&
		    !memcmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Of a name, or a variable: tells most of them from those that matter. */
static uint64_t beginning_of(const char *name)
{
	unsigned first = (unsigned char)name[0];
	unsigned second = first ? (unsigned char)name[1] : '\0';

	if (second == '=')
		second = '\0';
	return UINT64_C(1) << ((first * 5 + second) % 64);
}

static bool add_name(const char *name, size_t length)
{
	char **names;

	for (size_t i = 0; i < environment.count; i++)
		if (strlen(environment.names[i]) == length &&
		    !memcmp(environment.names[i], name, length))
			return true;
	names = realloc(environment.names,
			(environment.count + 1) * sizeof(*names));
	if (!names)
		return false;
	environment.names = names;
	names[environment.count] = strndup(name, length);
	if (!names[environment.count])
		return false;
	environment.beginnings |= beginning_of(names[environment.count]);
	environment.count++;
	return true;
}

/* OCLCACHE_HASH_ENV: names between colons. */
static bool add_names_of_user(void)
{
	const char *name = occ_config.hash_environment;

	while (name && *name) {
		size_t length = strcspn(name, ":");

		if (length && !add_name(name, length))
			return false;
		name += length;
		name += *name == ':';
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The place of a name among those that matter, or their count. */
static size_t place_of(const char *name, size_t length)
{
	size_t low = 0, high = environment.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *candidate = environment.names[middle];
		int order = strncmp(candidate, name, length);

		if (!order && !candidate[length])
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return environment.count;
}

/* In one pass: getenv() for each name would take longer than all of a key. */
static void find_values(const char **values)
{
	for (char **variable = environ; variable && *variable; variable++) {
		size_t length, place;

		if (!(environment.beginnings & beginning_of(*variable)))
			continue;
		length = strcspn(*variable, "=");
		if (!(*variable)[length])
			continue;
		place = place_of(*variable, length);
		/* Of two by one name the first counts. */
		if (place < environment.count && !values[place])
			values[place] = *variable + length + 1;
	}
}

static void collect(struct occ_buffer *variables)
{
	const char **values =
		calloc(environment.count + (size_t)1, sizeof(*values));

	if (!values) {
		variables->failed = true;
		return;
	}
	find_values(values);
	for (size_t i = 0; i < environment.count; i++) {
		const char *name = environment.names[i];

		if (!values[i])
			continue;
		occ_buffer_append(variables, name, strlen(name));
		occ_buffer_append(variables, "=", 1);
		occ_buffer_append(variables, values[i], strlen(values[i]) + 1);
	}
	free(values);
}

/* With it Intel's driver for GPUs reads a file of switches, and more names. */
static bool reads_debug_keys(void)
{
	const char *value = getenv("NEOReadDebugKeys");

	return value && strcmp(value, "0") != 0;
}

static bool names_files(void)
{
	if (reads_debug_keys())
		return true;
	for (size_t i = 0; i < environment.count; i++)
		for (size_t p = 0;
		     p < sizeof(file_prefixes) / sizeof(*file_prefixes); p++)
			if (!strncmp(environment.names[i], file_prefixes[p],
				     strlen(file_prefixes[p])) &&
			    getenv(environment.names[i]))
				return true;
	return false;
}

bool occ_environment_init(void)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!add_name(known[i], strlen(known[i])))
			return false;
	for (char **variable = environ; variable && *variable; variable++) {
		size_t length = strcspn(*variable, "=");

		if (matters(*variable, length) && !add_name(*variable, length))
			return false;
	}
	if (!add_names_of_user())
		return false;
	qsort(environment.names, environment.count, sizeof(char *), by_name);
	collect(&environment.variables);
	environment.names_files = names_files();
	return !environment.variables.failed;
}

bool occ_environment_names_files(void)
{
	return environment.names_files;
}

void occ_environment_release(void)
{
	for (size_t i = 0; i < environment.count; i++)
		free(environment.names[i]);
	free(environment.names);
	environment.names = NULL;
	environment.count = 0;
	environment.beginnings = 0;
	occ_buffer_release(&environment.variables);
}

bool occ_environment_stable(const struct occ_buffer **ret_variables)
{
	const struct occ_buffer *then = &environment.variables;
	struct occ_buffer now = OCC_BUFFER_INIT;
	bool same;

	collect(&now);
	same = !now.failed && now.size == then->size &&
	       !(now.size && memcmp(now.data, then->data, now.size));
	occ_buffer_release(&now);
	*ret_variables = then;
	return same;
}
