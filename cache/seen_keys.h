/* SPDX-License-Identifier: MIT */
/*
 * Sightings: hashes of keys that were looked for in vain, in the store's state
 * file (cache/state.h). Where storing an entry is dear it is made at the second
 * use of its key; this says which use is the second, and how long the first
 * compile took: the driver's own cache may have shortened the second.
 *
 * The last 4096 or so are kept. Forgetting one costs another build; taking one
 * key for another (8 bytes of the hash are kept) an entry that nobody needs.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_SEEN_KEYS_H
#define OCC_CACHE_SEEN_KEYS_H

#include "cache/store.h"

/*
 * Has the key of that hash been seen? *ret_ns is how long its compile took, to
 * the microsecond, and an hour at most. Reads a file.
 */
bool occ_seen_keys_find(struct occ_store *store, const struct occ_digest *hash,
			uint64_t *ret_ns);

/* Notes that it has. OCC_OK or a failure. */
int occ_seen_keys_add(struct occ_store *store, const struct occ_digest *hash,
		      uint64_t ns);

#endif
