/* SPDX-License-Identifier: MIT */
#include "hash/piece.h"

#include <string.h>

bool occ_piece_same(struct occ_piece one, struct occ_piece other)
{
	return one.size == other.size &&
	       (!one.size || !memcmp(one.data, other.data, one.size));
}

struct occ_piece occ_pieces_get(const struct occ_pieces *pieces, size_t i)
{
	/* The buffer's memory is aligned for anything. */
	return ((const struct occ_piece *)(const void *)pieces->buffer.data)[i];
}

void occ_pieces_add(struct occ_pieces *pieces, const char *data, size_t size)
{
	struct occ_piece piece = {data, size};

	occ_buffer_append(&pieces->buffer, &piece, sizeof(piece));
	pieces->count = pieces->buffer.size / sizeof(piece);
}

bool occ_pieces_have(const struct occ_pieces *pieces, struct occ_piece piece)
{
	for (size_t i = 0; i < pieces->count; i++)
		if (occ_piece_same(occ_pieces_get(pieces, i), piece))
			return true;
	return false;
}

void occ_pieces_split(struct occ_piece whole, const char *separators,
		      size_t count, struct occ_pieces *ret_pieces)
{
	size_t start = 0;

	for (size_t i = 0; i <= whole.size; i++) {
		if (i < whole.size && !memchr(separators, whole.data[i], count))
			continue;
		if (i > start)
			occ_pieces_add(ret_pieces, whole.data + start,
				       i - start);
		start = i + 1;
	}
}

void occ_pieces_release(struct occ_pieces *pieces)
{
	occ_buffer_release(&pieces->buffer);
	pieces->count = 0;
}
