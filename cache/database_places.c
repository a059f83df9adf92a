/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cache/database_internal.h"

/* The key: no padding is in between. */
#define KEY_SIZE (sizeof(uint32_t) + OCC_DIGEST_SIZE)

static struct occ_database_place *find_first(
	const struct occ_database *database, uint32_t type,
	const struct occ_digest *name)
{
	struct occ_database_place *place;
	unsigned char key[KEY_SIZE];

	memcpy(key, &type, sizeof(type));
	memcpy(key + sizeof(type), name->bytes, OCC_DIGEST_SIZE);
	HASH_FIND(hh, database->by_name, key, KEY_SIZE, place);
	return place;
}

struct occ_database_place *occ_database_find(
	const struct occ_database *database, uint32_t type,
	const struct occ_digest *name)
{
	struct occ_database_place *first = find_first(database, type, name);

	return first && first->newest ? first->newest : first;
}

/* False: no memory. */
static bool add_name(struct occ_database *database,
		     struct occ_database_place *place)
{
	struct occ_database_place *first =
		find_first(database, place->frame.type, &place->frame.name);
	bool failed = false;

	if (first) {
		place->first = first;
		place->older = first->newest ? first->newest : first;
		first->newest = place;
		return true;
	}
#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) (failed = true)
	HASH_ADD(hh, database->by_name, frame.type, KEY_SIZE, place);
	return !failed;
}

static void remove_name(struct occ_database *database,
			struct occ_database_place *place)
{
	struct occ_database_place *first = place->first;

	if (first)
		first->newest = place->older == first ? NULL : place->older;
	else if (database->by_name)
		HASH_DEL(database->by_name, place);
}

bool occ_database_add_place(struct occ_database *database,
			    const struct occ_frame_head *head, uint64_t offset)
{
	struct occ_database_place *place, **grown;
	size_t capacity = database->capacity ? database->capacity * 2 : 64;

	if (database->count == database->capacity) {
		grown = realloc(database->places,
				capacity * sizeof(struct occ_database_place *));
		if (!grown)
			return false;
		database->places = grown;
		database->capacity = capacity;
	}
	place = calloc(1, sizeof(*place));
	if (!place)
		return false;
	place->frame.type = head->type;
	place->frame.name = head->name;
	place->frame.size = head->size;
	place->frame.stored = occ_frame_stored(head->length);
	place->offset = offset;
	place->base = head->base;
	place->encoding = head->encoding;
	if (!add_name(database, place)) {
		free(place);
		return false;
	}
	database->places[database->count++] = place;
	return true;
}

const struct occ_database_place *occ_database_place_at(
	const struct occ_database *database, uint64_t offset)
{
	size_t low = 0, high = database->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (database->places[middle]->offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < database->count && database->places[low]->offset == offset
		       ? database->places[low]
		       : NULL;
}

void occ_database_forget_base(struct occ_database_base *base)
{
	occ_buffer_release(&base->bytes);
	base->offset = 0;
}

void occ_database_drop_pending(struct occ_database *database)
{
	while (database->count > database->written) {
		struct occ_database_place *place =
			database->places[--database->count];

		remove_name(database, place);
		free(place);
	}
	for (size_t i = 0; i < OCC_DATABASE_TYPES; i++)
		if (database->written_bases[i].offset >= database->end)
			occ_database_forget_base(&database->written_bases[i]);
	/* Others' frames may come to that place. */
	if (database->read_base.offset >= database->end)
		occ_database_forget_base(&database->read_base);
	occ_buffer_release(&database->pending);
}
