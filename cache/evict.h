/* SPDX-License-Identifier: MIT */
/*
 * Making room: the least recently used files go, and orphaned temp files with
 * them. All of it happens under the lock.
 */
#ifndef OCC_CACHE_EVICT_H
#define OCC_CACHE_EVICT_H

#include "cache/config.h"

/*
 * Sees to it that `need` more bytes are within `max_size` (0: no limit). If
 * they seem not to be, counts the directory, which mends a wrong total, and
 * removes orphans; if that isn't enough, evicts until a third of max_size has
 * been freed and `need` fits. OCC_OK, OCC_E_TOO_LARGE when evicting everything
 * wouldn't do (then nothing is evicted), OCC_E_MEMORY or OCC_E_IO. The file
 * named `keep` (NULL: none) is not evicted.
 */
int occ_evict_make_room(struct occ_config *config, uint64_t max_size,
			uint64_t need, const char *keep);

#endif
