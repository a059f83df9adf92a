/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram and clCompileProgram. Which of the two it is matters only for
 * the driver's function and for the key.
 */
#ifndef OCC_LAYER_HOOK_BUILD_H
#define OCC_LAYER_HOOK_BUILD_H

#include "layer/hook/call.h"

/* Does the whole call: serves it, or lets the driver do it and learns. */
cl_int occ_build_perform(struct occ_arguments *arguments);

#endif
