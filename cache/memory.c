/* SPDX-License-Identifier: MIT */
#include "cache/memory.h"

#include <stdlib.h>
#include <string.h>

#include "cache/lru.h"
#include "cache/mutex.h"

/* What an entry costs besides its bytes: about what malloc and tables take. */
#define OVERHEAD 512

struct item {
	struct occ_lru_item lru; /* first: the table's are these */
	struct occ_kept *kept;
};

static struct {
	struct occ_mutex lock;
	struct occ_lru lru; /* by hash */
	uint64_t capacity;
} table = {.lock = OCC_MUTEX_INIT};

struct occ_kept *occ_kept_take(struct occ_loaded *loaded)
{
	struct occ_kept *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	kept->references = 1;
	kept->entry = loaded->entry;
	kept->memory = loaded->memory;
	memset(loaded, 0, sizeof(*loaded));
	return kept;
}

static struct occ_span copy(unsigned char **at, struct occ_span from)
{
	struct occ_span span = {*at, from.size};

	if (from.data && from.size)
		memcpy(*at, from.data, from.size);
	*at += from.size;
	return span;
}

/* A copy of the entry's parts. */
static struct occ_kept *make_kept(const struct occ_entry *entry)
{
	struct occ_kept *kept = calloc(1, sizeof(*kept));
	unsigned char *at;

	if (!kept)
		return NULL;
	at = kept->memory = malloc(entry->key.size + entry->metadata.size +
				   entry->binary.size + entry->code.size + 1);
	if (!at) {
		free(kept);
		return NULL;
	}
	kept->references = 1;
	kept->entry.hash = entry->hash;
	/* First what is a driver's to read: malloc() aligns it. */
	if (entry->code.data)
		kept->entry.code = copy(&at, entry->code);
	if (entry->binary.data || !entry->code.data)
		kept->entry.binary = copy(&at, entry->binary);
	kept->entry.metadata = copy(&at, entry->metadata);
	kept->entry.key = copy(&at, entry->key);
	return kept;
}

static struct occ_kept *retain(struct occ_kept *kept)
{
	__atomic_add_fetch(&kept->references, 1, __ATOMIC_RELAXED);
	return kept;
}

void occ_kept_release(struct occ_kept *kept)
{
	if (!kept || __atomic_sub_fetch(&kept->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(kept->memory);
	free(kept);
}

static uint64_t size_of(const struct occ_entry *entry)
{
	return OVERHEAD + (uint64_t)entry->key.size + entry->metadata.size +
	       entry->binary.size + entry->code.size;
}

uint64_t occ_kept_size(const struct occ_kept *kept)
{
	return size_of(&kept->entry);
}

static void free_item(struct occ_lru_item *lru)
{
	struct item *item = (struct item *)lru;

	occ_kept_release(item->kept);
	free(item);
}

void occ_memory_forked(void)
{
	if (!occ_mutex_forked(&table.lock))
		memset(&table.lru, 0, sizeof(table.lru));
}

void occ_memory_set_capacity(uint64_t capacity)
{
	struct occ_lru_item *gone = NULL;

	occ_mutex_lock(&table.lock);
	table.capacity = capacity;
	occ_lru_make_room(&table.lru, 0, capacity, &gone);
	occ_mutex_unlock(&table.lock);
	occ_lru_free(gone, free_item);
}

uint64_t occ_memory_capacity(void)
{
	uint64_t capacity;

	occ_mutex_lock(&table.lock);
	capacity = table.capacity;
	occ_mutex_unlock(&table.lock);
	return capacity;
}

uint64_t occ_memory_size(void)
{
	uint64_t size;

	occ_mutex_lock(&table.lock);
	size = table.lru.size;
	occ_mutex_unlock(&table.lock);
	return size;
}

void occ_memory_clear(void)
{
	struct occ_lru_item *gone = NULL;

	occ_mutex_lock(&table.lock);
	occ_lru_clear(&table.lru, &gone);
	occ_mutex_unlock(&table.lock);
	occ_lru_free(gone, free_item);
}

/* (M1). Lock held. */
static struct item *find(const struct occ_key *key)
{
	struct item *item = (struct item *)occ_lru_find(&table.lru, &key->hash,
							sizeof(key->hash));

	if (!item || !occ_span_equal(item->kept->entry.key,
				     occ_buffer_span(&key->stored)))
		return NULL;
	return item;
}

struct occ_kept *occ_memory_find(const struct occ_key *key)
{
	struct occ_kept *kept = NULL;
	struct item *item;

	occ_mutex_lock(&table.lock);
	item = find(key);
	if (item) {
		occ_lru_use(&table.lru, &item->lru);
		kept = retain(item->kept);
	}
	occ_mutex_unlock(&table.lock);
	return kept;
}

/* `instead`: only if that is what the table has; NULL: whatever it has. */
static void put(struct occ_kept *kept, const struct occ_kept *instead)
{
	struct item *item = calloc(1, sizeof(*item));
	struct occ_lru_item *gone = NULL;
	const struct item *old;

	if (!item)
		return;
	item->kept = retain(kept);
	item->lru.key = &kept->entry.hash;
	item->lru.key_size = sizeof(kept->entry.hash);
	item->lru.size = occ_kept_size(kept);
	occ_mutex_lock(&table.lock);
	old = (const struct item *)occ_lru_find(&table.lru, item->lru.key,
						item->lru.key_size);
	if ((instead && (!old || old->kept != instead)) ||
	    !occ_lru_put(&table.lru, &item->lru, table.capacity, &gone))
		occ_lru_refuse(&item->lru, &gone);
	occ_mutex_unlock(&table.lock);
	occ_lru_free(gone, free_item);
}

void occ_memory_put(struct occ_kept *kept)
{
	put(kept, NULL);
}

void occ_memory_publish(const struct occ_key *key, struct occ_span metadata,
			struct occ_span binary)
{
	const struct occ_entry entry = {
		.hash = key->hash,
		.key = occ_buffer_span(&key->stored),
		.metadata = metadata,
		.binary = binary,
	};
	struct occ_kept *kept;

	/* What wouldn't fit needn't be copied. */
	if (size_of(&entry) > occ_memory_capacity())
		return;
	kept = make_kept(&entry);
	if (kept)
		occ_memory_put(kept);
	occ_kept_release(kept);
}

void occ_memory_complete(const struct occ_key *key, occ_store_make make,
			 void *data)
{
	struct occ_kept *before = occ_memory_find(key), *after = NULL;
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	struct occ_entry entry;

	if (before && make(before->entry.metadata, &metadata, data) &&
	    !metadata.failed) {
		entry = before->entry;
		entry.metadata.data = metadata.data;
		entry.metadata.size = metadata.size;
		after = make_kept(&entry);
	}
	/* Another thread may have put another one there: that stays. */
	if (after)
		put(after, before);
	occ_buffer_release(&metadata);
	occ_kept_release(after);
	occ_kept_release(before);
}

void occ_memory_discard(const struct occ_key *key)
{
	struct occ_lru_item *gone = NULL;
	struct item *item;

	occ_mutex_lock(&table.lock);
	item = find(key);
	if (item)
		occ_lru_remove(&table.lru, &item->lru, &gone);
	occ_mutex_unlock(&table.lock);
	occ_lru_free(gone, free_item);
}
