/* SPDX-License-Identifier: MIT */
/*
 * Kernels that the layer has made of a hidden program before anybody asked for
 * them (layer/serve/load_ahead.h): some drivers do most of their work in the
 * first clCreateKernel. Each is handed out once, as it was made.
 *
 * Drivers count them, so they are to go before the program is built again or
 * has another user.
 */
#ifndef OCC_LAYER_OBJECT_KERNELS_AHEAD_H
#define OCC_LAYER_OBJECT_KERNELS_AHEAD_H

#include "layer/object/program_pool.h"

/*
 * Makes one of that name, if the driver does; `pooled` is the caller's alone.
 */
void occ_kernels_ahead_make(struct occ_pooled *pooled, const char *name);

/* NULL: there is none of that name. The caller owns the result. Lock held. */
cl_kernel occ_kernels_ahead_take_locked(struct occ_pooled *pooled,
					const char *name);

/* How many there are. Lock held. */
cl_uint occ_kernels_ahead_count_locked(const struct occ_pooled *pooled);

/* Releases those that are left. Without the lock. */
void occ_kernels_ahead_drop(struct occ_pooled *pooled);

/* The same when the driver may be gone: frees memory alone. */
void occ_kernels_ahead_forget(struct occ_pooled *pooled);

#endif
