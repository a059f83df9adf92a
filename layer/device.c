/* SPDX-License-Identifier: MIT */
#include "layer/device.h"

#include <stdlib.h>

#include "layer/config.h"
#include "layer/dispatch.h"

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

bool occ_device_is_skipped(cl_device_id device)
{
	char name[1024];

	return occ_config.skip &&
	       !occ_target.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name),
					   name, NULL) &&
	       occ_config_skips_device(name);
}
