/* SPDX-License-Identifier: MIT */
/*
 * The devices of programs and contexts, in the driver's order. The lists are
 * the caller's to free(); NULL when there is none to be had.
 */
#ifndef OCC_LAYER_DRIVER_DEVICE_H
#define OCC_LAYER_DRIVER_DEVICE_H

#include <stdbool.h>

#include <CL/cl.h>

/* CL_PROGRAM_DEVICES */
cl_device_id *occ_device_list_of_program(cl_program program,
					 cl_uint *ret_count);

/* CL_CONTEXT_DEVICES */
cl_device_id *occ_device_list_of_context(cl_context context,
					 cl_uint *ret_count);

/* The device that a sub-device, of whatever depth, is part of; or itself. */
cl_device_id occ_device_root(cl_device_id device);

/* Is it to be left alone (OCLCACHE_SKIP)? Any thread. */
bool occ_device_is_skipped(cl_device_id device);

/* Is one of them, or the device that it is a part of? */
bool occ_device_any_skipped(const cl_device_id *devices, cl_uint count);

/*
 * CL_PROGRAM_KERNEL_NAMES, for the caller to free(), and its size as the driver
 * says it; NULL when not answered. There is a NUL behind it in any case. Not of
 * programs without kernels: NVIDIA's driver crashes (doc/drivers.md).
 */
char *occ_kernel_names(cl_program program, size_t *ret_size);

/* CL_KERNEL_FUNCTION_NAME, for the caller to free(); NULL when not answered. */
char *occ_kernel_name(cl_kernel kernel);

#endif
