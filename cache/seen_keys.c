/* SPDX-License-Identifier: MIT */
#include "cache/seen_keys.h"

#include <stdio.h>
#include <string.h>

#include "cache/state.h"

/* Values in the state, so that one isn't too long; a hash is in one of them. */
#define VALUES	  12
#define HASH_SIZE 8
#define ITEM_SIZE 12 /* and u32: microseconds */

#define NS_PER_US 1000

static void make_name(const struct occ_digest *hash, char *ret_name,
		      size_t size)
{
	snprintf(ret_name, size, "first %d",
		 hash->bytes[OCC_DIGEST_SIZE - 1] % VALUES);
}

/* Where the hash is among the items; `size`: nowhere. */
static size_t find(struct occ_span items, const struct occ_digest *hash)
{
	size_t size = items.size - items.size % ITEM_SIZE;

	for (size_t at = 0; at < size; at += ITEM_SIZE)
		if (!memcmp(items.data + at, hash->bytes, HASH_SIZE))
			return at;
	return size;
}

bool occ_seen_keys_find(struct occ_store *store, const struct occ_digest *hash,
			uint64_t *ret_ns)
{
	unsigned char value[OCC_STATE_GROWN_MAX];
	struct occ_span items = {value, 0};
	char name[16];
	size_t at;

	make_name(hash, name, sizeof(name));
	if (occ_state_get(store, name, value, sizeof(value), &items.size))
		return false;
	at = find(items, hash);
	if (at + ITEM_SIZE > items.size)
		return false;
	*ret_ns = (uint64_t)occ_get_u32(value + at + HASH_SIZE) * NS_PER_US;
	return true;
}

struct sighting {
	struct occ_digest hash;
	uint64_t ns;
};

/* The oldest come first, and go first. */
static bool add(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		void *data)
{
	const struct sighting *sighting = data;
	uint64_t us = sighting->ns / NS_PER_US;
	unsigned char number[sizeof(uint32_t)];
	size_t size = old_bytes.size - old_bytes.size % ITEM_SIZE;
	size_t from = 0;

	if (find(old_bytes, &sighting->hash) < size)
		return false;
	if (size + ITEM_SIZE > OCC_STATE_GROWN_MAX)
		from = ITEM_SIZE;
	if (size)
		occ_buffer_append(new_bytes, old_bytes.data + from,
				  size - from);
	occ_buffer_append(new_bytes, sighting->hash.bytes, HASH_SIZE);
	occ_put_u32(number, us > UINT32_MAX ? UINT32_MAX : (uint32_t)us);
	occ_buffer_append(new_bytes, number, sizeof(number));
	return true;
}

int occ_seen_keys_add(struct occ_store *store, const struct occ_digest *hash,
		      uint64_t ns)
{
	struct sighting sighting = {*hash, ns};
	char name[16];

	make_name(hash, name, sizeof(name));
	return occ_state_update(store, name, add, &sighting);
}
