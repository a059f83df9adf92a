/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL drivers that are registered: .icd files, each of which names a
 * library, in the directory that loaders read or that variables name.
 */
#ifndef OCC_CLI_REGISTRATION_H
#define OCC_CLI_REGISTRATION_H

#include <stddef.h>

struct occ_registration {
	char *file;    /* the .icd file; NULL: a variable names the library */
	char *library; /* as it is written there; a name or a path */
};

struct occ_registrations {
	struct occ_registration *items; /* by name */
	size_t count;
	char *from; /* the directory, or the variable with its value */
};

/*
 * As loaders do it: OCL_ICD_FILENAMES, a list of libraries; else
 * OCL_ICD_VENDORS or OPENCL_VENDOR_PATH, a directory, one .icd file or a
 * library; else /etc/OpenCL/vendors below `root`.
 */
void occ_registration_find(const char *root, struct occ_registrations *ret);
void occ_registration_release(struct occ_registrations *registrations);

#endif
