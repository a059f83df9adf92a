/* SPDX-License-Identifier: MIT */
/*
 * Temp files: a name nobody else has, and a lock that says that the writer
 * lives (S5). flock() goes with the process, so a writer that was killed
 * leaves a file that can be locked, which is how orphans are known.
 */
#ifndef OCC_CACHE_TEMP_H
#define OCC_CACHE_TEMP_H

#include "cache/error.h"
#include "cache/name.h"

/*
 * Creates an empty temp file, locked. OCC_OK, OCC_E_NO_DIRECTORY when the
 * directory was deleted, OCC_E_NO_LOCK or OCC_E_IO; on failure nothing is left
 * behind.
 */
int occ_temp_create(int directory, char ret_name[OCC_NAME_SIZE], int *ret_file);

/*
 * Removes the temp file `name` if its writer is dead. Returns 1 when removed,
 * 0 when it is left alone. The store's lock must be held: without it, a file
 * could be between its creation and its lock.
 */
int occ_temp_remove_orphan(int directory, const char *name);

/* What a failed occ_file_lock() means, from errno. */
int occ_temp_lock_error(void);

#endif
