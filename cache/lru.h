/* SPDX-License-Identifier: MIT */
/*
 * A bounded table in memory: items are found by a key, have a size in bytes,
 * and the least recently used go first when all of them together would exceed
 * a limit. Owners put a struct occ_lru_item first in a struct of their own, and
 * cast.
 *
 * What leaves the table is never freed in it but added to a list, *gone: who
 * guards the table with a lock frees that when he has given the lock up,
 * because it may take a while.
 *
 *	struct occ_lru_item *gone = NULL;
 *	lock();
 *	if (!occ_lru_put(&table, &mine->item, limit, &gone))
 *		occ_lru_refuse(&mine->item, &gone);
 *	unlock();
 *	occ_lru_free(gone, free_mine);
 *
 * Threads: the owner's lock guards a table; occ_lru_free() needs none. Nothing
 * calls back but occ_lru_free().
 */
#ifndef OCC_CACHE_LRU_H
#define OCC_CACHE_LRU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* The first three are set by the owner and constant while it is in a table. */
struct occ_lru_item {
	const void *key; /* into the owner's struct */
	size_t key_size;
	uint64_t size;
	UT_hash_handle hh;
	struct occ_lru_item *prev, *next; /* by use, the latest first */
};

/* All zero: empty. */
struct occ_lru {
	struct occ_lru_item *items;  /* by key */
	struct occ_lru_item *by_use; /* the head; to be looked through */
	uint64_t size;		     /* of all items */
};

/* NULL: none. Its place among the others stays. */
struct occ_lru_item *occ_lru_find(const struct occ_lru *lru, const void *key,
				  size_t key_size);

/* It is the latest used from now on. */
void occ_lru_use(struct occ_lru *lru, struct occ_lru_item *item);

/* Takes it out of the table. */
void occ_lru_remove(struct occ_lru *lru, struct occ_lru_item *item,
		    struct occ_lru_item **gone);

/* Takes out the least recently used, until `size` more bytes fit. */
void occ_lru_make_room(struct occ_lru *lru, uint64_t size, uint64_t limit,
		       struct occ_lru_item **gone);

/* Takes all out. */
void occ_lru_clear(struct occ_lru *lru, struct occ_lru_item **gone);

/*
 * Puts it into the table, instead of what has its key, which goes in any case.
 * False: it is larger than the limit, or there is no memory; then it is still
 * the caller's.
 */
bool occ_lru_put(struct occ_lru *lru, struct occ_lru_item *item, uint64_t limit,
		 struct occ_lru_item **gone);

/* An item that isn't in a table goes the way of those that were. */
void occ_lru_refuse(struct occ_lru_item *item, struct occ_lru_item **gone);

/* Calls `free_item` for each of the list. */
void occ_lru_free(struct occ_lru_item *gone,
		  void (*free_item)(struct occ_lru_item *item));

#endif
