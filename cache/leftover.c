/* SPDX-License-Identifier: MIT */
#include "cache/leftover.h"

#include <string.h>

#include "cache/code.h"
#include "cache/state.h"

#define NAME	    "without code"

/* The value begins with the maker's number. */
#define MAKER_SIZE  4

/* Of a hash, its first bytes: a mistake costs time alone. */
#define HASH_SIZE   8

/* A group: u8 length of the reason, the reason, u16 how many hashes, these. */
#define LENGTH_SIZE 1
#define COUNT_SIZE  2

#define ADDED_MAX                                                              \
	(LENGTH_SIZE + OCC_LEFTOVER_SIZE + COUNT_SIZE + (size_t)HASH_SIZE)

struct group {
	struct occ_span reason;
	const unsigned char *hashes;
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
	size_t left = value.size - *offset, length, head, count;

	if (left < LENGTH_SIZE + COUNT_SIZE)
		return false;
	length = *at;
	head = LENGTH_SIZE + length + COUNT_SIZE;
	if (left < head)
		return false;
	count = occ_get_u16(at + LENGTH_SIZE + length);
	if ((left - head) / HASH_SIZE < count)
		return false;
	*ret_group = (struct group){.reason = {at + LENGTH_SIZE, length},
				    .hashes = at + head,
				    .count = count};
	*offset += head + count * HASH_SIZE;
	return true;
}

static bool has(const struct group *group, size_t index,
		const struct occ_digest *hash)
{
	return !memcmp(group->hashes + index * HASH_SIZE, hash->bytes,
		       HASH_SIZE);
}

bool occ_leftover_find(const struct occ_buffer *state,
		       const struct occ_digest *hash,
		       char ret_reason[OCC_LEFTOVER_SIZE])
{
	unsigned char bytes[OCC_STATE_GROWN_MAX];
	struct occ_span value = {bytes, 0};
	struct group group;
	size_t offset;

	if (!occ_state_find(state, NAME, bytes, sizeof(bytes), &value.size) ||
	    !begin(value, &offset))
		return false;
	while (next(value, &offset, &group)) {
		for (size_t i = 0; i < group.count; i++) {
			if (!has(&group, i, hash) ||
			    group.reason.size >= OCC_LEFTOVER_SIZE)
				continue;
			memcpy(ret_reason, group.reason.data,
			       group.reason.size);
			ret_reason[group.reason.size] = '\0';
			return true;
		}
	}
	return false;
}

/* What is to be remembered. */
struct note {
	const struct occ_digest *hash;
	struct occ_span reason;
};

/* The group without the hash, or, if `adds`, with it. */
static void append(struct occ_buffer *value, const struct group *group,
		   const struct note *note, bool adds)
{
	unsigned char number[COUNT_SIZE], length;
	size_t count = adds;

	for (size_t i = 0; i < group->count; i++)
		count += !has(group, i, note->hash);
	if (!count)
		return;
	length = (unsigned char)group->reason.size;
	occ_buffer_append(value, &length, LENGTH_SIZE);
	occ_buffer_append(value, group->reason.data, group->reason.size);
	occ_put_u16(number, (uint16_t)count);
	occ_buffer_append(value, number, COUNT_SIZE);
	for (size_t i = 0; i < group->count; i++)
		if (!has(group, i, note->hash))
			occ_buffer_append(value, group->hashes + i * HASH_SIZE,
					  HASH_SIZE);
	if (adds)
		occ_buffer_append(value, note->hash->bytes, HASH_SIZE);
}

static bool is_for(const struct group *group, const struct note *note)
{
	return group->reason.size == note->reason.size &&
	       !memcmp(group->reason.data, note->reason.data,
		       note->reason.size);
}

static bool make(struct occ_span old, struct occ_buffer *value, void *data)
{
	const struct note *note = data;
	struct group group, fresh = {.reason = note->reason};
	unsigned char maker[MAKER_SIZE];
	bool placed = false;
	size_t offset;

	occ_put_u32(maker, OCC_CODE_MAKER);
	occ_buffer_append(value, maker, sizeof(maker));
	if (begin(old, &offset) && old.size + ADDED_MAX <= OCC_STATE_GROWN_MAX)
		while (next(old, &offset, &group)) {
			bool same = is_for(&group, note);

			append(value, &group, note, same);
			placed = placed || same;
		}
	if (!placed)
		append(value, &fresh, note, true);
	return true;
}

int occ_leftover_note(struct occ_store *store, const struct occ_digest *hash,
		      const char *reason)
{
	struct note note = {hash,
			    {(const unsigned char *)reason,
			     strnlen(reason, OCC_LEFTOVER_SIZE - 1)}};

	return occ_state_update(store, NAME, make, &note);
}
