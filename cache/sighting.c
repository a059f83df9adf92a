/* SPDX-License-Identifier: MIT */
#include "cache/sighting.h"

#include <stdio.h>
#include <string.h>

#include "cache/state.h"

/* Values in the state, so that one isn't too long; a hash is in one of them. */
#define VALUES	  8
#define ITEM_SIZE 8

static void make_name(const struct occ_digest *hash, char *ret_name,
		      size_t size)
{
	snprintf(ret_name, size, "seen %d",
		 hash->bytes[OCC_DIGEST_SIZE - 1] % VALUES);
}

/* Where the hash is among the items; `size`: nowhere. */
static size_t find(struct occ_span items, const struct occ_digest *hash)
{
	size_t size = items.size - items.size % ITEM_SIZE;

	for (size_t at = 0; at < size; at += ITEM_SIZE)
		if (!memcmp(items.data + at, hash->bytes, ITEM_SIZE))
			return at;
	return size;
}

bool occ_sighting_find(struct occ_store *store, const struct occ_digest *hash)
{
	unsigned char value[OCC_STATE_GROWN_MAX];
	struct occ_span items = {value, 0};
	char name[16];

	make_name(hash, name, sizeof(name));
	return !occ_state_get(store, name, value, sizeof(value), &items.size) &&
	       find(items, hash) + ITEM_SIZE <= items.size;
}

/* The oldest come first, and go first. */
static bool add(struct occ_span old_bytes, struct occ_buffer *new_bytes,
		void *data)
{
	const struct occ_digest *hash = data;
	size_t size = old_bytes.size - old_bytes.size % ITEM_SIZE;
	size_t from = 0;

	if (find(old_bytes, hash) < size)
		return false;
	if (size + ITEM_SIZE > OCC_STATE_GROWN_MAX)
		from = size + ITEM_SIZE - OCC_STATE_GROWN_MAX;
	if (size)
		occ_buffer_append(new_bytes, old_bytes.data + from,
				  size - from);
	occ_buffer_append(new_bytes, hash->bytes, ITEM_SIZE);
	return true;
}

int occ_sighting_add(struct occ_store *store, const struct occ_digest *hash)
{
	struct occ_digest copy = *hash;
	char name[16];

	make_name(hash, name, sizeof(name));
	return occ_state_update(store, name, add, &copy);
}
