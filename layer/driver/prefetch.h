/* SPDX-License-Identifier: MIT */
/*
 * A look at a driver's files ahead of the first build: on a thread of its own,
 * while the application makes its first context. It would take the first hit of
 * a process longer than all the rest.
 *
 * What was seen holds as long as no object is loaded since that was looked for,
 * PATH is the same, and so is the root; otherwise the build looks by itself, as
 * it does where there was no thread, the thread hasn't begun, or the store
 * knows nothing of the driver.
 *
 * The thread calls no driver, reads no environment variables, has all signals
 * blocked, and ends with the work. In a child of fork() it isn't there, and
 * what it would have seen isn't either.
 *
 * Calling sequence: occ_prefetch_start(), occ_prefetch_finish() if a context
 * was made, occ_prefetch_take().
 *
 * Any thread, without the layer's lock.
 */
#ifndef OCC_LAYER_DRIVER_PREFETCH_H
#define OCC_LAYER_DRIVER_PREFETCH_H

#include <CL/cl.h>

#include "layer/driver/driver_files.h"

/*
 * An address in the driver of any OpenCL object. The first word of every object
 * is its driver's dispatch table (cl_khr_icd).
 */
const void *occ_prefetch_address(const void *object);

/* What else is done on the thread, if there is one; constant. */
struct occ_prefetch_guest {
	/* First, while it has the application's descriptors. */
	void (*begin)(void);
	/* When it has looked; it has descriptors of its own. */
	void (*then)(const char *platform_name);
};

/* A context is about to be made of it, or just was. */
void occ_prefetch_start(cl_device_id device,
			const struct occ_prefetch_guest *guest);

/*
 * A context was made of it. Does what the thread hasn't begun, and waits up to
 * 5 ms for what it has: some drivers make contexts in less time than threads
 * take to begin. Is there something to be taken?
 */
bool occ_prefetch_finish(cl_device_id device);

/*
 * What is installed of the driver at this address, and the inventory of that
 * but for the current directory, both the caller's from now on. False: the
 * caller is to look by himself. Once for every driver.
 */
bool occ_prefetch_take(const void *address, const char *platform_name,
		       struct occ_driver_files **ret_installation,
		       struct occ_driver_components *ret_inventory);

/* PATH, as it was when the driver's first context was made. NULL: none. */
const char *occ_prefetch_search_path(const void *address);

/*
 * Does what was taken still hold, but for the objects that were loaded since
 * and the current directory?
 */
bool occ_prefetch_holds(const void *address);

/* Under the lock, in a child of fork(). */
void occ_prefetch_forked(void);

/* When no other call is under way. */
void occ_prefetch_forget_all(void);

#endif
