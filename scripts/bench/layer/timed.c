/* SPDX-License-Identifier: MIT */
/*
 * A layer, to be had beneath another, that notes how long the driver took for
 * the last clCreateProgramWithSource. Of one thread.
 */
#define LAYER_NAME "timed"
#include "scripts/bench/layer/info.h"

#include "scripts/bench/common.h"

static cl_icd_dispatch ours;
static cl_api_clCreateProgramWithSource create_program_with_source;

/* For whoever asks for it by dlsym(). */
EXPORT double timed_create_us;

static double now_us(void)
{
	return (double)now_ns(CLOCK_MONOTONIC) / 1e3;
}

static cl_program CL_API_CALL timed_create(cl_context context, cl_uint count,
					   const char **strings,
					   const size_t *lengths,
					   cl_int *errcode_ret)
{
	double start = now_us();
	cl_program program = create_program_with_source(context, count, strings,
							lengths, errcode_ret);

	timed_create_us = now_us() - start;
	return program;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
				      const cl_icd_dispatch *target,
				      cl_uint *num_entries_ret,
				      const cl_icd_dispatch **layer_ret)
{
	const cl_uint all = sizeof(ours) / sizeof(void *);

	create_program_with_source = target->clCreateProgramWithSource;
	ours.clCreateProgramWithSource = timed_create;
	*num_entries_ret = num_entries < all ? num_entries : all;
	*layer_ret = &ours;
	return CL_SUCCESS;
}
