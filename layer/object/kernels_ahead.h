/* SPDX-License-Identifier: MIT */
/*
 * Kernels that the layer has made of a hidden program before anybody asked for
 * them (layer/serve/load_ahead.h): some drivers do most of their work in the
 * first clCreateKernel. Each is handed out once, as it was made.
 *
 * Drivers count them, so they are to go before the program is built again or
 * has another user. A list is its program's; NULL: it is empty.
 */
#ifndef OCC_LAYER_OBJECT_KERNELS_AHEAD_H
#define OCC_LAYER_OBJECT_KERNELS_AHEAD_H

#include <CL/cl.h>

struct occ_kernel_ahead;

/*
 * Makes one of that name, if the driver does. Nobody else has the list. Without
 * the lock.
 */
void occ_kernels_ahead_make(cl_program program, const char *name,
			    struct occ_kernel_ahead **list);

/* NULL: there is none of that name. The caller owns the result. Lock held. */
cl_kernel occ_kernels_ahead_take_locked(struct occ_kernel_ahead **list,
					const char *name);

/* How many there are. Lock held. */
cl_uint occ_kernels_ahead_count_locked(const struct occ_kernel_ahead *list);

/* Releases those that are left. Without the lock. */
void occ_kernels_ahead_drop(struct occ_kernel_ahead **list);

/* The same when the driver may be gone: frees memory alone. */
void occ_kernels_ahead_forget(struct occ_kernel_ahead **list);

#endif
