/* SPDX-License-Identifier: MIT */
#include "layer/base/dispatch.h"
#include "layer/hook/hooks.h"
#include "layer/key/environment.h"

cl_int CL_API_CALL occ_get_device_ids(cl_platform_id platform,
				      cl_device_type device_type,
				      cl_uint num_entries,
				      cl_device_id *devices,
				      cl_uint *num_devices)
{
	occ_environment_look();
	return occ_target.clGetDeviceIDs(platform, device_type, num_entries,
					 devices, num_devices);
}

cl_int CL_API_CALL occ_create_sub_devices(
	cl_device_id in_device, const cl_device_partition_property *properties,
	cl_uint num_devices, cl_device_id *out_devices,
	cl_uint *num_devices_ret)
{
	occ_environment_look();
	return occ_target.clCreateSubDevices(in_device, properties, num_devices,
					     out_devices, num_devices_ret);
}
