/* SPDX-License-Identifier: MIT */
#include "cache/upgrade_skip.h"

#include <string.h>

#include "cache/state.h"

#define NAME	    "without code"

/* The value begins with the maker's number. */
#define MAKER_SIZE  4

/* A group: u8 length of the reason, it, u8 tries, u16 how many, names. */
#define LENGTH_SIZE 1
#define TRIES_SIZE  1
#define COUNT_SIZE  2
#define HEAD_SIZE   (LENGTH_SIZE + TRIES_SIZE + COUNT_SIZE)

/*
 * Of an entry: the first bytes of its hash, with the time of its storing: a
 * mistake costs time alone.
 */
#define ID_SIZE	    8

#define ADDED_MAX   (HEAD_SIZE + OCC_UPGRADE_SKIP_SIZE + (size_t)ID_SIZE)

struct group {
	struct occ_span reason;
	unsigned tries; /* OCC_UPGRADE_SKIP_TRIES: for good */
	const unsigned char *ids;
	size_t count;
};

/* From which *offset the groups come; false: the bytes are no such value. */
static bool begin(struct occ_span value, size_t *offset)
{
	*offset = MAKER_SIZE;
	return value.size >= MAKER_SIZE &&
	       occ_get_u32(value.data) == OCC_CODE_MAKER;
}

/* False at the end, or where the bytes are no group. */
static bool next(struct occ_span value, size_t *offset, struct group *ret_group)
{
	const unsigned char *at = value.data + *offset;
	size_t left = value.size - *offset, length, size, count;

	if (left < HEAD_SIZE)
		return false;
	length = *at;
	size = HEAD_SIZE + length;
	if (left < size)
		return false;
	count = occ_get_u16(at + size - COUNT_SIZE);
	if ((left - size) / ID_SIZE < count)
		return false;
	*ret_group = (struct group){.reason = {at + LENGTH_SIZE, length},
				    .tries = at[LENGTH_SIZE + length],
				    .ids = at + size,
				    .count = count};
	*offset += size + count * ID_SIZE;
	return true;
}

static void make_id(const struct occ_entry *entry, unsigned char id[ID_SIZE])
{
	uint64_t created = occ_entry_number(entry, OCC_META_CREATED, 0);

	for (unsigned i = 0; i < ID_SIZE; i++)
		id[i] = entry->hash.bytes[i] ^
			(unsigned char)(created >> (8 * i));
}

static bool is_at(const struct group *group, size_t index,
		  const unsigned char id[ID_SIZE])
{
	return !memcmp(group->ids + index * ID_SIZE, id, ID_SIZE);
}

/* The group that has it. */
static bool find(struct occ_span value, const unsigned char id[ID_SIZE],
		 struct group *ret_group)
{
	size_t offset;

	if (!begin(value, &offset))
		return false;
	while (next(value, &offset, ret_group))
		for (size_t i = 0; i < ret_group->count; i++)
			if (is_at(ret_group, i, id) &&
			    ret_group->reason.size < OCC_UPGRADE_SKIP_SIZE)
				return true;
	return false;
}

bool occ_upgrade_skip_find(const struct occ_buffer *state,
			   const struct occ_entry *entry,
			   struct occ_upgrade_skip *ret_leftover)
{
	unsigned char bytes[OCC_STATE_GROWN_MAX], id[ID_SIZE];
	struct occ_span value = {bytes, 0};
	struct group group;

	make_id(entry, id);
	if (!occ_state_find(state, NAME, bytes, sizeof(bytes), &value.size) ||
	    !find(value, id, &group))
		return false;
	memcpy(ret_leftover->reason, group.reason.data, group.reason.size);
	ret_leftover->reason[group.reason.size] = '\0';
	ret_leftover->is_final = group.tries >= OCC_UPGRADE_SKIP_TRIES;
	return true;
}

/* What is to be remembered. */
struct note {
	unsigned char id[ID_SIZE];
	struct occ_span reason;
	unsigned tries;
};

/* The group without the entry, or, if `adds`, with it. */
static void append(struct occ_buffer *value, const struct group *group,
		   const struct note *note, bool adds)
{
	unsigned char number[COUNT_SIZE], length, tries;
	size_t count = adds;

	for (size_t i = 0; i < group->count; i++)
		count += !is_at(group, i, note->id);
	if (!count)
		return;
	length = (unsigned char)group->reason.size;
	tries = (unsigned char)group->tries;
	occ_buffer_append(value, &length, LENGTH_SIZE);
	occ_buffer_append(value, group->reason.data, group->reason.size);
	occ_buffer_append(value, &tries, TRIES_SIZE);
	occ_put_u16(number, (uint16_t)count);
	occ_buffer_append(value, number, COUNT_SIZE);
	for (size_t i = 0; i < group->count; i++)
		if (!is_at(group, i, note->id))
			occ_buffer_append(value, group->ids + i * ID_SIZE,
					  ID_SIZE);
	if (adds)
		occ_buffer_append(value, note->id, ID_SIZE);
}

/* Of all that failed, this one included. */
static unsigned count_tries(struct occ_span old, const struct note *note)
{
	struct group group;

	if (!find(old, note->id, &group))
		return note->tries;
	return group.tries + note->tries < OCC_UPGRADE_SKIP_TRIES
		       ? group.tries + note->tries
		       : OCC_UPGRADE_SKIP_TRIES;
}

static bool make(struct occ_span old, struct occ_buffer *value, void *data)
{
	struct note *note = data;
	struct group group, fresh = {.reason = note->reason};
	unsigned char maker[MAKER_SIZE];
	bool placed = false;
	size_t offset;

	fresh.tries = note->tries = count_tries(old, note);
	occ_put_u32(maker, OCC_CODE_MAKER);
	occ_buffer_append(value, maker, sizeof(maker));
	if (begin(old, &offset) && old.size + ADDED_MAX <= OCC_STATE_GROWN_MAX)
		while (next(old, &offset, &group)) {
			bool same = group.tries == note->tries &&
				    occ_span_equal(group.reason, note->reason);

			append(value, &group, note, same);
			placed = placed || same;
		}
	if (!placed)
		append(value, &fresh, note, true);
	return true;
}

int occ_upgrade_skip_note(struct occ_store *store,
			  const struct occ_entry *entry, const char *reason,
			  bool is_final)
{
	struct note note = {
		.reason = {(const unsigned char *)reason,
			   strnlen(reason, OCC_UPGRADE_SKIP_SIZE - 1)},
		.tries = is_final ? OCC_UPGRADE_SKIP_TRIES : 1,
	};

	make_id(entry, note.id);
	return occ_state_update(store, NAME, make, &note);
}
