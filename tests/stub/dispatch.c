/* SPDX-License-Identifier: MIT */
#include "tests/stub/dispatch.h"

#include <CL/cl_icd.h>

#include "tests/stub/calls.h"
#include "tests/stub/object.h"
#include "tests/stub/slots.h"
#include "tests/stub/switches.h"

#define ICD2_TAG ((intptr_t)0x4F50454E434C3331)

typedef void (*slot)(void);

struct table {
	cl_icd_dispatch core;
	slot suggested_size; /* OpenCL 3.1 */
};

/* clang-format off */
static const cl_icd_dispatch calls = {
	.clGetPlatformIDs = stub_get_platform_ids,
	.clGetPlatformInfo = stub_get_platform_info,
	.clGetDeviceIDs = stub_get_device_ids,
	.clGetDeviceInfo = stub_get_device_info,
	.clCreateContext = stub_create_context,
	.clCreateContextFromType = stub_create_context_from_type,
	.clRetainContext = stub_retain_context,
	.clReleaseContext = stub_release_context,
	.clGetContextInfo = stub_get_context_info,
	.clCreateCommandQueue = stub_create_command_queue,
	.clRetainCommandQueue = stub_retain_command_queue,
	.clReleaseCommandQueue = stub_release_command_queue,
	.clGetCommandQueueInfo = stub_get_command_queue_info,
	.clCreateBuffer = stub_create_buffer,
	.clCreateImage2D = stub_create_image_2d,
	.clCreateImage3D = stub_create_image_3d,
	.clRetainMemObject = stub_retain_mem_object,
	.clReleaseMemObject = stub_release_mem_object,
	.clGetMemObjectInfo = stub_get_mem_object_info,
	.clCreateSampler = stub_create_sampler,
	.clCreateProgramWithSource = stub_create_program_with_source,
	.clCreateProgramWithBinary = stub_create_program_with_binary,
	.clRetainProgram = stub_retain_program,
	.clReleaseProgram = stub_release_program,
	.clBuildProgram = stub_build_program,
	.clUnloadCompiler = stub_unload_compiler,
	.clGetProgramInfo = stub_get_program_info,
	.clGetProgramBuildInfo = stub_get_program_build_info,
	.clCreateKernel = stub_create_kernel,
	.clCreateKernelsInProgram = stub_create_kernels_in_program,
	.clRetainKernel = stub_retain_kernel,
	.clReleaseKernel = stub_release_kernel,
	.clSetKernelArg = stub_set_kernel_arg,
	.clGetKernelInfo = stub_get_kernel_info,
	.clGetKernelWorkGroupInfo = stub_get_kernel_work_group_info,
	.clWaitForEvents = stub_wait_for_events,
	.clGetEventInfo = stub_get_event_info,
	.clRetainEvent = stub_retain_event,
	.clReleaseEvent = stub_release_event,
	.clGetEventProfilingInfo = stub_get_event_profiling_info,
	.clFlush = stub_flush,
	.clFinish = stub_finish,
	.clEnqueueReadBuffer = stub_enqueue_read_buffer,
	.clEnqueueWriteBuffer = stub_enqueue_write_buffer,
	.clEnqueueCopyBuffer = stub_enqueue_copy_buffer,
	.clEnqueueMapBuffer = stub_enqueue_map_buffer,
	.clEnqueueMapImage = stub_enqueue_map_image,
	.clEnqueueUnmapMemObject = stub_enqueue_unmap_mem_object,
	.clEnqueueNDRangeKernel = stub_enqueue_nd_range_kernel,
	.clEnqueueTask = stub_enqueue_task,
	.clEnqueueMarker = stub_enqueue_marker,
	.clEnqueueWaitForEvents = stub_enqueue_wait_for_events,
	.clEnqueueBarrier = stub_enqueue_barrier,
	.clGetExtensionFunctionAddress = stub_get_extension_function_address,
	.clSetEventCallback = stub_set_event_callback,
	.clCreateSubBuffer = stub_create_sub_buffer,
	.clCreateUserEvent = stub_create_user_event,
	.clCreateSubDevices = stub_create_sub_devices,
	.clRetainDevice = stub_retain_device,
	.clReleaseDevice = stub_release_device,
	.clCreateImage = stub_create_image,
	.clCreateProgramWithBuiltInKernels =
		stub_create_program_with_built_in_kernels,
	.clCompileProgram = stub_compile_program,
	.clLinkProgram = stub_link_program,
	.clUnloadPlatformCompiler = stub_unload_platform_compiler,
	.clGetKernelArgInfo = stub_get_kernel_arg_info,
	.clEnqueueFillBuffer = stub_enqueue_fill_buffer,
	.clEnqueueMarkerWithWaitList = stub_enqueue_marker_with_wait_list,
	.clEnqueueBarrierWithWaitList = stub_enqueue_barrier_with_wait_list,
	.clGetExtensionFunctionAddressForPlatform =
		stub_get_extension_function_address_for_platform,
	.clCreateCommandQueueWithProperties =
		stub_create_command_queue_with_properties,
	.clCreatePipe = stub_create_pipe,
	.clSVMAlloc = stub_svm_alloc,
	.clSVMFree = stub_svm_free,
	.clCreateSamplerWithProperties = stub_create_sampler_with_properties,
	.clSetKernelArgSVMPointer = stub_set_kernel_arg_svm_pointer,
	.clSetKernelExecInfo = stub_set_kernel_exec_info,
	.clGetKernelSubGroupInfoKHR = stub_get_kernel_sub_group_info,
	.clCloneKernel = stub_clone_kernel,
	.clCreateProgramWithIL = stub_create_program_with_il,
	.clGetKernelSubGroupInfo = stub_get_kernel_sub_group_info,
	.clSetDefaultDeviceCommandQueue = stub_set_default_device_command_queue,
	.clSetProgramReleaseCallback = stub_set_program_release_callback,
	.clSetProgramSpecializationConstant =
		stub_set_program_specialization_constant,
	.clCreateBufferWithProperties = stub_create_buffer_with_properties,
	.clCreateImageWithProperties = stub_create_image_with_properties,
	.clSetContextDestructorCallback = stub_set_context_destructor_callback,
};
/* clang-format on */

