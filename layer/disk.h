/* SPDX-License-Identifier: MIT */
/*
 * The store of this process, opened at first use, so that initialisation does
 * no I/O.
 */
#ifndef OCC_LAYER_DISK_H
#define OCC_LAYER_DISK_H

#include "cache/store.h"

/* NULL when the configuration has none. Any thread. */
struct occ_store *occ_disk(void);

/*
 * Could an entry be kept anywhere: in the store, or in this process's memory
 * (cache/memory.h)? Any thread.
 */
bool occ_disk_or_memory(void);

/* No other call may be under way. */
void occ_disk_close(void);

#endif
