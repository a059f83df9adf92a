/* SPDX-License-Identifier: MIT */
/*
 * Has the driver load a program that is foreseen (read_ahead.h), if that is to
 * be done ahead at all: its entries are of the context's devices, as their
 * driver and the environment are now, and the driver's record allows it.
 */
#ifndef OCC_LAYER_SERVE_FORESEEN_PROGRAM_H
#define OCC_LAYER_SERVE_FORESEEN_PROGRAM_H

#include "layer/serve/read_ahead.h"

/*
 * Of an item that is OCC_AHEAD_LOADING, and the caller's meanwhile; the context
 * stays. With the kernels that were made of it last time, where that pays,
 * unless a build waits for it. The caller owns a reference and the use. NULL:
 * it isn't to be, or the driver refuses. Without the lock.
 */
struct occ_pooled *occ_foreseen_load(struct occ_ahead_item *item,
				     cl_context context);

#endif
