/* SPDX-License-Identifier: MIT */
/* Drivers of which no record can be made: Beignet. */
#include "cache/driver/driver.h"

static const struct occ_variable variables[] = {
	{"OCL_*", OCC_VARIABLE_KEY},
	{"OPENCL_PROGRAM_*", OCC_VARIABLE_KEY},
	/* The loader's. */
	{"OCL_ICD_*", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

/* Of what the other records have: these may have it, too. */
static const struct occ_include_dir include_dirs[] = {
	{"/usr/local/include", NULL},
	{"/usr/include", NULL},
	{NULL, NULL},
};

static const char *const headers[] = {"opencl-c-base.h", "opencl-c.h",
				      "cl_kernel.h", "cl_kernel.h.pch", NULL};

const struct occ_driver occ_driver_others = {
	.name = "others",
	.learnt = true,
	.variables = variables,
	.include_dirs = include_dirs,
	.headers = headers,
};
