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

void occ_comparison_begin(struct occ_comparison *to)
{
	if (to->parts++)
		occ_comparison_print(to, "; ");
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
	occ_comparison_begin(to);
	to->distance += field->weight;
	occ_comparison_print(to, "%s changed", field->name);
}

void occ_comparison_take(struct occ_comparison *to,
			 const struct occ_stored_key *key, uint16_t id,
			 struct occ_comparison_side *ret_side)
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

void occ_comparison_release(struct occ_comparison_side *side)
{
	occ_slices_release(&side->fields);
}

struct occ_slice occ_comparison_first(const struct occ_comparison_side *side)
{
	return side->fields.count ? occ_slices_get(&side->fields, 0)
				  : (struct occ_slice){"", 0};
}
