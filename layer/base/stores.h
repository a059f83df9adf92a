/* SPDX-License-Identifier: MIT */
/*
 * The stores of this process, opened at first use, so that initialisation does
 * no I/O: the user's own, and those of OCLCACHE_READONLY_DIRS.
 */
#ifndef OCC_LAYER_BASE_STORES_H
#define OCC_LAYER_BASE_STORES_H

#include "cache/store.h"
#include "hash/reason.h"
#include "layer/base/tier.h"

/* The user's own. NULL when the configuration has none. Any thread. */
struct occ_store *occ_stores(void);

/* Is there one of the user's own that may be written? Any thread. */
bool occ_stores_is_written(void);

/*
 * The store of OCLCACHE_READONLY_DIRS with that number, from 0. NULL: there is
 * none, or no memory. Any thread.
 */
struct occ_store *occ_stores_read_only(size_t number);

/* Is there any store, the read-only ones included? Any thread. */
bool occ_stores_any(void);

/*
 * Is there anywhere to keep or find an entry: a store, or this process's memory
 * (cache/memory.h)? Any thread.
 */
bool occ_stores_or_memory(void);

/* Has any store an entry (occ_store_has_entries())? Any thread. */
bool occ_stores_has_entries(void);

/*
 * occ_store_lookup() in one store after the other, the user's own first.
 * *ret_tier says which one. On failure the error is the first one that isn't
 * just that there is no entry. With OCLCACHE_MODE=recache nothing is ever
 * found. Any thread.
 */
int occ_stores_lookup(const struct occ_key *key, struct occ_loaded *ret_loaded,
		      enum occ_tier *ret_tier);

/* The same with occ_store_lookup_whole(), in any mode. Any thread. */
int occ_stores_lookup_whole(const struct occ_key *key,
			    struct occ_loaded *ret_loaded);

/*
 * Why nothing can be added to the user's own store, found out by writing to it,
 * once in a process. OCC_REASON_NONE: it can, or others kept it busy. Any
 * thread; takes the time of a small file.
 */
enum occ_reason occ_stores_fault(void);

/* At initialisation, when no other call is under way. */
void occ_stores_close(void);

#endif
