/* SPDX-License-Identifier: MIT */
/*
 * What the application asks its devices: passed on, and noted, where builds are
 * recorded. Elsewhere it isn't in the table.
 */
#include <errno.h>

#include "layer/base/dispatch.h"
#include "layer/hook/hooks.h"
#include "layer/object/device_answers.h"

cl_int CL_API_CALL occ_get_device_info(cl_device_id device,
				       cl_device_info param_name,
				       size_t param_value_size,
				       void *param_value,
				       size_t *param_value_size_ret)
{
	size_t own = 0, *size = &own;
	int saved_errno;
	cl_int error;

	if (!param_value)
		return occ_target.clGetDeviceInfo(device, param_name,
						  param_value_size, param_value,
						  param_value_size_ret);
	if (param_value_size_ret)
		size = param_value_size_ret;
	error = occ_target.clGetDeviceInfo(device, param_name, param_value_size,
					   param_value, size);
	saved_errno = errno;
	/* No more than what it can have got. */
	if (!error && *size <= param_value_size)
		occ_device_answers_note(device, param_name, param_value, *size);
	errno = saved_errno;
	return error;
}
