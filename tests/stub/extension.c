/* SPDX-License-Identifier: MIT */
/*
 * What is fetched by name. Each of the first two platforms has functions of
 * its own, which refuse objects of the other. Those that take a program want
 * one that this driver has built.
 */
#include "tests/stub/calls.h"
#include "tests/stub/dispatch.h"
#include "tests/stub/kernel.h"
#include "tests/stub/platform.h"
#include "tests/stub/queue.h"
#include "tests/stub/switches.h"

/* With the lock. */
static bool on_platform(cl_context context, int platform)
{
	int index = context->devices[0]->platform->index;

	return (index > 0) == (platform > 0);
}

/* With the lock: an application's program of the platform, built. */
static cl_int check_built(int platform, cl_program program)
{
	if (!stub_program_valid(program))
		return CL_INVALID_PROGRAM;
	if (!on_platform(program->context, platform))
		return CL_INVALID_PLATFORM;
	return stub_program_executable(program) ? CL_SUCCESS
						: CL_INVALID_PROGRAM_EXECUTABLE;
}

/* The function `name`_0 and _1 for the two platforms. */
#define FOR_BOTH(type, name, parameters, ...)                                  \
	static type CL_API_CALL name##_0 parameters                            \
	{                                                                      \
		return name(0, __VA_ARGS__);                                   \
	}                                                                      \
	static type CL_API_CALL name##_1 parameters                            \
	{                                                                      \
		return name(1, __VA_ARGS__);                                   \
	}

static cl_int frobnicate(int platform, cl_program program)
{
	cl_int code;

	stub_lock();
	code = check_built(platform, program);
	stub_unlock();
	return code;
}
FOR_BOTH(cl_int, frobnicate, (cl_program program), program)

/* With the lock: the variable's place in the build for the device. */
static cl_int find_variable(int platform, cl_program program,
			    cl_device_id device, const char *name,
			    struct stub_instance **ret_instance)
{
	cl_int code = check_built(platform, program);
	struct stub_build *build;

	if (code != CL_SUCCESS)
		return code;
	build = stub_program_build(program, device);
	if (!build || !build->instance)
		return CL_INVALID_DEVICE;
	*ret_instance = build->instance;
	if (!name || !stub_names_have(&build->instance->code->variables, name))
		return CL_INVALID_ARG_VALUE;
	return CL_SUCCESS;
}

static cl_int variable_pointer(int platform, cl_device_id device,
			       cl_program program, const char *name,
			       size_t *ret_size, void **ret_pointer)
{
	struct stub_instance *instance;
	cl_int code;

	stub_lock();
	code = find_variable(platform, program, device, name, &instance);
	if (code == CL_SUCCESS && !ret_pointer)
		code = CL_INVALID_ARG_VALUE;
	if (code == CL_SUCCESS) {
		*ret_pointer = instance->variables;
		if (ret_size)
			*ret_size = instance->code->variable_size;
	}
	stub_unlock();
	return code;
}
FOR_BOTH(cl_int, variable_pointer,
	 (cl_device_id device, cl_program program, const char *name,
	  size_t *ret_size, void **ret_pointer),
	 device, program, name, ret_size, ret_pointer)

static cl_int function_pointer(int platform, cl_device_id device,
			       cl_program program, const char *name,
			       cl_ulong *ret_pointer)
{
	struct stub_build *build;
	cl_int code;

	stub_lock();
	code = check_built(platform, program);
	build = code ? NULL : stub_program_build(program, device);
	if (code == CL_SUCCESS && (!build || !build->instance))
		code = CL_INVALID_DEVICE;
	if (code == CL_SUCCESS &&
	    (!name || !ret_pointer ||
	     !stub_names_have(&build->instance->code->defined, name)))
		code = CL_INVALID_ARG_VALUE;
	if (code == CL_SUCCESS)
		*ret_pointer = strlen(name);
	stub_unlock();
	return code;
}
FOR_BOTH(cl_int, function_pointer,
	 (cl_device_id device, cl_program program, const char *name,
	  cl_ulong *ret_pointer),
	 device, program, name, ret_pointer)

