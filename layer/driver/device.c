/* SPDX-License-Identifier: MIT */
#include "layer/driver/device.h"

#include <stdlib.h>

#include "layer/base/dispatch.h"
#include "layer/base/settings.h"

/* The list of one or the other; `program` NULL: the context's. */
static cl_int ask(cl_program program, cl_context context, size_t capacity,
		  void *value, size_t *ret_size)
{
	if (program)
		return occ_target.clGetProgramInfo(program, CL_PROGRAM_DEVICES,
						   capacity, value, ret_size);
	return occ_target.clGetContextInfo(context, CL_CONTEXT_DEVICES,
					   capacity, value, ret_size);
}

static cl_device_id *list(cl_program program, cl_context context,
			  cl_uint *ret_count)
{
	cl_device_id *devices;
	size_t size = 0;

	if (ask(program, context, 0, NULL, &size) || !size)
		return NULL;
	devices = malloc(size);
	if (devices && ask(program, context, size, devices, NULL)) {
		free(devices);
		return NULL;
	}
	*ret_count = (cl_uint)(size / sizeof(*devices));
	return devices;
}

cl_device_id *occ_device_list_of_program(cl_program program, cl_uint *ret_count)
{
	return list(program, NULL, ret_count);
}

cl_device_id *occ_device_list_of_context(cl_context context, cl_uint *ret_count)
{
	return list(NULL, context, ret_count);
}

cl_device_id occ_device_root(cl_device_id device)
{
	cl_device_id parent = NULL;

	/* OpenCL 1.1 drivers answer CL_INVALID_VALUE. */
	while (!occ_target.clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE,
					   sizeof(parent), &parent, NULL) &&
	       parent)
		device = parent;
	return device;
}

bool occ_device_is_skipped(cl_device_id device)
{
	char name[1024];

	return occ_settings.skip &&
	       !occ_target.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name),
					   name, NULL) &&
	       occ_settings_skips_device(name);
}

bool occ_device_any_skipped(const cl_device_id *devices, cl_uint count)
{
	bool skipped = false;

	for (cl_uint i = 0; occ_settings.skip && i < count; i++)
		skipped |= occ_device_is_skipped(occ_device_root(devices[i]));
	return skipped;
}

char *occ_kernel_names(cl_program program, size_t *ret_size)
{
	char *names;

	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0,
					NULL, ret_size))
		return NULL;
	names = calloc(1, *ret_size + 1);
	if (names &&
	    occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
					*ret_size, names, NULL)) {
		free(names);
		names = NULL;
	}
	return names;
}

char *occ_kernel_name(cl_kernel kernel)
{
	size_t size = 0;
	char *name;

	if (occ_target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL,
				       &size))
		return NULL;
	name = calloc(1, size + 1);
	if (name && occ_target.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
					       size, name, NULL)) {
		free(name);
		name = NULL;
	}
	return name;
}
