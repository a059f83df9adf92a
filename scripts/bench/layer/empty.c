/* SPDX-License-Identifier: MIT */
/*
 * A layer that intercepts nothing: what the loader itself takes for having one,
 * to compare with.
 */
#define LAYER_NAME "empty"
#include "scripts/bench/layer/info.h"

static cl_icd_dispatch nothing;

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