#define BEHIND(name, since)                                                    \
	static void behind_##name(void)                                        \
	{                                                                      \
		stub_die("the table of OpenCL %d.%d has no " #name,            \
			 stub.version / 10, stub.version % 10);                \
	}
STUB_SLOTS(BEHIND)

static const struct {
	const char *name;
	int since;
	slot behind;
} slots[] = {
#define SLOT(name, since) {#name, since, behind_##name},
	STUB_SLOTS(SLOT)
#undef SLOT
};

#define SLOT_COUNT (sizeof(slots) / sizeof(slots[0]))

_Static_assert(sizeof(struct table) == SLOT_COUNT * sizeof(slot),
	       "slots.h lists the table");

/* What the name has, whatever the version. */
static slot call_of(size_t i)
{
	const struct table all = {calls, (slot)(void (*)(void))
						 stub_get_suggested_local_size};
	slot found;

	memcpy(&found, (const char *)&all + i * sizeof(slot), sizeof(found));
	if (found)
		return found;
	/* These return handles. */
	return strncmp(slots[i].name, "clCreate", 8)
		       ? (slot)(void (*)(void))stub_unsupported
		       : (slot)(void (*)(void))stub_unsupported_object;
}

const void *stub_dispatch_table(void)
{
	/* In the library itself, as all drivers have theirs. */
	static slot table[SLOT_COUNT];
	static bool done;
	const intptr_t tag = ICD2_TAG;

	if (done)
		return table;
	done = true;
	for (size_t i = 0; i < SLOT_COUNT; i++) {
		bool none = slots[i].since > stub.version || stub.icd2 == 2;

		table[i] = none ? slots[i].behind : call_of(i);
		if (stub.icd2 && (!strcmp(slots[i].name, "clGetPlatformIDs") ||
				  !strcmp(slots[i].name, "clUnloadCompiler")))
			memcpy(&table[i], &tag, sizeof(tag));
	}
	return table;
}

void *stub_dispatch_find(const char *name)
{
	for (size_t i = 0; i < SLOT_COUNT; i++)
		if (!strcmp(slots[i].name, name) &&
		    slots[i].since <= stub.version)
			return (void *)(uintptr_t)call_of(i);
	return NULL;
}