static cl_int check_queue(cl_command_queue queue, cl_uint count,
			  const cl_event *events)
{
	if (!stub_is(queue, STUB_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return stub_events_check(count, events);
}

struct transfer {
	const char *name;
	size_t size, offset;
	void *to;
	const void *from; /* NULL: read */
};

static cl_int transfer(int platform, cl_command_queue queue, cl_program program,
		       const struct transfer *what, cl_uint count,
		       const cl_event *events, cl_event *ret_event)
{
	struct stub_instance *instance = NULL;
	cl_int code;

	stub_lock();
	code = check_queue(queue, count, events);
	if (code == CL_SUCCESS)
		code = find_variable(platform, program, queue->device,
				     what->name, &instance);
	if (code == CL_SUCCESS &&
	    (what->offset > instance->code->variable_size ||
	     what->size > instance->code->variable_size - what->offset))
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS && what->from) {
		struct stub_digest digest = STUB_DIGEST_INIT;

		/* Kernels see it. */
		memcpy(instance->variables + what->offset, what->from,
		       what->size);
		stub_digest_add(&digest, what->from, what->size);
		instance->state = (uint32_t)digest.halves[0] | 1;
	} else if (code == CL_SUCCESS) {
		memcpy(what->to, instance->variables + what->offset,
		       what->size);
	}
	if (code == CL_SUCCESS)
		stub_event_make(queue, CL_COMMAND_USER, ret_event);
	stub_unlock();
	return code;
}

static cl_int read_variable(int platform, cl_command_queue queue,
			    cl_program program, const char *name, size_t size,
			    size_t offset, void *to, cl_uint count,
			    const cl_event *events, cl_event *ret_event)
{
	const struct transfer what = {name, size, offset, to, NULL};

	return transfer(platform, queue, program, &what, count, events,
			ret_event);
}
FOR_BOTH(cl_int, read_variable,
	 (cl_command_queue queue, cl_program program, const char *name,
	  cl_bool blocking, size_t size, size_t offset, void *to, cl_uint count,
	  const cl_event *events, cl_event *ret_event),
	 ((void)blocking, queue), program, name, size, offset, to, count,
	 events, ret_event)

static cl_int write_variable(int platform, cl_command_queue queue,
			     cl_program program, const char *name, size_t size,
			     size_t offset, const void *from, cl_uint count,
			     const cl_event *events, cl_event *ret_event)
{
	const struct transfer what = {name, size, offset, NULL, from};

	return transfer(platform, queue, program, &what, count, events,
			ret_event);
}
FOR_BOTH(cl_int, write_variable,
	 (cl_command_queue queue, cl_program program, const char *name,
	  cl_bool blocking, size_t size, size_t offset, const void *from,
	  cl_uint count, const cl_event *events, cl_event *ret_event),
	 ((void)blocking, queue), program, name, size, offset, from, count,
	 events, ret_event)

/* No program of the stub has pipes: its symbol is never found. */
static cl_int host_pipe(int platform, cl_command_queue queue,
			cl_program program, const char *symbol)
{
	cl_int code;

	stub_lock();
	code = check_queue(queue, 0, NULL);
	if (code == CL_SUCCESS)
		code = check_built(platform, program);
	if (code == CL_SUCCESS)
		code = symbol ? CL_INVALID_ARG_VALUE : CL_INVALID_VALUE;
	stub_unlock();
	return code;
}
FOR_BOTH(cl_int, host_pipe,
	 (cl_command_queue queue, cl_program program, const char *symbol,
	  cl_bool blocking, void *bytes, size_t size, cl_uint count,
	  const cl_event *events, cl_event *ret_event),
	 ((void)blocking, (void)bytes, (void)size, (void)count, (void)events,
	  (void)ret_event, queue),
	 program, symbol)

static cl_int profile_data(int platform, cl_device_id device,
			   cl_program program, size_t *ret_size,
			   cl_int *errcode_ret)
{
	cl_int code;

	stub_lock();
	code = check_built(platform, program);
	if (code == CL_SUCCESS && !stub_program_build(program, device))
		code = CL_INVALID_DEVICE;
	stub_unlock();
	if (ret_size)
		*ret_size = 0;
	if (errcode_ret)
		*errcode_ret = code;
	return code;
}
FOR_BOTH(cl_int, profile_data,
	 (cl_device_id device, cl_program program, cl_bool one, cl_bool two,
	  cl_bool three, size_t room, void *value, size_t *ret_size,
	  cl_int *errcode_ret),
	 ((void)one, (void)two, (void)three, (void)room, (void)value, device),
	 program, ret_size, errcode_ret)

/* cl_codeplay_program_snapshot: there is one stage. */
static cl_int snapshot_list(int platform, cl_program program,
			    cl_device_id device, const char **stages,
			    cl_uint *count)
{
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program) &&
	    on_platform(program->context, platform))
		code = stub_program_build(program, device) ? CL_SUCCESS
							   : CL_INVALID_DEVICE;
	stub_unlock();
	if (code == CL_SUCCESS && !stages && !count)
		code = CL_INVALID_ARG_VALUE;
	if (code == CL_SUCCESS && stages)
		stages[0] = "compiled";
	else if (code == CL_SUCCESS)
		*count = 1;
	return code;
}
FOR_BOTH(cl_int, snapshot_list,
	 (cl_program program, cl_device_id device, const char **stages,
	  cl_uint *count),
	 program, device, stages, count)

