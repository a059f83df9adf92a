/* SPDX-License-Identifier: MIT */
#include "cache/lru.h"

#include <utlist.h>

struct occ_lru_item *occ_lru_find(const struct occ_lru *lru, const void *key,
				  size_t key_size)
{
	struct occ_lru_item *item;

	/* It loses what a key holds where uthash hashes it by the byte. */
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	HASH_FIND(hh, lru->items, key, key_size, item);
	return item;
}

void occ_lru_use(struct occ_lru *lru, struct occ_lru_item *item)
{
	DL_DELETE(lru->by_use, item);
	DL_PREPEND(lru->by_use, item);
}

void occ_lru_remove(struct occ_lru *lru, struct occ_lru_item *item,
		    struct occ_lru_item **gone)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): it's in there */
	HASH_DEL(lru->items, item);
	DL_DELETE(lru->by_use, item);
	lru->size -= item->size;
	LL_PREPEND(*gone, item);
}

void occ_lru_make_room(struct occ_lru *lru, uint64_t size, uint64_t limit,
		       struct occ_lru_item **gone)
{
	while (lru->by_use && lru->size + size > limit)
		occ_lru_remove(lru, lru->by_use->prev, gone);
}

void occ_lru_clear(struct occ_lru *lru, struct occ_lru_item **gone)
{
	while (lru->by_use)
		occ_lru_remove(lru, lru->by_use, gone);
}

bool occ_lru_put(struct occ_lru *lru, struct occ_lru_item *item, uint64_t limit,
		 struct occ_lru_item **gone)
{
	struct occ_lru_item *old = occ_lru_find(lru, item->key, item->key_size);
	bool failed = false;

	if (old)
		occ_lru_remove(lru, old, gone);
	if (item->size > limit)
		return false;
	occ_lru_make_room(lru, item->size, limit, gone);
#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) (failed = true)
	HASH_ADD_KEYPTR(hh, lru->items, item->key, item->key_size, item);
	if (failed)
		return false;
	DL_PREPEND(lru->by_use, item);
	lru->size += item->size;
	return true;
}

void occ_lru_refuse(struct occ_lru_item *item, struct occ_lru_item **gone)
{
	LL_PREPEND(*gone, item);
}

void occ_lru_free(struct occ_lru_item *gone,
		  void (*free_item)(struct occ_lru_item *item))
{
	while (gone) {
		struct occ_lru_item *next = gone->next;

		free_item(gone);
		gone = next;
	}
}
