/* SPDX-License-Identifier: MIT */
/*
 * What differs between two entries: the fields of their keys, and what they say
 * besides.
 *
 * Calling sequence: occ_entry_comparison_make(), then any of the rest, as long
 * as both entries are there; occ_entry_comparison_release() at the end. From
 * one thread.
 */
#ifndef OCC_CLI_ENTRY_COMPARISON_H
#define OCC_CLI_ENTRY_COMPARISON_H

#include "cache/entry_file.h"
#include "hash/difference.h"

enum occ_side {
	OCC_OLD,
	OCC_NEW,
	OCC_SIDES,
};

/* Something that one of them hasn't, or both have, and not the same. */
struct occ_part {
	const char *name;
	uint16_t id; /* of a key's field; 0: what the entry says besides */
	int form;    /* of its bytes */
	bool is_there[OCC_SIDES];
	struct occ_span bytes[OCC_SIDES]; /* borrowed from the entry */
};

struct occ_entry_comparison {
	struct occ_stored_key keys[OCC_SIDES];
	struct occ_part *parts; /* keys' fields first, in their order */
	size_t count;
};

void occ_entry_comparison_make(const struct occ_entry_file *old_whole,
			       const struct occ_entry_file *new_whole,
			       struct occ_entry_comparison *ret_comparison);
void occ_entry_comparison_release(struct occ_entry_comparison *comparison);

/* The first field of that id that differs, or NULL. */
const struct occ_part *occ_entry_comparison_find(
	const struct occ_entry_comparison *comparison, uint16_t id);

/* In which fields the keys differ, in a line of hash/difference.h. */
void occ_entry_comparison_describe(
	const struct occ_entry_comparison *comparison,
	struct occ_buffer *ret_text);

/*
 * The value of one side as a text; of what is no text its size and digest. For
 * the caller to occ_buffer_release(); empty where the part isn't there.
 */
void occ_entry_comparison_value(const struct occ_part *part, enum occ_side side,
				struct occ_buffer *ret_text);

#endif
