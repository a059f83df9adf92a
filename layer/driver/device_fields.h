/* SPDX-License-Identifier: MIT */
/*
 * What a device and its platform say of themselves, and what the process has,
 * as fields of a key (hash/key.h). Appending fails as buffers do.
 *
 * Any thread. Calls the driver (queries only).
 */
#ifndef OCC_LAYER_DRIVER_DEVICE_FIELDS_H
#define OCC_LAYER_DRIVER_DEVICE_FIELDS_H

#include <stdbool.h>

#include <CL/cl.h>

#include "hash/buffer.h"

/*
 * CL_PLATFORM_NAME, CL_DEVICE_NAME and CL_DRIVER_VERSION, to be freed; NULL:
 * out of memory.
 */
char *occ_device_fields_platform(cl_device_id device);
char *occ_device_fields_name(cl_device_id device);
char *occ_device_fields_driver_version(cl_device_id device);

/* What both say; and CL_DEVICE_TYPE. False: the device can't be queried. */
bool occ_device_fields_add(struct occ_buffer *fields, cl_device_id device,
			   cl_device_type *ret_type);

/* The host's CPU. */
void occ_device_fields_add_cpu(struct occ_buffer *fields);

/* The program's name; false: it can't be told. */
bool occ_device_fields_add_program(struct occ_buffer *fields);

#endif
