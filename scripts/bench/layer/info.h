/* SPDX-License-Identifier: MIT */
/*
 * What every layer of benchmarks and tests says of itself. LAYER_NAME is to be
 * defined before: whose it is.
 */
#ifndef SCRIPTS_LAYER_INFO_H
#define SCRIPTS_LAYER_INFO_H

#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
					 void *value, size_t *ret_size)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *answer = name == CL_LAYER_API_VERSION
				     ? (const void *)&version
				     : (const void *)LAYER_NAME;
	size_t needed = name == CL_LAYER_API_VERSION ? sizeof(version)
						     : sizeof(LAYER_NAME);

	if (value && size < needed)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, answer, needed);
	if (ret_size)
		*ret_size = needed;
	return CL_SUCCESS;
}

/* Newer loaders of the Khronos Group take no layer without these. */
cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
					     const cl_icd_dispatch *target,
					     cl_uint *num_entries_ret,
					     const cl_icd_dispatch **layer_ret,
					     const void *properties);
cl_int CL_API_CALL clDeinitLayer(void);

EXPORT cl_int CL_API_CALL clInitLayerWithProperties(
	cl_uint num_entries, const cl_icd_dispatch *target,
	cl_uint *num_entries_ret, const cl_icd_dispatch **layer_ret,
	const void *properties)
{
	(void)properties;
	return clInitLayer(num_entries, target, num_entries_ret, layer_ret);
}

EXPORT cl_int CL_API_CALL clDeinitLayer(void)
{
	return CL_SUCCESS;
}

#endif
