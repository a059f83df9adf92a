/* SPDX-License-Identifier: MIT */
#include "hash/difference.h"

#include "hash/comparison.h"
#include "hash/key.h"

static bool sides_are_same(const struct occ_comparison_side *now,
			   const struct occ_comparison_side *then)
{
	if (now->fields.count != then->fields.count ||
	    now->digests != then->digests)
		return false;
	for (size_t i = 0; i < now->fields.count; i++)
		if (!occ_slice_same(occ_slices_get(&now->fields, i),
				    occ_slices_get(&then->fields, i)))
			return false;
	return true;
}

/* Does the difference follow from that of another field? */
static bool follows(uint16_t id, const bool differs[64])
{
	switch (id) {
	case OCC_KEY_SOURCE_LENGTHS:
		return differs[OCC_KEY_SOURCE];
	case OCC_KEY_HEADER_LENGTHS:
		return differs[OCC_KEY_HEADER_NAME] ||
		       differs[OCC_KEY_HEADER_SOURCE];
	case OCC_KEY_HEADER_SOURCE:
		return differs[OCC_KEY_HEADER_NAME];
	default:
		return false;
	}
}

/* Takes the field of both keys; to be released. */
static void take(struct occ_comparison *to, const struct occ_span *now,
		 const struct occ_span *then, uint16_t id,
		 struct occ_comparison_field *ret_field)
{
	occ_comparison_take(to, now, id, &ret_field->now);
	occ_comparison_take(to, then, id, &ret_field->then);
}

static void release(struct occ_comparison_field *field)
{
	occ_slices_release(&field->now.fields);
	occ_slices_release(&field->then.fields);
}

static void compare(struct occ_comparison *to, const struct occ_span *now,
		    const struct occ_span *then, const bool differs[64])
{
	for (uint16_t id = 0; id < 64; id++) {
		struct occ_comparison_field field;

		if (!differs[id] || follows(id, differs))
			continue;
		if (id == OCC_KEY_HEADER_NAME || id == OCC_KEY_HEADER_SOURCE) {
			occ_difference_item_headers(to, now, then);
			continue;
		}
		take(to, now, then, id, &field);
		occ_difference_field(to, id, &field);
		release(&field);
	}
}

/* The ids that there are, as bits. */
static uint64_t ids_of(const struct occ_span *key)
{
	struct occ_field field;
	size_t offset = 0;
	uint64_t ids = 0;

	while (occ_field_next(key->data, key->size, &offset, &field) == 1)
		if (field.id < 64)
			ids |= UINT64_C(1) << field.id;
	return ids;
}

/* Ids from 64 on aren't known, nor looked at. False: out of memory. */
static bool find_differences(const struct occ_span *now,
			     const struct occ_span *then, bool ret_differs[64])
{
	uint64_t ids = ids_of(now) | ids_of(then);
	struct occ_comparison comparison = {0};

	for (uint16_t id = 0; id < 64; id++) {
		struct occ_comparison_field field;

		ret_differs[id] = false;
		if (!(ids & UINT64_C(1) << id))
			continue;
		take(&comparison, now, then, id, &field);
		ret_differs[id] = !sides_are_same(&field.now, &field.then);
		release(&field);
	}
	return !comparison.failed;
}

/* "same source and device" */
static void print_what_is_same(struct occ_comparison *to,
			       const bool differs[64])
{
	static const struct {
		const char *name;
		uint16_t from;
		uint16_t to;
	} groups[] = {
		{"source", OCC_KEY_SOURCE, OCC_KEY_IL},
		{"options", OCC_KEY_OPTIONS, OCC_KEY_OPTIONS},
		{"device", OCC_KEY_PLATFORM_NAME, OCC_KEY_DEVICE_EXTENSIONS},
	};
	size_t count = 0, printed = 0;
	bool same_group[3];

	for (size_t g = 0; g < 3; g++) {
		same_group[g] = true;
		for (uint16_t id = groups[g].from; id <= groups[g].to; id++)
			same_group[g] &= !differs[id];
		count += same_group[g];
	}
	for (size_t g = 0; g < 3; g++) {
		if (!same_group[g])
			continue;
		occ_comparison_print(to, "%s%s",
				     !printed		   ? "same "
				     : printed + 1 < count ? ", "
							   : " and ",
				     groups[g].name);
		printed++;
	}
	to->parts = count > 0;
}

uint64_t occ_difference_distance(const struct occ_span *now,
				 const struct occ_span *then)
{
	struct occ_comparison comparison = {.text = NULL};
	bool differs[64];

	if (!find_differences(now, then, differs))
		return UINT64_MAX;
	compare(&comparison, now, then, differs);
	return comparison.failed ? UINT64_MAX : comparison.distance;
}

void occ_difference_describe(const struct occ_span *now,
			     const struct occ_span *then,
			     struct occ_buffer *ret_text)
{
	struct occ_comparison comparison = {.text = ret_text};
	bool differs[64], any = false;

	if (!find_differences(now, then, differs)) {
		ret_text->failed = true;
		return;
	}
	for (size_t id = 0; id < 64; id++)
		any |= differs[id];
	if (!any)
		return;
	print_what_is_same(&comparison, differs);
	compare(&comparison, now, then, differs);
	ret_text->failed |= comparison.failed;
}
