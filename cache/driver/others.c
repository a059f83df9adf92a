/* SPDX-License-Identifier: MIT */
/* Drivers that weren't available for testing: AMD's, clvk, Beignet. */
#include "cache/driver/driver.h"

static const struct occ_variable variables[] = {
	{"AMD_COMGR_*", OCC_VARIABLE_KEY},
	{"AMD_OCL_*", OCC_VARIABLE_KEY},
	{"AMD_OCL_BUILD_OPTIONS", OCC_VARIABLE_OPTIONS},
	{"AMD_OCL_BUILD_OPTIONS_APPEND", OCC_VARIABLE_OPTIONS},
	{"CLVK_*", OCC_VARIABLE_KEY},
	{"GPU_*", OCC_VARIABLE_KEY},
	{"OCL_*", OCC_VARIABLE_KEY},
	{"OPENCL_PROGRAM_*", OCC_VARIABLE_KEY},
	/* Where caches are, and how large. */
	{"AMD_COMGR_CACHE", OCC_VARIABLE_HARMLESS},
	{"AMD_COMGR_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	{"AMD_COMGR_CACHE_POLICY", OCC_VARIABLE_HARMLESS},
	{"CLVK_CACHE_DIR", OCC_VARIABLE_HARMLESS},
	/* What is printed; which devices there are; the loader's. */
	{"CLVK_LOG", OCC_VARIABLE_HARMLESS},
	{"GPU_DEVICE_ORDINAL", OCC_VARIABLE_HARMLESS},
	{"OCL_ICD_*", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

const struct occ_driver occ_driver_others = {
	.name = "others",
	.learnt = true,
	.variables = variables,
};
