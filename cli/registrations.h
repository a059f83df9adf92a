/* SPDX-License-Identifier: MIT */
/*
 * Which drivers loaders are told to load, by files or variables. Nothing of
 * them is run.
 */
#ifndef OCC_CLI_REGISTRATIONS_H
#define OCC_CLI_REGISTRATIONS_H

#include <stddef.h>

/* `file`: the .icd file that names the library; NULL: a variable does. */
typedef void (*occ_registration_visit)(const char *file, const char *library,
				       void *data);

/*
 * As loaders do it: OCL_ICD_FILENAMES, a list of libraries; else
 * OCL_ICD_VENDORS or OPENCL_VENDOR_PATH, a directory, one .icd file or a
 * library; else /etc/OpenCL/vendors below `root`, "" as a rule. How many there
 * are; where they were looked for is *ret_from, to be freed (NULL: never mind).
 */
size_t occ_registrations_visit(const char *root, occ_registration_visit visit,
			       void *data, char **ret_from);

#endif
