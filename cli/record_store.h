/* SPDX-License-Identifier: MIT */
/*
 * `oclcache record --from-store`.
 */
#ifndef OCC_CLI_RECORD_STORE_H
#define OCC_CLI_RECORD_STORE_H

#include "cli/arguments.h"

/*
 * Adds what the store's entries were built from to the file, which is made if
 * it isn't there, and says what came of it. An exit status.
 */
int occ_record_store(const struct occ_arguments *arguments, const char *path);

#endif