/* Asks for a call at each build by the driver, before the first one. */
static cl_int snapshot(int platform, cl_program program,
		       stub_snapshot_function notify, void *user_data)
{
	cl_int code = CL_INVALID_PROGRAM;

	stub_lock();
	if (stub_program_valid(program) &&
	    on_platform(program->context, platform)) {
		code = program->times_built ? CL_INVALID_PROGRAM_EXECUTABLE
					    : CL_SUCCESS;
		if (!notify)
			code = CL_INVALID_ARG_VALUE;
	}
	if (code == CL_SUCCESS) {
		program->snapshot = notify;
		program->snapshot_data = user_data;
	}
	stub_unlock();
	return code;
}
FOR_BOTH(cl_int, snapshot,
	 (cl_program program, cl_device_id device, const char *stage,
	  cl_uint format, stub_snapshot_function notify, void *user_data),
	 ((void)device, (void)stage, (void)format, program), notify, user_data)

static cl_program create_with_il(int platform, cl_context context,
				 const void *il, size_t length,
				 cl_int *errcode_ret)
{
	bool good;

	stub_lock();
	good = !stub_context_valid(context) || on_platform(context, platform);
	stub_unlock();
	if (good)
		return stub_create_program_with_il_khr(context, il, length,
						       errcode_ret);
	if (errcode_ret)
		*errcode_ret = CL_INVALID_PLATFORM;
	return NULL;
}
FOR_BOTH(cl_program, create_with_il,
	 (cl_context context, const void *il, size_t length,
	  cl_int *errcode_ret),
	 context, il, length, errcode_ret)

cl_int CL_API_CALL stub_get_suggested_local_size(
	cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *items, size_t *ret_local)
{
	cl_int code;

	(void)offset;
	stub_lock();
	code = check_queue(queue, 0, NULL);
	if (code == CL_SUCCESS && !stub_is(kernel, STUB_KERNEL))
		code = CL_INVALID_KERNEL;
	else if (code == CL_SUCCESS &&
		 !stub_kernel_instance(kernel, queue->device))
		code = CL_INVALID_PROGRAM_EXECUTABLE;
	else if (code == CL_SUCCESS && (dimensions < 1 || dimensions > 3))
		code = CL_INVALID_WORK_DIMENSION;
	else if (code == CL_SUCCESS && (!items || !ret_local))
		code = CL_INVALID_VALUE;
	for (cl_uint i = 0; !code && i < dimensions; i++)
		ret_local[i] = kernel->function->group[0]
				       ? kernel->function->group[i]
				       : 1;
	stub_unlock();
	return code;
}

