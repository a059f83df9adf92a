/* SPDX-License-Identifier: MIT */
/*
 * Which function an application gets for a name: the driver's, one of our
 * hooks, or a stand-in (wrapper.h). Kernels are always the driver's own, so
 * functions that take kernels alone need nothing.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cache/memory.h"
#include "layer/base/dispatch.h"
#include "layer/base/log.h"
#include "layer/driver/blocked_platforms.h"
#include "layer/hook/hooks.h"
#include "layer/hook/wrapper.h"
#include "layer/key/key_memo.h"
#include "layer/object/program_pool.h"
#include "layer/serve/load_ahead.h"
#include "layer/serve/sync_driver.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static cl_int CL_API_CALL set_capacity(size_t capacity)
{
	int saved_errno = errno;

	occ_memory_set_capacity(capacity);
	occ_pool_shrink(occ_memory_capacity());
	occ_key_memo_fit();
	if (occ_load_ahead_size() > occ_memory_capacity() / 2)
		occ_load_ahead_end();
	errno = saved_errno;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL get_capacity(size_t *capacity)
{
	uint64_t bytes = occ_memory_capacity();

	if (!capacity)
		return CL_INVALID_VALUE;
	*capacity = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL clear_memory(void)
{
	int saved_errno = errno;

	occ_load_ahead_end();
	occ_memory_clear();
	occ_pool_shrink(0);
	occ_key_memo_clear();
	errno = saved_errno;
	return CL_SUCCESS;
}

struct named {
	const char *name;
	void (*function)(void);
};

static void *find_named(const struct named *list, size_t count,
			const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i].name, name))
			return (void *)(uintptr_t)list[i].function;
	return NULL;
}

/* The function of that name in layer/oclcache.h; NULL: it isn't there. */
static void *control_function(const char *name)
{
	static const struct named functions[] = {
		{"oclcacheSetMemoryCapacity", (void (*)(void))set_capacity},
		{"oclcacheGetMemoryCapacity", (void (*)(void))get_capacity},
		{"oclcacheClearMemory", (void (*)(void))clear_memory},
	};

	if (!name || strncmp(name, "oclcache", strlen("oclcache")) != 0)
		return NULL;
	return find_named(functions, LENGTH(functions), name);
}

/* Core functions that some drivers give out by name. */
static void *core_hook(const char *name)
{
	static const struct named hooks[] = {
#define NAMED(function, hook) {#function, (void (*)(void))(hook)},
#define OTHER(function, hook)
		OCC_HOOKS(NAMED, OTHER)
#undef NAMED
#undef OTHER
	};

	return find_named(hooks, LENGTH(hooks), name);
}

/* Names that look as if they took programs that the layer made, but don't. */
static bool is_harmless(const char *name)
{
	static const char *const names[] = {
		/* They make programs, which are the driver's alone. */
		"clCreateProgramWithAssemblyAMD",
		"clCreateProgramWithBinary",
		"clCreateProgramWithBinaryAndProgramDeviceIntelFPGA",
		"clCreateProgramWithBuiltInKernels",
		"clCreateProgramWithDefinedBuiltInKernels",
		"clCreateProgramWithDefinedBuiltInKernelsEXP",
		/* A pipe is a cl_mem. */
		"clMapHostPipeIntelFPGA",
		"clUnmapHostPipeIntelFPGA",
	};

	for (size_t i = 0; i < LENGTH(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Could a function of this name take a program? */
static bool may_take_program(const char *name)
{
	static const char *const parts[] = {"Program", "GlobalVariable",
					    "HostPipe", "FunctionPointer",
					    "ProfileData"};

	for (size_t i = 0; i < LENGTH(parts); i++)
		if (strstr(name, parts[i]))
			return !is_harmless(name);
	return false;
}

static void block(cl_platform_id platform, const char *name)
{
	occ_log_debug("%s is an unknown function that may take programs; from "
		      "now on, programs of its platform are not cached",
		      name);
	occ_blocked_platforms_add(platform);
	/* It may be called with programs that were served before. */
	occ_sync_all_drivers();
}

/*
 * What the application gets when `function` is what the driver gave for
 * `name`; `platform` is NULL when it was asked for without naming one. NULL
 * and what isn't known come back as they are.
 */
static void *replace(cl_platform_id platform, const char *name, void *function)
{
	void *replacement = NULL;

	if (!function || !name)
		return function;
	if (occ_wrapper_exists(name))
		replacement = occ_wrapper_of(name, function, replace);
	else
		replacement = core_hook(name);
	if (replacement)
		return replacement;
	if (may_take_program(name))
		block(platform, name);
	if (strstr(name, "CommandBuffer") || !strncmp(name, "clCommand", 9))
		occ_pool_note_recording();
	return function;
}

void *CL_API_CALL occ_get_extension_function_address(const char *func_name)
{
	void *ours = control_function(func_name);

	if (ours)
		return ours;
	return replace(NULL, func_name,
		       occ_target.clGetExtensionFunctionAddress(func_name));
}

void *CL_API_CALL occ_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *func_name)
{
	void *ours = control_function(func_name);

	if (ours)
		return ours;
	return replace(platform, func_name,
		       occ_target.clGetExtensionFunctionAddressForPlatform(
			       platform, func_name));
}
