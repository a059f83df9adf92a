/* SPDX-License-Identifier: MIT */
/*
 * Lists of pieces of somebody's bytes: words of a text, items of a list, fields
 * of a key. A list begins as zeros and ends with occ_slices_release(); when
 * memory ran out its buffer has failed, and pieces are missing.
 *
 * Threads: one at a time per list.
 */
#ifndef OCC_HASH_SLICE_H
#define OCC_HASH_SLICE_H

#include "hash/buffer.h"

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

#endif