static cl_program CL_API_CALL create_defined_built_in(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	cl_uint num_kernels, const cl_uint *ids, const char **names,
	const void **attributes, cl_int *device_support, cl_int *errcode_ret)
{
	struct stub_text list = {NULL, 0, 0};
	cl_program program;

	(void)ids;
	(void)attributes;
	for (cl_uint i = 0; names && i < num_kernels; i++)
		stub_text_print(&list, "%s%s", i ? ";" : "", names[i]);
	program = stub_create_program_with_built_in_kernels(
		context, num_devices, devices, stub_text_string(&list),
		errcode_ret);
	for (cl_uint i = 0; device_support && i < num_devices; i++)
		device_support[i] = program ? CL_SUCCESS : CL_INVALID_VALUE;
	stub_text_release(&list);
	return program;
}

typedef void (*function)(void);

static const struct {
	const char *name;
	function functions[2];
} by_name[] = {
#define BOTH(name, function_name)                                              \
	{                                                                      \
		name,                                                          \
		{                                                              \
			(function) function_name##_0,                          \
				(function)function_name##_1                    \
		}                                                              \
	}
#define ONE(name, function_name)                                               \
	{                                                                      \
		name,                                                          \
		{                                                              \
			(function) function_name, (function)function_name      \
		}                                                              \
	}
	BOTH("clFrobnicateProgramSTUB", frobnicate),
	BOTH("clGetDeviceGlobalVariablePointerINTEL", variable_pointer),
	BOTH("clGetDeviceFunctionPointerINTEL", function_pointer),
	BOTH("clEnqueueReadGlobalVariableINTEL", read_variable),
	BOTH("clEnqueueWriteGlobalVariableINTEL", write_variable),
	BOTH("clEnqueueReadHostPipeINTEL", host_pipe),
	BOTH("clEnqueueWriteHostPipeINTEL", host_pipe),
	BOTH("clGetProfileDataDeviceIntelFPGA", profile_data),
	BOTH("clRequestProgramSnapshotListCODEPLAY", snapshot_list),
	BOTH("clRequestProgramSnapshotCODEPLAY", snapshot),
	ONE("clCreateProgramWithAssemblyAMD", stub_create_program_with_source),
	ONE("clCreateProgramWithDefinedBuiltInKernelsEXP",
	    create_defined_built_in),
	ONE("clSetProgramSpecializationConstantKHR",
	    stub_set_program_specialization_constant),
	ONE("clSetProgramSpecializationConstantINTEL",
	    stub_set_program_specialization_constant),
	ONE("clGetKernelSuggestedLocalWorkSizeKHR",
	    stub_get_suggested_local_size),
	ONE("clGetKernelSuggestedLocalWorkSizeINTEL",
	    stub_get_suggested_local_size),
	ONE("clGetKernelSubGroupInfoKHR", stub_get_kernel_sub_group_info),
	BOTH("clCreateProgramWithILKHR", create_with_il),
#undef BOTH
#undef ONE
};

static void *find(int platform, const char *name)
{
	for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (strcmp(by_name[i].name, name))
			continue;
		if (stub.il == STUB_IL_NONE && strstr(name, "ILKHR"))
			return NULL;
		return (void *)(uintptr_t)by_name[i].functions[platform > 0];
	}
	return stub_dispatch_find(name);
}

void *CL_API_CALL stub_get_extension_function_address(const char *name)
{
	return name ? find(0, name) : NULL;
}

void *CL_API_CALL stub_get_extension_function_address_for_platform(
	cl_platform_id platform, const char *name)
{
	return platform && name ? find(platform->index, name) : NULL;
}
