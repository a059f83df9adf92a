/* SPDX-License-Identifier: MIT */
#include "hash/comparison.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Items of a field that are named, and bytes of one that are printed. */
#define NAMED_MAX 4
#define SHOWN_MAX 80

void occ_comparison_print(struct occ_comparison *to, const char *format, ...)
{
	char text[2 * SHOWN_MAX + 100];
	va_list arguments;
	int size;

	if (!to->text)
		return;
	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (size >= (int)sizeof(text))
		size = sizeof(text) - 1;
	if (size > 0)
		occ_buffer_append(to->text, text, (size_t)size);
}

int occ_comparison_shown(struct occ_slice slice)
{
	return (int)(slice.size < SHOWN_MAX ? slice.size : SHOWN_MAX);
}

void occ_comparison_begin(struct occ_comparison *to, const char *what)
{
	occ_comparison_print(to, "%s%s", to->parts++ ? "; " : "", what);
	to->named = 0;
}

bool occ_comparison_name(struct occ_comparison *to, unsigned weight)
{
	to->distance += weight;
	if (to->named++ >= NAMED_MAX)
		return false;
	if (to->named > 1)
		occ_comparison_print(to, ", ");
	return true;
}

void occ_comparison_end(struct occ_comparison *to, const char *otherwise)
{
	if (!to->named) {
		to->distance += OCC_WEIGHT_ITEM;
		occ_comparison_print(to, "%s", otherwise);
	}
	if (to->named > NAMED_MAX)
		occ_comparison_print(to, ", and %zu more",
				     to->named - NAMED_MAX);
}

void occ_comparison_blob(struct occ_comparison *to,
			 const struct occ_comparison_field *field)
{
	occ_comparison_begin(to, field->name);
	to->distance += field->weight;
	occ_comparison_print(to, " changed");
}

void occ_comparison_take(struct occ_comparison *to, const struct occ_span *key,
			 uint16_t id, struct occ_comparison_side *ret_side)
{
	struct occ_field field;
	size_t offset = 0;

	memset(ret_side, 0, sizeof(*ret_side));
	while (occ_field_next(key->data, key->size, &offset, &field) == 1) {
		bool digest = field.kind == OCC_FIELD_DIGEST;

		if (field.id != id)
			continue;
		ret_side->digests |= digest;
		/* A digest says the length, too, which is before it. */
		occ_slices_add(&ret_side->fields,
			       (const char *)field.payload - (digest ? 8 : 0),
			       digest ? 24 : (size_t)field.length);
	}
	to->failed |= ret_side->fields.buffer.failed;
}

struct occ_slice occ_comparison_first(const struct occ_comparison_side *side)
{
	return side->fields.count ? occ_slices_get(&side->fields, 0)
				  : (struct occ_slice){"", 0};
}

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
