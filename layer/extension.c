/* SPDX-License-Identifier: MIT */
/*
 * Which function an application gets for a name: the driver's, one of our
 * hooks, or a stand-in (wrapper.h). Kernels are always the driver's own, so
 * functions that take kernels alone need nothing.
 */
#include "layer/extension.h"

#include <stdlib.h>
#include <string.h>

#include "layer/build.h"
#include "layer/control.h"
#include "layer/device.h"
#include "layer/dispatch.h"
#include "layer/hooks.h"
#include "layer/live.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/wrapper.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Platforms of which a function is out that may take programs and isn't known;
 * NULL stands for all of them.
 */
#define BLOCKED_MAX   32
static cl_platform_id blocked[BLOCKED_MAX];
static size_t blocked_count;

static cl_platform_id platform_of_context(cl_context context)
{
	cl_platform_id platform = NULL;
	cl_uint count;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices)
		occ_target.clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM,
					   sizeof(platform), &platform, NULL);
	free(devices);
	return platform;
}

/* Core functions that some drivers give out by name. */
static void *core_hook(const char *name)
{
	static const struct {
		const char *name;
		void (*hook)(void);
	} hooks[] = {
#define HOOK(function, hook) {#function, (void (*)(void))(hook)}
		HOOK(clCreateProgramWithSource, occ_create_program_with_source),
		HOOK(clRetainProgram, occ_retain_program),
		HOOK(clReleaseProgram, occ_release_program),
		HOOK(clSetProgramReleaseCallback,
		     occ_set_program_release_callback),
		HOOK(clBuildProgram, occ_build_program),
		HOOK(clCompileProgram, occ_compile_program),
		HOOK(clLinkProgram, occ_link_program),
		HOOK(clCreateKernel, occ_create_kernel),
		HOOK(clCreateKernelsInProgram, occ_create_kernels_in_program),
		HOOK(clCloneKernel, occ_clone_kernel),
		HOOK(clRetainKernel, occ_retain_kernel),
		HOOK(clReleaseKernel, occ_release_kernel),
		HOOK(clGetProgramInfo, occ_get_program_info),
		HOOK(clGetProgramBuildInfo, occ_get_program_build_info),
		HOOK(clGetKernelInfo, occ_get_kernel_info),
		HOOK(clGetKernelArgInfo, occ_get_kernel_arg_info),
		HOOK(clCreateContext, occ_create_context),
		HOOK(clCreateContextFromType, occ_create_context_from_type),
		HOOK(clRetainContext, occ_retain_context),
		HOOK(clReleaseContext, occ_release_context),
		HOOK(clGetContextInfo, occ_get_context_info),
		HOOK(clGetExtensionFunctionAddressForPlatform,
		     occ_get_extension_function_address_for_platform),
#undef HOOK
	};

	for (size_t i = 0; i < LENGTH(hooks); i++)
		if (!strcmp(hooks[i].name, name))
			return (void *)(uintptr_t)hooks[i].hook;
	return NULL;
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
	size_t i = 0;

	occ_log_debug("%s may take programs and isn't known: programs of its "
		      "platform are not cached from now on",
		      name);
	occ_lock();
	while (i < blocked_count && blocked[i] != platform)
		i++;
	/* The last place is for all that come when the others are taken. */
	if (i == BLOCKED_MAX - 1)
		platform = NULL;
	if (i < BLOCKED_MAX)
		blocked[i] = platform;
	if (i == blocked_count && i < BLOCKED_MAX)
		blocked_count++;
	occ_unlock();
	/* It may be called with programs that were served before. */
	occ_build_settle_all();
}

void *occ_extension_replace(cl_platform_id platform, const char *name,
			    void *function)
{
	void *replacement = NULL;

	if (!function || !name)
		return function;
	if (occ_wrapper_exists(name))
		replacement = occ_wrapper_of(name, function);
	else
		replacement = core_hook(name);
	if (replacement)
		return replacement;
	if (may_take_program(name))
		block(platform, name);
	if (strstr(name, "CommandBuffer") || !strncmp(name, "clCommand", 9))
		occ_live_expect_records();
	return function;
}

void *CL_API_CALL occ_get_extension_function_address(const char *func_name)
{
	void *ours = occ_control_function(func_name);

	if (ours)
		return ours;
	return occ_extension_replace(NULL, func_name,
				     occ_target.clGetExtensionFunctionAddress(
					     func_name));
}

void *CL_API_CALL occ_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *func_name)
{
	void *ours = occ_control_function(func_name);

	if (ours)
		return ours;
	return occ_extension_replace(
		platform, func_name,
		occ_target.clGetExtensionFunctionAddressForPlatform(platform,
								    func_name));
}

bool occ_extension_blocks(cl_context context)
{
	cl_platform_id platform;
	bool any, result = false;

	occ_lock();
	any = blocked_count > 0;
	occ_unlock();
	if (!any)
		return false;
	platform = platform_of_context(context);
	occ_lock();
	for (size_t i = 0; i < blocked_count; i++)
		result |= !blocked[i] || blocked[i] == platform;
	occ_unlock();
	return result;
}

void occ_extension_forget_all(void)
{
	blocked_count = 0;
	occ_wrapper_forget_all();
}
