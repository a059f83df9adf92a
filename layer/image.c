/* SPDX-License-Identifier: MIT */
#include "layer/image.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device.h"
#include "layer/dispatch.h"

static struct occ_image *new_image(cl_uint count, const cl_device_id *devices)
{
	struct occ_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->references = 1;
	image->device_count = count;
	image->devices = malloc((count + (size_t)1) * sizeof(*devices));
	image->data = calloc(count + (size_t)1, sizeof(*image->data));
	image->sizes = calloc(count + (size_t)1, sizeof(*image->sizes));
	if (!image->devices || !image->data || !image->sizes) {
		occ_image_release(image);
		return NULL;
	}
	memcpy(image->devices, devices, count * sizeof(*devices));
	return image;
}

struct occ_image *occ_image_copy(cl_uint device_count,
				 const cl_device_id *devices,
				 const struct occ_span *binaries)
{
	struct occ_image *image = new_image(device_count, devices);

	for (cl_uint i = 0; image && i < device_count; i++) {
		image->sizes[i] = binaries[i].size;
		image->data[i] = malloc(binaries[i].size);
		if (!image->data[i]) {
			occ_image_release(image);
			return NULL;
		}
		memcpy(image->data[i], binaries[i].data, binaries[i].size);
	}
	return image;
}

/*
 * Asks for the bytes. The arrays have the driver's order, and its count. Sizes
 * are asked for once: Oclgrind makes the binaries each time (doc/drivers.md).
 */
static bool fill(struct occ_image *image, cl_program program)
{
	cl_uint count = image->device_count;
	size_t expected = count * sizeof(*image->sizes), size = 0;

	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
					expected, image->sizes, &size) ||
	    size != expected)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		/* PoCL copies to NULL, so every device must have one. */
		image->data[i] = malloc(image->sizes[i]);
		if (!image->sizes[i] || !image->data[i])
			return false;
	}
	return !occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					    count * sizeof(*image->data),
					    image->data, NULL);
}

struct occ_image *occ_image_fetch(cl_program program, cl_uint device_count,
				  const cl_device_id *devices)
{
	cl_device_id *own = NULL;
	struct occ_image *image;

	if (!devices)
		devices = own =
			occ_device_list_of_program(program, &device_count);
	image = devices ? new_image(device_count, devices) : NULL;
	free(own);
	if (image && !fill(image, program)) {
		occ_image_release(image);
		image = NULL;
	}
	return image;
}

struct occ_image *occ_image_retain(struct occ_image *image)
{
	__atomic_add_fetch(&image->references, 1, __ATOMIC_RELAXED);
	return image;
}

void occ_image_release(struct occ_image *image)
{
	if (!image ||
	    __atomic_sub_fetch(&image->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (cl_uint i = 0; image->data && i < image->device_count; i++)
		free(image->data[i]);
	free(image->data);
	free(image->sizes);
	free(image->devices);
	free(image);
}
