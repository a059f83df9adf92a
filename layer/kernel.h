/* SPDX-License-Identifier: MIT */
/* What other hooks need of kernels. */
#ifndef OCC_LAYER_KERNEL_H
#define OCC_LAYER_KERNEL_H

#include <CL/cl.h>

/* CL_KERNEL_FUNCTION_NAME, for the caller to free(); NULL when not answered. */
char *occ_kernel_name(cl_kernel kernel);

#endif
