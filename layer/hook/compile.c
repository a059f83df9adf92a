/* SPDX-License-Identifier: MIT */
#include "layer/hook/build.h"
#include "layer/hook/hooks.h"
#include "layer/hook/notify.h"
#include "layer/key/build_key.h"

/*
 * Header programs are passed as the application's handles: the driver takes
 * their source.
 */
cl_int CL_API_CALL occ_compile_program(cl_program program, cl_uint num_devices,
				       const cl_device_id *device_list,
				       const char *options,
				       cl_uint num_input_headers,
				       const cl_program *input_headers,
				       const char **header_include_names,
				       occ_notify pfn_notify, void *user_data)
{
	struct occ_arguments arguments = {
		.operation = OCC_COMPILE,
		.program = program,
		.device_count = num_devices,
		.devices = device_list,
		.options = options,
		.other_count = num_input_headers,
		.others = input_headers,
		.names = header_include_names,
		.notify = pfn_notify,
		.user_data = user_data,
	};

	return occ_build_perform(&arguments);
}
