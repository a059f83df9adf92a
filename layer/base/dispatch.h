/* SPDX-License-Identifier: MIT */
/*
 * The functions below the layer: the next layer's or the loader's own, which
 * check handles and call the driver that owns them.
 *
 * Filled by clInitLayer and constant until clDeinitLayer, so that hooks read
 * it without a lock. Slots beyond the loader's table, and of functions that
 * this platform lacks (D3D), are NULL.
 */
#ifndef OCC_LAYER_BASE_DISPATCH_H
#define OCC_LAYER_BASE_DISPATCH_H

#include <CL/cl.h>
#include <CL/cl_icd.h>

extern cl_icd_dispatch occ_target;

#endif
