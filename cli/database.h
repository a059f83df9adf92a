/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache database` does, a file each. They are given what follows the
 * verb, and return the exit status.
 */
#ifndef OCC_CLI_DATABASE_H
#define OCC_CLI_DATABASE_H

#include "cli/arguments.h"

int occ_database_command_list(const struct occ_arguments *arguments,
			      char *const *operands, size_t count);
int occ_database_command_show(const struct occ_arguments *arguments,
			      char *const *operands, size_t count);
int occ_database_command_merge(const struct occ_arguments *arguments,
			       char *const *operands, size_t count);
int occ_database_command_diff(const struct occ_arguments *arguments,
			      char *const *operands, size_t count);

#endif
