/* SPDX-License-Identifier: MIT */
/* What other hooks need of kernels. */
#ifndef OCC_LAYER_HOOK_KERNEL_H
#define OCC_LAYER_HOOK_KERNEL_H

#include "layer/object/program.h"

/*
 * A new kernel of the program `to`, with the name of one that the application
 * has of `program`, or had if `released`, for the caller to release: some
 * drivers refuse calls while a program has kernels. NULL when there is none, or
 * it can't be had.
 */
cl_kernel occ_kernel_attach(const struct occ_program *program, cl_program to,
			    bool released);

#endif
