/* SPDX-License-Identifier: MIT */
/*
 * The binaries of a program as its driver gives them, one per
 * device. Constant once made; counted.
 */
#ifndef OCC_LAYER_KEY_PROGRAM_BINARIES_H
#define OCC_LAYER_KEY_PROGRAM_BINARIES_H

#include <stdbool.h>
#include <stddef.h>

#include <CL/cl.h>

#include "cache/entry.h"

struct occ_binaries {
	unsigned references; /* atomic */
	cl_uint device_count;
	cl_device_id *devices;
	unsigned char **data; /* never NULL, never empty */
	size_t *sizes;
};

/*
 * Fetches a program's binaries. `devices` are those of CL_PROGRAM_DEVICES in
 * their order, or NULL: then they are asked for. NULL when the driver doesn't
 * have a binary for each of them.
 */
struct occ_binaries *occ_binaries_fetch(cl_program program,
					cl_uint device_count,
					const cl_device_id *devices);

/* Bytes that are copied. NULL when out of memory. */
struct occ_binaries *occ_binaries_copy(cl_uint device_count,
				       const cl_device_id *devices,
				       const struct occ_span *spans);

struct occ_binaries *occ_binaries_retain(struct occ_binaries *binaries);
void occ_binaries_release(struct occ_binaries *binaries); /* NULL: nothing */

#endif
