/* SPDX-License-Identifier: MIT */
#include "storage/kept.h"

#include <stdlib.h>
#include <string.h>

#include "cache/remote_protocol.h"

struct occ_kept_value {
	struct occ_kept_value *next;
	unsigned char key[OCC_REMOTE_TEXT_MAX];
	size_t key_size;
	struct occ_value *value;
	uint64_t since;
};

static void drop(struct occ_kept *kept, struct occ_kept_value **at)
{
	struct occ_kept_value *old = *at;

	*at = old->next;
	kept->bytes -= old->value->size;
	occ_value_release(old->value);
	free(old);
}

static struct occ_kept_value **find(struct occ_kept *kept, struct occ_span key)
{
	struct occ_kept_value **at = &kept->first;

	while (*at &&
	       !occ_span_equal((struct occ_span){(*at)->key, (*at)->key_size},
			       key))
		at = &(*at)->next;
	return at;
}

void occ_kept_remove(struct occ_kept *kept, struct occ_span key)
{
	struct occ_kept_value **at = find(kept, key);

	if (*at)
		drop(kept, at);
}

void occ_kept_add(struct occ_kept *kept, struct occ_span key,
		  struct occ_value *value, uint64_t now)
{
	struct occ_kept_value *made, **end = &kept->first;

	occ_kept_remove(kept, key);
	if (value->size > OCC_KEPT_BYTES || key.size > sizeof(made->key))
		return;
	while (kept->bytes > OCC_KEPT_BYTES - value->size)
		drop(kept, &kept->first);
	made = calloc(1, sizeof(*made));
	if (!made)
		return;
	memcpy(made->key, key.data, key.size);
	made->key_size = key.size;
	made->value = value;
	made->since = now;
	value->users++;
	kept->bytes += value->size;
	while (*end)
		end = &(*end)->next;
	*end = made;
}

struct occ_value *occ_kept_find(struct occ_kept *kept, struct occ_span key,
				uint64_t now)
{
	struct occ_kept_value *found;

	occ_kept_expire(kept, now);
	found = *find(kept, key);
	return found ? found->value : NULL;
}

void occ_kept_expire(struct occ_kept *kept, uint64_t now)
{
	while (kept->first && occ_kept_next(kept) <= now)
		drop(kept, &kept->first);
}

uint64_t occ_kept_next(const struct occ_kept *kept)
{
	return kept->first ? kept->first->since + OCC_KEPT_MS : UINT64_MAX;
}
