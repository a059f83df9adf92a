/* SPDX-License-Identifier: MIT */
/*
 * Functions that applications fetch by name. Those that make programs must
 * come to us; they differ from platform to platform, so the driver's are kept
 * per platform.
 */
#include <stdlib.h>
#include <string.h>

#include <CL/cl_ext.h>

#include "layer/extension.h"

#include "layer/dispatch.h"
#include "layer/hooks.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/program.h"

#define PLATFORMS_MAX 32

struct platform {
	cl_platform_id handle; /* NULL: asked for without a platform */
	clCreateProgramWithILKHR_fn create_with_il;
	bool blocked; /* an unknown function with a program argument is out */
};

static struct platform platforms[PLATFORMS_MAX];
static size_t platform_count;

/* The platform's place, made when new; NULL when there are too many. */
static struct platform *place_of(cl_platform_id handle)
{
	for (size_t i = 0; i < platform_count; i++)
		if (platforms[i].handle == handle)
			return &platforms[i];
	if (platform_count == PLATFORMS_MAX)
		return NULL;
	platforms[platform_count] = (struct platform){.handle = handle};
	return &platforms[platform_count++];
}

static cl_platform_id platform_of_context(cl_context context)
{
	cl_platform_id platform = NULL;
	cl_device_id *devices;
	size_t size = 0;

	if (occ_target.clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL,
					&size) ||
	    !size)
		return NULL;
	devices = malloc(size);
	if (devices && !occ_target.clGetContextInfo(context, CL_CONTEXT_DEVICES,
						    size, devices, NULL))
		occ_target.clGetDeviceInfo(devices[0], CL_DEVICE_PLATFORM,
					   sizeof(platform), &platform, NULL);
	free(devices);
	return platform;
}

/*
 * The platform's own function. It was fetched for this platform, or without
 * naming one, or for another one: then that is what the application would
 * have called.
 */
static clCreateProgramWithILKHR_fn create_with_il(cl_platform_id platform)
{
	clCreateProgramWithILKHR_fn found = NULL;

	occ_lock();
	for (size_t i = 0; i < platform_count; i++)
		if (platforms[i].create_with_il &&
		    (!found || platforms[i].handle == platform))
			found = platforms[i].create_with_il;
	occ_unlock();
	return found;
}

static cl_program CL_API_CALL create_program_with_il_khr(cl_context context,
							 const void *il,
							 size_t length,
							 cl_int *errcode_ret)
{
	clCreateProgramWithILKHR_fn create =
		create_with_il(platform_of_context(context));
	cl_program program = create(context, il, length, errcode_ret);

	if (program)
		occ_program_add(program, context,
				occ_input_from_il(il, length));
	return program;
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
		HOOK(clCreateProgramWithIL, occ_create_program_with_il),
		HOOK(clRetainProgram, occ_retain_program),
		HOOK(clReleaseProgram, occ_release_program),
		HOOK(clSetProgramSpecializationConstant,
		     occ_set_program_specialization_constant),
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
		HOOK(clReleaseContext, occ_release_context),
		HOOK(clGetContextInfo, occ_get_context_info),
#undef HOOK
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (!strcmp(hooks[i].name, name))
			return (void *)(uintptr_t)hooks[i].hook;
	return NULL;
}

/* Could a function of this name take a program? */
static bool may_take_program(const char *name)
{
	static const char *const parts[] = {"Program", "GlobalVariable",
					    "HostPipe", "FunctionPointer"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static void block(cl_platform_id platform, const char *name)
{
	struct platform *place;

	occ_log_debug("%s may take programs and isn't known: programs of its "
		      "platform are not cached from now on",
		      name);
	occ_lock();
	place = place_of(platform);
	if (place)
		place->blocked = true;
	occ_unlock();
}

/* `function` is what the driver gave for `name`; returns what to give on. */
static void *replace(cl_platform_id platform, const char *name, void *function)
{
	struct platform *place;
	void *hook;

	if (!function || !name)
		return function;
	hook = core_hook(name);
	if (hook)
		return hook;
	if (strcmp(name, "clCreateProgramWithILKHR")) {
		if (may_take_program(name))
			block(platform, name);
		return function;
	}
	occ_lock();
	place = place_of(platform);
	if (place)
		memcpy(&place->create_with_il, &function, sizeof(function));
	occ_unlock();
	return place ? (void *)(uintptr_t)create_program_with_il_khr : function;
}

void *CL_API_CALL occ_get_extension_function_address(const char *func_name)
{
	return replace(NULL, func_name,
		       occ_target.clGetExtensionFunctionAddress(func_name));
}

void *CL_API_CALL occ_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *func_name)
{
	return replace(platform, func_name,
		       occ_target.clGetExtensionFunctionAddressForPlatform(
			       platform, func_name));
}

bool occ_extension_blocks(cl_context context)
{
	cl_platform_id platform = NULL;
	bool any = false, blocked = false;

	occ_lock();
	for (size_t i = 0; i < platform_count; i++)
		any |= platforms[i].blocked;
	occ_unlock();
	if (!any)
		return false;
	platform = platform_of_context(context);
	occ_lock();
	for (size_t i = 0; i < platform_count; i++)
		if (!platforms[i].handle || platforms[i].handle == platform)
			blocked |= platforms[i].blocked;
	occ_unlock();
	return blocked;
}

void occ_extension_forget_all(void)
{
	platform_count = 0;
}
