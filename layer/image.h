/* SPDX-License-Identifier: MIT */
/*
 * An image: the binaries of a program as its driver gives them, one per
 * device. Constant once made; counted.
 */
#ifndef OCC_LAYER_IMAGE_H
#define OCC_LAYER_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <CL/cl.h>

#include "cache/entry.h"

struct occ_image {
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
struct occ_image *occ_image_fetch(cl_program program, cl_uint device_count,
				  const cl_device_id *devices);

/* An image of bytes that are copied. NULL when out of memory. */
struct occ_image *occ_image_copy(cl_uint device_count,
				 const cl_device_id *devices,
				 const struct occ_span *binaries);

struct occ_image *occ_image_retain(struct occ_image *image);
void occ_image_release(struct occ_image *image); /* NULL: nothing */

#endif
