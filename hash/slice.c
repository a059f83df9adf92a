/* SPDX-License-Identifier: MIT */
#include "hash/slice.h"

#include <string.h>

bool occ_slice_same(struct occ_slice one, struct occ_slice other)
{
	return one.size == other.size &&
	       (!one.size || !memcmp(one.data, other.data, one.size));
}

struct occ_slice occ_slices_get(const struct occ_slices *pieces, size_t i)
{
	/* The buffer's memory is aligned for anything. */
	return ((const struct occ_slice *)(const void *)pieces->buffer.data)[i];
}

void occ_slices_add(struct occ_slices *pieces, const char *data, size_t size)
{
	struct occ_slice piece = {data, size};

	occ_buffer_append(&pieces->buffer, &piece, sizeof(piece));
	pieces->count = pieces->buffer.size / sizeof(piece);
}

bool occ_slices_have(const struct occ_slices *pieces, struct occ_slice piece)
{
	for (size_t i = 0; i < pieces->count; i++)
		if (occ_slice_same(occ_slices_get(pieces, i), piece))
			return true;
	return false;
}

void occ_slices_split(struct occ_slice whole, const char *separators,
		      size_t count, struct occ_slices *ret_pieces)
{
	size_t start = 0;

	for (size_t i = 0; i <= whole.size; i++) {
		if (i < whole.size && !memchr(separators, whole.data[i], count))
			continue;
		if (i > start)
			occ_slices_add(ret_pieces, whole.data + start,
				       i - start);
		start = i + 1;
	}
}

void occ_slices_release(struct occ_slices *pieces)
{
	occ_buffer_release(&pieces->buffer);
	pieces->count = 0;
}
