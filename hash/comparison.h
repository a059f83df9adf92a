/* SPDX-License-Identifier: MIT */
/*
 * Two keys that are being compared: what the files of hash/difference.h share.
 *
 *	difference.c        which fields differ, how much, and in words
 *	difference_field.c  how each field is compared: texts and lists
 *	difference_item.c   the same of fields with items of their own kinds
 *	comparison.c        the words, and the fields of a key
 *
 * Private to these. Threads: one at a time per comparison.
 */
#ifndef OCC_HASH_COMPARISON_H
#define OCC_HASH_COMPARISON_H

#include "hash/difference.h"

/*
 * Pieces of somebody's bytes: words of a text, items of a list, fields of a
 * key. A list begins as zeros and ends with occ_slices_release(); when memory
 * ran out its buffer has failed, and pieces are missing.
 */
struct occ_slice {
	const char *data;
	size_t size;
};

struct occ_slices {
	struct occ_buffer buffer;
	size_t count;
};

bool occ_slice_same(struct occ_slice one, struct occ_slice other);

struct occ_slice occ_slices_get(const struct occ_slices *pieces, size_t i);
void occ_slices_add(struct occ_slices *pieces, const char *data, size_t size);
bool occ_slices_have(const struct occ_slices *pieces, struct occ_slice piece);

/* Adds what lies between the separators, of which there are `count`. */
void occ_slices_split(struct occ_slice whole, const char *separators,
		      size_t count, struct occ_slices *ret_pieces);

void occ_slices_release(struct occ_slices *pieces);

/* Longer lists only differ: each item is compared with each. */
#define OCC_COMPARISON_ITEMS_MAX 1024

/* How much it counts that a field differs; see difference.h. */
enum occ_comparison_weight {
	OCC_WEIGHT_ITEM = 1,	/* an option, a variable, a constant */
	OCC_WEIGHT_FILE = 4,	/* a header */
	OCC_WEIGHT_DRIVER = 4,	/* another version of it */
	OCC_WEIGHT_DEVICE = 20, /* another one, or another platform */
	OCC_WEIGHT_LINES = 40,	/* a source of which some lines differ */
	OCC_WEIGHT_SOURCE = 80, /* another source */
	OCC_WEIGHT_OTHER = 200, /* nothing that could be compared */
};

/* All fields of a key with one id. */
struct occ_comparison_side {
	struct occ_slices fields;
	bool digests; /* at least one is kept as that */
};

/* A field of both keys. */
struct occ_comparison_field {
	const char *name;
	enum occ_comparison_weight weight;
	const char *separators; /* of a list */
	const char *added;	/* what is said of an item that is new */
	const char *removed;	/* ... and of one that is there no more */
	struct occ_comparison_side now;
	struct occ_comparison_side then;
};

struct occ_comparison {
	uint64_t distance;
	struct occ_buffer *text; /* NULL: only the distance is wanted */
	unsigned parts;		 /* of the text: fields */
	size_t named;		 /* items of this field that were named */
	bool failed;
};

/* Takes the fields with this id; `fields` are to be released. */
void occ_comparison_take(struct occ_comparison *to, const struct occ_span *key,
			 uint16_t id, struct occ_comparison_side *ret_side);

/* The first field; empty if there is none. */
struct occ_slice occ_comparison_first(const struct occ_comparison_side *side);

void occ_comparison_print(struct occ_comparison *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* For %.*s: as much of a slice as is printed. */
int occ_comparison_shown(struct occ_slice slice);

/* Begins what is printed of a field, with what it is. */
void occ_comparison_begin(struct occ_comparison *to, const char *what);

/* Counts an item that differs, and returns whether it is to be printed. */
bool occ_comparison_name(struct occ_comparison *to, unsigned weight);

/* Ends it; `otherwise` is printed if no item was named, and counts as one. */
void occ_comparison_end(struct occ_comparison *to, const char *otherwise);

/* Of fields that aren't compared further. */
void occ_comparison_blob(struct occ_comparison *to,
			 const struct occ_comparison_field *field);

/* Compares a field that differs, of any id but those of headers. */
void occ_difference_field(struct occ_comparison *to, uint16_t id,
			  struct occ_comparison_field *field);

/* Specialization constants, included files, linked programs. */
void occ_difference_item_constants(struct occ_comparison *to,
				   const struct occ_comparison_field *field);
void occ_difference_item_files(struct occ_comparison *to,
			       const struct occ_comparison_field *field);
void occ_difference_item_inputs(struct occ_comparison *to,
				const struct occ_comparison_field *field);

/* Embedded headers: their sources, by the names that come before each. */
void occ_difference_item_headers(struct occ_comparison *to,
				 const struct occ_span *now,
				 const struct occ_span *then);

#endif
