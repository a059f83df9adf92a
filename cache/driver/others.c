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

const struct occ_driver occ_driver_others = {
	.name = "others",
	.learnt = true,
	.variables = variables,
};
