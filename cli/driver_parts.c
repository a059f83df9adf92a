/* SPDX-License-Identifier: MIT */
#include "cli/driver_parts.h"

#include <string.h>

/* False: it is none of ours. */
static bool take_field(uint16_t id, struct occ_span bytes,
		       struct occ_driver_parts *parts)
{
	size_t list = 0;

	switch (id) {
	case OCC_KEY_PLATFORM_NAME:
		parts->platform = bytes;
		return true;
	case OCC_KEY_PLATFORM_VENDOR:
		parts->vendor = bytes;
		return true;
	case OCC_KEY_PLATFORM_VERSION:
		parts->platform_version = bytes;
		return true;
	case OCC_KEY_DRIVER_VERSION:
		parts->version = bytes;
		return true;
	case OCC_KEY_HOST_CPU:
		parts->cpu = bytes;
		return true;
	case OCC_KEY_DRIVER_IDENTITY:
		while (list < OCC_DRIVER_PARTS_LISTS - 1 &&
		       parts->lists[list].data)
			list++;
		parts->lists[list] = bytes;
		return true;
	default:
		return false;
	}
}

static bool take_whole(const struct occ_entry_file *file,
		       struct occ_driver_parts *parts)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_span bytes;
	uint16_t id;
	int found;

	while ((found = occ_entry_file_next(file, &cursor, &id, &bytes)) == 1)
		take_field(id, bytes, parts);
	return !found;
}

static bool take_summary(const struct occ_span key,
			 struct occ_driver_parts *parts)
{
	struct occ_field field;
	size_t offset = 0;
	int found;

	while ((found = occ_field_next(key.data, key.size, &offset, &field)) ==
	       1) {
		bool is_long = field.kind != OCC_FIELD_BYTES;
		struct occ_span none = {NULL, 0};

		if (take_field(field.id,
			       is_long ? none : occ_field_span(&field),
			       parts) &&
		    is_long)
			return false;
	}
	return !found;
}

bool occ_driver_parts_take(const struct occ_entry_file *file,
			   enum occ_entry_file_depth depth,
			   struct occ_driver_parts *ret_parts)
{
	memset(ret_parts, 0, sizeof(*ret_parts));
	return (depth == OCC_ENTRY_FILE_WHOLE
			? take_whole(file, ret_parts)
			: take_summary(file->entry.key, ret_parts)) &&
	       ret_parts->platform.data;
}

bool occ_driver_parts_same_version(const struct occ_driver_parts *one,
				   const struct occ_driver_parts *other)
{
	return occ_span_equal(one->platform, other->platform) &&
	       occ_span_equal(one->vendor, other->vendor) &&
	       occ_span_equal(one->platform_version, other->platform_version) &&
	       occ_span_equal(one->version, other->version);
}

/* A part, without its NUL: "NAME ID", and of it the name. */
static bool next_part(struct occ_span list, size_t *at,
		      struct occ_span *ret_part, struct occ_span *ret_name)
{
	const unsigned char *start = list.data + *at, *blank;
	size_t left = list.size - *at;

	if (!left)
		return false;
	*ret_part =
		(struct occ_span){start, strnlen((const char *)start, left)};
	blank = memrchr(start, ' ', ret_part->size);
	*ret_name = (struct occ_span){start, blank ? (size_t)(blank - start)
						   : ret_part->size};
	*at += ret_part->size + (ret_part->size < left);
	return true;
}

/* Does the list have the name, and nowhere with that content? */
static bool differs(struct occ_span list, struct occ_span part,
		    struct occ_span name)
{
	struct occ_span other, other_name;
	bool named = false;
	size_t at = 0;

	while (next_part(list, &at, &other, &other_name)) {
		if (occ_span_equal(other, part))
			return false;
		named |= occ_span_equal(other_name, name);
	}
	return named;
}

bool occ_driver_parts_next_difference(const struct occ_driver_parts *one,
				      const struct occ_driver_parts *other,
				      struct occ_driver_parts_cursor *cursor,
				      struct occ_span *ret_name)
{
	struct occ_span part;

	while (cursor->list < OCC_DRIVER_PARTS_LISTS) {
		struct occ_span list = one->lists[cursor->list];

		while (next_part(list, &cursor->at, &part, ret_name))
			if (differs(other->lists[cursor->list], part,
				    *ret_name))
				return true;
		cursor->list++;
		cursor->at = 0;
	}
	return false;
}

/* Up to ".so". */
static size_t stem(const char *name, size_t size)
{
	const char *end = memmem(name, size, ".so", 3);

	return end ? (size_t)(end - name) : size;
}

bool occ_driver_parts_has_any(const struct occ_driver_parts *parts,
			      const struct occ_buffer *libraries)
{
	const char *end = (const char *)libraries->data + libraries->size;
	struct occ_span part, name;

	for (size_t i = 0; i < OCC_DRIVER_PARTS_LISTS; i++)
		for (size_t at = 0;
		     next_part(parts->lists[i], &at, &part, &name);) {
			const char *text = (const char *)name.data;
			size_t size = stem(text, name.size);

			for (const char *library =
				     (const char *)libraries->data;
			     library < end; library += strlen(library) + 1)
				if (stem(library, strlen(library)) == size &&
				    !memcmp(library, text, size))
					return true;
		}
	return false;
}
