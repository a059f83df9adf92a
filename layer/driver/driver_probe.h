/* SPDX-License-Identifier: MIT */
/*
 * The examination of a driver whose habits aren't known, with a small program
 * of our own: what an application wrote might be more than the driver can
 * stand (rusticl ends the process for kernels that it can't compile); and in a
 * context of our own, whose counts no other thread changes, and whose errors
 * no application is told. Leaves nothing behind.
 *
 * Calling sequence: occ_driver_probe_examine(), occ_driver_probe_load() if that
 * succeeded, occ_driver_probe_release() in any case. No lock is held. One
 * thread at a time for a driver.
 */
#ifndef OCC_LAYER_DRIVER_DRIVER_PROBE_H
#define OCC_LAYER_DRIVER_DRIVER_PROBE_H

#include <CL/cl.h>

#include "cache/traits.h"

struct occ_driver_probe {
	cl_device_id device;

	cl_context context;
	cl_program program;
	uint64_t compile_time; /* ns */

	struct occ_traits habits; /* what was found */
	unsigned char *binary;	  /* NULL: the driver gives none */
	size_t size;
};

/*
 * Builds the program, finds which reference counts include what, and fetches
 * the binary. False when that gives no clear answer.
 */
bool occ_driver_probe_examine(struct occ_driver_probe *probe);

/*
 * Does a program's reference count include its kernels? By a new program of
 * our own. False when there is no clear answer.
 */
bool occ_driver_probe_count_kernels(cl_device_id device, bool *ret_counts);

/*
 * Does the driver load that binary, with the same kernels? It may end the
 * process, so that should be written down before.
 */
bool occ_driver_probe_load(const struct occ_driver_probe *probe);

void occ_driver_probe_release(struct occ_driver_probe *probe);

#endif
