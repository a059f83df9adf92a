/* SPDX-License-Identifier: MIT */
/*
 * Lists of pieces of somebody's bytes: words of a text, items of a list, fields
 * of a key. A list begins as zeros and ends with occ_pieces_release(); when
 * memory ran out its buffer has failed, and pieces are missing.
 *
 * Threads: one at a time per list.
 */
#ifndef OCC_HASH_PIECE_H
#define OCC_HASH_PIECE_H

#include "hash/buffer.h"

struct occ_piece {
	const char *data;
	size_t size;
};

struct occ_pieces {
	struct occ_buffer buffer;
	size_t count;
};

bool occ_piece_same(struct occ_piece one, struct occ_piece other);

struct occ_piece occ_pieces_get(const struct occ_pieces *pieces, size_t i);
void occ_pieces_add(struct occ_pieces *pieces, const char *data, size_t size);
bool occ_pieces_have(const struct occ_pieces *pieces, struct occ_piece piece);

/* Adds what lies between the separators, of which there are `count`. */
void occ_pieces_split(struct occ_piece whole, const char *separators,
		      size_t count, struct occ_pieces *ret_pieces);

void occ_pieces_release(struct occ_pieces *pieces);

#endif
