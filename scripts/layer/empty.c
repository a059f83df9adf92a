/* SPDX-License-Identifier: MIT */
/*
 * A layer that intercepts nothing: what the loader itself takes for having one,
 * to compare with.
 */
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <stddef.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static cl_icd_dispatch nothing;

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size,
					 void *value, size_t *ret_size)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	const void *answer = name == CL_LAYER_API_VERSION
				     ? (const void *)&version
				     : (const void *)"empty";
	size_t needed = name == CL_LAYER_API_VERSION ? sizeof(version)
						     : sizeof("empty");

	if (value && size < needed)
		return CL_INVALID_VALUE;
	if (value)
		memcpy(value, answer, needed);
	if (ret_size)
		*ret_size = needed;
	return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
				      const cl_icd_dispatch *target,
				      cl_uint *num_entries_ret,
				      const cl_icd_dispatch **layer_ret)
{
	const cl_uint all = sizeof(nothing) / sizeof(void *);

	(void)target;
	*num_entries_ret = num_entries < all ? num_entries : all;
	*layer_ret = &nothing;
	return CL_SUCCESS;
}
