/* SPDX-License-Identifier: MIT */
/*
 * The devices of programs and contexts, in the driver's order. The lists are
 * the caller's to free(); NULL when there is none to be had.
 */
#ifndef OCC_LAYER_DEVICE_H
#define OCC_LAYER_DEVICE_H

#include <stdbool.h>

#include <CL/cl.h>

/* CL_PROGRAM_DEVICES */
cl_device_id *occ_device_list_of_program(cl_program program,
					 cl_uint *ret_count);

/* CL_CONTEXT_DEVICES */
cl_device_id *occ_device_list_of_context(cl_context context,
					 cl_uint *ret_count);

/* Is it to be left alone (OCLCACHE_SKIP)? Any thread. */
bool occ_device_is_skipped(cl_device_id device);

#endif
