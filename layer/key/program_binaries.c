/* SPDX-License-Identifier: MIT */
#include "layer/key/program_binaries.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/dispatch.h"
#include "layer/driver/device.h"

static struct occ_binaries *new_binaries(cl_uint count,
					 const cl_device_id *devices)
{
	struct occ_binaries *binaries = calloc(1, sizeof(*binaries));

	if (!binaries)
		return NULL;
	binaries->references = 1;
	binaries->device_count = count;
	binaries->devices = malloc((count + (size_t)1) * sizeof(*devices));
	binaries->data = calloc(count + (size_t)1, sizeof(*binaries->data));
	binaries->sizes = calloc(count + (size_t)1, sizeof(*binaries->sizes));
	if (!binaries->devices || !binaries->data || !binaries->sizes) {
		occ_binaries_release(binaries);
		return NULL;
	}
	memcpy(binaries->devices, devices, count * sizeof(*devices));
	return binaries;
}

struct occ_binaries *occ_binaries_copy(cl_uint device_count,
				       const cl_device_id *devices,
				       const struct occ_span *spans)
{
	struct occ_binaries *binaries = new_binaries(device_count, devices);

	for (cl_uint i = 0; binaries && i < device_count; i++) {
		binaries->sizes[i] = spans[i].size;
		binaries->data[i] = malloc(spans[i].size);
		if (!binaries->data[i]) {
			occ_binaries_release(binaries);
			return NULL;
		}
		memcpy(binaries->data[i], spans[i].data, spans[i].size);
	}
	return binaries;
}

/*
 * Asks for the bytes. The arrays have the driver's order, and its count. Sizes
 * are asked for once: Oclgrind makes the binaries each time (doc/drivers.md).
 */
static bool fill(struct occ_binaries *binaries, cl_program program)
{
	cl_uint count = binaries->device_count;
	size_t expected = count * sizeof(*binaries->sizes), size = 0;

	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
					expected, binaries->sizes, &size) ||
	    size != expected)
		return false;
	for (cl_uint i = 0; i < count; i++) {
		/* PoCL copies to NULL, so every device must have one. */
		binaries->data[i] = malloc(binaries->sizes[i]);
		if (!binaries->sizes[i] || !binaries->data[i])
			return false;
	}
	return !occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					    count * sizeof(*binaries->data),
					    binaries->data, NULL);
}

struct occ_binaries *occ_binaries_fetch(cl_program program,
					cl_uint device_count,
					const cl_device_id *devices)
{
	cl_device_id *own = NULL;
	struct occ_binaries *binaries;

	if (!devices)
		devices = own =
			occ_device_list_of_program(program, &device_count);
	binaries = devices ? new_binaries(device_count, devices) : NULL;
	free(own);
	if (binaries && !fill(binaries, program)) {
		occ_binaries_release(binaries);
		binaries = NULL;
	}
	return binaries;
}

struct occ_binaries *occ_binaries_retain(struct occ_binaries *binaries)
{
	__atomic_add_fetch(&binaries->references, 1, __ATOMIC_RELAXED);
	return binaries;
}

void occ_binaries_release(struct occ_binaries *binaries)
{
	if (!binaries ||
	    __atomic_sub_fetch(&binaries->references, 1, __ATOMIC_ACQ_REL))
		return;
	for (cl_uint i = 0; binaries->data && i < binaries->device_count; i++)
		free(binaries->data[i]);
	free(binaries->data);
	free(binaries->sizes);
	free(binaries->devices);
	free(binaries);
}
