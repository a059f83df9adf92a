/* SPDX-License-Identifier: MIT */
/*
 * What differs between two entries: the fields of their keys, what they say
 * besides, and the lines of their texts.
 *
 * Calling sequence: occ_entry_diff_make(), then any of the rest, as long as
 * both entries are there; occ_entry_diff_release() at the end. From one thread.
 */
#ifndef OCC_CLI_ENTRY_DIFF_H
#define OCC_CLI_ENTRY_DIFF_H

#include "cache/entry.h"
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

struct occ_entry_diff {
	struct occ_span keys[OCC_SIDES];
	struct occ_part *parts; /* keys' fields first, in their order */
	size_t count;
};

void occ_entry_diff_make(const struct occ_entry_file *old_whole,
			 const struct occ_entry_file *new_whole,
			 struct occ_entry_diff *ret_diff);
void occ_entry_diff_release(struct occ_entry_diff *diff);

/* The first field of that id that differs, or NULL. */
const struct occ_part *occ_entry_diff_find(const struct occ_entry_diff *diff,
					   uint16_t id);

/* In which fields the keys differ, in a line of hash/difference.h. */
void occ_entry_diff_describe(const struct occ_entry_diff *diff,
			     struct occ_buffer *ret_text);

/*
 * The value of one side as a text; of what is no text its size and digest. For
 * the caller to occ_buffer_release(); empty where the part isn't there.
 */
void occ_entry_diff_value(const struct occ_part *part, enum occ_side side,
			  struct occ_buffer *ret_text);

/*
 * Where two texts differ, line by line: what is the same at both ends is left
 * out, and of the rest the first lines are shown, "- " and "+ " before them.
 */
struct occ_lines {
	size_t line;			    /* the first that differs, from 1 */
	struct occ_span old_rest, new_rest; /* whole lines */
	size_t common; /* bytes that are the same, at both ends */
};

void occ_entry_diff_lines(struct occ_span old_text, struct occ_span new_text,
			  struct occ_lines *ret_lines);

/* Bytes at both ends of the rests that are the same. */
size_t occ_entry_diff_alike(const struct occ_lines *lines);

/* On standard output, at most so many lines of each. */
void occ_entry_diff_show_lines(const struct occ_lines *lines, size_t most);

#endif
