/* SPDX-License-Identifier: MIT */
/*
 * Builds and compiles of a program that was served before and that the driver
 * may refuse to build once more, because it has kernels or was linked. Without
 * the layer the driver's handle would be in that state; so the driver gets the
 * same situation, and judges.
 */
#ifndef OCC_LAYER_HOOK_REPEAT_H
#define OCC_LAYER_HOOK_REPEAT_H

#include "layer/hook/call.h"

/* Does the whole call, if the program is one of these; else returns false. */
bool occ_repeat_perform(struct occ_call *call, cl_int *ret_error);

#endif
