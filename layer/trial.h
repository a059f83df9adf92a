/* SPDX-License-Identifier: MIT */
/*
 * The examination of a driver whose habits aren't known, with a small program
 * of our own: what an application wrote might be more than the driver can
 * stand (rusticl ends the process for kernels that it can't compile); and in a
 * context of our own, whose counts no other thread changes, and whose errors
 * no application is told. Leaves nothing behind.
 *
 * Calling sequence: occ_trial_examine(), occ_trial_load() if that succeeded,
 * occ_trial_release() in any case. No lock is held. One thread at a time for
 * a driver.
 */
#ifndef OCC_LAYER_TRIAL_H
#define OCC_LAYER_TRIAL_H

#include <CL/cl.h>

#include "cache/habits.h"

struct occ_trial {
	cl_device_id device;

	cl_context context;
	cl_program program;
	uint64_t compile_time; /* ns */

	struct occ_habits habits; /* what was found */
	unsigned char *binary;	  /* NULL: the driver gives none */
	size_t size;
};

/*
 * Builds the program, finds which reference counts include what, and fetches
 * the binary. False when that gives no clear answer.
 */
bool occ_trial_examine(struct occ_trial *trial);

/*
 * Does a program's reference count include its kernels? By a new program of
 * our own. False when there is no clear answer.
 */
bool occ_trial_count_kernels(cl_device_id device, bool *ret_counts);

/*
 * Does the driver load that binary, with the same kernels? It may end the
 * process, so that should be written down before.
 */
bool occ_trial_load(const struct occ_trial *trial);

void occ_trial_release(struct occ_trial *trial);

#endif
