/* SPDX-License-Identifier: MIT */
#include "cli/entry_comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fields.h"
#include "cli/message.h"

enum form {
	FORM_BYTES,
	FORM_TEXT,   /* perhaps with a NUL */
	FORM_NUMBER, /* in 8 bytes */
	FORM_FIELD,  /* of a key */
	FORM_LINES,  /* of a key, and long */
};

static const struct {
	const char *name;
	enum occ_meta_field id;
	enum form form;
} meta_fields[] = {
	{"build log", OCC_META_BUILD_LOG, FORM_TEXT},
	{"answered options", OCC_META_BUILD_OPTIONS, FORM_TEXT},
	{"binary type", OCC_META_BINARY_TYPE, FORM_NUMBER},
	{"kernel count", OCC_META_KERNEL_COUNT, FORM_NUMBER},
	{"kernel names", OCC_META_KERNEL_NAMES, FORM_TEXT},
	{"compile time", OCC_META_COMPILE_TIME, FORM_NUMBER},
	{"created", OCC_META_CREATED, FORM_NUMBER},
	{"writer", OCC_META_WRITER, FORM_TEXT},
	{"kernel descriptions", OCC_META_KERNELS, FORM_BYTES},
	{"other answers", OCC_META_ANSWERS, FORM_BYTES},
	{"completeness", OCC_META_COMPLETENESS, FORM_NUMBER},
};

#define META_FIELDS (sizeof(meta_fields) / sizeof(*meta_fields))

static struct occ_part *add(struct occ_entry_comparison *comparison,
			    const char *name, uint16_t id, enum form form)
{
	struct occ_part *part;

	comparison->parts = occ_message_must(
		reallocarray(comparison->parts, comparison->count + 1,
			     sizeof(*comparison->parts)));
	part = &comparison->parts[comparison->count++];
	*part = (struct occ_part){.name = name, .id = id, .form = form};
	return part;
}

static void set(struct occ_part *part, enum occ_side side,
		struct occ_span bytes)
{
	part->bytes[side] = bytes;
	part->is_there[side] = true;
}

/* Of several fields with one id the first belongs to the other's first. */
static void add_key(struct occ_entry_comparison *comparison,
		    const struct occ_entry_file *whole, enum occ_side side)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1) {
		size_t i = 0;

		while (i < comparison->count &&
		       (comparison->parts[i].id != id ||
			comparison->parts[i].is_there[side]))
			i++;
		if (i == comparison->count)
			add(comparison, occ_key_field_name(id), id,
			    occ_fields_is_long(id) ? FORM_LINES : FORM_FIELD);
		set(&comparison->parts[i], side, bytes);
	}
}

static void add_others(struct occ_entry_comparison *comparison,
		       const struct occ_entry *old_entry,
		       const struct occ_entry *new_entry)
{
	const struct occ_entry *entries[] = {old_entry, new_entry};
	struct occ_part *part;

	for (size_t i = 0; i < META_FIELDS; i++) {
		part = add(comparison, meta_fields[i].name, 0,
			   meta_fields[i].form);
		for (int side = 0; side < OCC_SIDES; side++) {
			struct occ_span bytes =
				occ_entry_bytes(entries[side],
						meta_fields[i].id);

			if (bytes.data)
				set(part, (enum occ_side)side, bytes);
		}
	}
	part = add(comparison, "binary", 0, FORM_BYTES);
	set(part, OCC_OLD, old_entry->binary);
	set(part, OCC_NEW, new_entry->binary);
}

void occ_entry_comparison_make(const struct occ_entry_file *old_whole,
			       const struct occ_entry_file *new_whole,
			       struct occ_entry_comparison *ret_comparison)
{
	const struct occ_span one = old_whole->entry.key,
			      other = new_whole->entry.key;
	size_t kept = 0;

	*ret_comparison = (struct occ_entry_comparison){
		.keys = {{one.data, one.size}, {other.data, other.size}},
	};
	add_key(ret_comparison, old_whole, OCC_OLD);
	add_key(ret_comparison, new_whole, OCC_NEW);
	add_others(ret_comparison, &old_whole->entry, &new_whole->entry);
	for (size_t i = 0; i < ret_comparison->count; i++) {
		const struct occ_part *part = &ret_comparison->parts[i];
		struct occ_span a = part->bytes[OCC_OLD];
		struct occ_span b = part->bytes[OCC_NEW];

		if (part->is_there[OCC_OLD] != part->is_there[OCC_NEW] ||
		    a.size != b.size ||
		    (a.size && memcmp(a.data, b.data, a.size) != 0))
			ret_comparison->parts[kept++] = *part;
	}
	ret_comparison->count = kept;
}

void occ_entry_comparison_release(struct occ_entry_comparison *comparison)
{
	free(comparison->parts);
	*comparison = (struct occ_entry_comparison){.parts = NULL};
}

const struct occ_part *occ_entry_comparison_find(
	const struct occ_entry_comparison *comparison, uint16_t id)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (comparison->parts[i].id == id)
			return &comparison->parts[i];
	return NULL;
}

void occ_entry_comparison_describe(
	const struct occ_entry_comparison *comparison,
	struct occ_buffer *ret_text)
{
	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_difference_describe(&comparison->keys[OCC_NEW],
				&comparison->keys[OCC_OLD], ret_text);
	if (ret_text->failed)
		occ_message_no_memory();
}

void occ_entry_comparison_value(const struct occ_part *part, enum occ_side side,
				struct occ_buffer *ret_text)
{
	struct occ_span bytes = part->bytes[side];
	char line[100], hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;

	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	if (!part->is_there[side])
		return;
	if (part->form == FORM_FIELD) {
		occ_fields_value(part->id, bytes, ret_text);
		return;
	}
	if (part->form == FORM_TEXT)
		bytes = occ_fields_text(bytes);
	if (part->form == FORM_TEXT || part->form == FORM_LINES) {
		occ_buffer_append(ret_text, bytes.data, bytes.size);
	} else if (part->form == FORM_NUMBER && bytes.size == 8) {
		snprintf(line, sizeof(line), "%llu",
			 (unsigned long long)occ_get_u64(bytes.data));
		occ_buffer_append(ret_text, line, strlen(line));
	} else {
		occ_digest(bytes.data, bytes.size, OCC_SEED_CONTENT, &digest);
		occ_digest_hex(&digest, hex);
		snprintf(line, sizeof(line), "%zu bytes, digest %s", bytes.size,
			 hex);
		occ_buffer_append(ret_text, line, strlen(line));
	}
	if (ret_text->failed)
		occ_message_no_memory();
}
