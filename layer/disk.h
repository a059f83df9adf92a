/* SPDX-License-Identifier: MIT */
/*
 * The stores of this process, opened at first use, so that initialisation does
 * no I/O: the user's own, and those of OCLCACHE_READONLY_DIRS.
 */
#ifndef OCC_LAYER_DISK_H
#define OCC_LAYER_DISK_H

#include "cache/store.h"

/* The user's own. NULL when the configuration has none. Any thread. */
struct occ_store *occ_disk(void);

/* Is there one of the user's own, and not only to be read? Any thread. */
bool occ_disk_is_written(void);

/*
 * The store of OCLCACHE_READONLY_DIRS with that number, from 0. NULL: there are
 * no more, or no memory. Any thread.
 */
struct occ_store *occ_disk_read_only(size_t number);

/* Is there any store, be it only to be read? Any thread. */
bool occ_disk_any(void);

/*
 * Could an entry be kept anywhere, or found: in a store, or in this process's
 * memory (cache/memory.h)? Any thread.
 */
bool occ_disk_or_memory(void);

/* Has any of the stores an entry? As occ_store_has_entries(). Any thread. */
bool occ_disk_has_entries(void);

/*
 * As occ_store_lookup(), in one store after the other, the user's own first.
 * *ret_found_in is what a trace calls the store. When there is no entry, the
 * own store's reason, if that isn't just that it has none, or else the others'.
 * With OCLCACHE_MODE=recache there is never one.
 * Any thread.
 */
int occ_disk_lookup(const struct occ_key *key, struct occ_loaded *ret_loaded,
		    const char **ret_found_in);

/* The same as occ_store_lookup_whole(), whatever the mode. Any thread. */
int occ_disk_lookup_whole(const struct occ_key *key,
			  struct occ_loaded *ret_loaded);

/* No other call may be under way. */
void occ_disk_close(void);

#endif
