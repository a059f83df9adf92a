/* SPDX-License-Identifier: MIT */
/*
 * The memory tier: entries that this process has read, verified, or made, kept
 * for the next one who asks. One per process; least recently used entries go
 * first when all of them together exceed the capacity.
 *
 * What is found is handed out as it is, not copied: *kept entries* are counted,
 * and stay as long as somebody has one, whatever becomes of the table.
 *
 * Calling sequence: occ_memory_set_capacity() once, at initialisation; after
 * that everything from any thread at any time, also before any entry was kept
 * and after the layer has ended. Nothing calls back, does I/O, or waits for
 * more than another thread's look into the table. A child of fork() has its
 * parent's table, or an empty one.
 *
 * Invariants:
 * (M1) What occ_memory_find() gives has the key that was asked for, compared
 *      in full like the store's (S6).
 * (M2) The sizes of the entries in the table never add up to more than the
 *      capacity.
 * (M3) Out of memory is an entry that isn't kept, never an error.
 */
#ifndef OCC_CACHE_MEMORY_H
#define OCC_CACHE_MEMORY_H

#include <stdbool.h>

#include "cache/store.h"

/* Bytes, unless somebody sets another capacity. */
#define OCC_MEMORY_DEFAULT_CAPACITY (UINT64_C(64) << 20)

/* A verified entry. Constant but for its count. */
struct occ_kept {
	unsigned references; /* atomic */
	struct occ_entry entry;
	unsigned char *memory; /* what the entry points into */
};

/*
 * Takes over what the store gave. NULL when out of memory: then `loaded` is
 * still the caller's. The result is the caller's.
 */
struct occ_kept *occ_kept_take(struct occ_loaded *loaded);

void occ_kept_release(struct occ_kept *kept); /* NULL: nothing */

/* The bytes that it counts for. */
uint64_t occ_kept_size(const struct occ_kept *kept);

/* In a child of fork(), before other calls of this module. */
void occ_memory_forked(void);

/*
 * 0 turns the tier off. Entries beyond the new capacity go at once; what others
 * have of them stays theirs.
 */
void occ_memory_set_capacity(uint64_t capacity);
uint64_t occ_memory_capacity(void);

/* What the entries in the table add up to. */
uint64_t occ_memory_size(void);

/* Forgets every entry. The capacity stays. */
void occ_memory_clear(void);

/* The entry for the finished `key`, retained for the caller; NULL: none. */
struct occ_kept *occ_memory_find(const struct occ_key *key);

/*
 * Puts an entry into the table, which takes a reference of its own. It replaces
 * one of the same hash. One that is larger than the capacity isn't kept.
 */
void occ_memory_put(struct occ_kept *kept);

/* Puts a new entry into the table; its parts are copied. */
void occ_memory_publish(const struct occ_key *key, struct occ_span metadata,
			struct occ_span binary);

/*
 * Gives the entry for `key` other metadata, as occ_store_complete() does in
 * the store: `make` appends all of the new one, or returns false to leave it.
 * It is called without a lock. Who has the entry keeps what he has.
 */
void occ_memory_complete(const struct occ_key *key, occ_store_make make,
			 void *data);

/* Forgets the entry for `key`: the driver refused its binary. */
void occ_memory_discard(const struct occ_key *key);

#endif
