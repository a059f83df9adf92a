/* SPDX-License-Identifier: MIT */
/*
 * What the application got to know of devices, by clGetDeviceInfo: of each
 * device the first OCC_ANSWERS_MAX different parameters and what the driver
 * answered first. Only with OCLCACHE_RECORD (layer/serve/record.h): a program
 * that is built may depend on it.
 *
 * Left out are longer answers than OCC_ANSWER_SIZE, and what means nothing in
 * another process: handles and reference counts.
 *
 * Threads: any. The layer's lock guards the table.
 */
#ifndef OCC_LAYER_OBJECT_DEVICE_ANSWERS_H
#define OCC_LAYER_OBJECT_DEVICE_ANSWERS_H

#include <stddef.h>

#include <CL/cl.h>

#include "hash/buffer.h"

#define OCC_ANSWERS_MAX 128
#define OCC_ANSWER_SIZE 4096

/* The driver has answered that. Takes the lock. */
void occ_device_answers_note(cl_device_id device, cl_device_info parameter,
			     const void *answer, size_t size);

/*
 * How much there is by now, in bytes: for occ_device_answers_append(), later.
 * Lock held.
 */
size_t occ_device_answers_size_locked(cl_device_id device);

/*
 * Appends what there was at that time: fields OCC_DEVICE_ASKED
 * (cache/database_record.h). Takes the lock.
 */
void occ_device_answers_append(cl_device_id device, size_t size,
			       struct occ_buffer *record);

/* No other call may be under way. */
void occ_device_answers_forget_all(void);

#endif
