/* SPDX-License-Identifier: MIT */
/* What other hooks need of kernels. */
#ifndef OCC_LAYER_KERNEL_H
#define OCC_LAYER_KERNEL_H

#include "layer/program.h"

/* CL_KERNEL_FUNCTION_NAME, for the caller to free(); NULL when not answered. */
char *occ_kernel_name(cl_kernel kernel);

/*
 * A new kernel of the program `to`, with the name of one that the application
 * has of `program`, or had if `released`, for the caller to release: some
 * drivers refuse calls while a program has kernels. NULL when there is none, or
 * it can't be had.
 */
cl_kernel occ_kernel_attach(const struct occ_program *program, cl_program to,
			    bool released);

#endif
