/* SPDX-License-Identifier: MIT */
/*
 * The shared objects that were loaded since the first build of the process:
 * what an unlisted driver loads to compile is what is there when it has
 * compiled.
 *
 * Any thread, without the lock. occ_late_libraries_release() when no other call
 * may be under way.
 */
#ifndef OCC_LAYER_DRIVER_LATE_LIBRARIES_H
#define OCC_LAYER_DRIVER_LATE_LIBRARIES_H

#include <stdbool.h>

#include "hash/buffer.h"

/*
 * A driver, whichever it is, is about to build something: notes which objects
 * are loaded, the first time in the process.
 */
void occ_late_libraries_watch(void);

/*
 * Appends to `paths` those of the ones that are loaded now and weren't then, if
 * they aren't there, each with its NUL. Not of those that were made meanwhile:
 * what the driver itself compiled is no part of it. False: it can't be told.
 */
bool occ_late_libraries_list(struct occ_buffer *paths);

void occ_late_libraries_release(void);

#endif
