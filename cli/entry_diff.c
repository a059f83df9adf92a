/* SPDX-License-Identifier: MIT */
#include "cli/entry_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/fields.h"
#include "cli/message.h"
#include "cli/screen.h"

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

static struct occ_part *add(struct occ_entry_diff *diff, const char *name,
			    uint16_t id, enum form form)
{
	struct occ_part *part;

	diff->parts =
		occ_message_must(reallocarray(diff->parts, diff->count + 1,
					      sizeof(*diff->parts)));
	part = &diff->parts[diff->count++];
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
static void add_key(struct occ_entry_diff *diff,
		    const struct occ_entry_file *whole, enum occ_side side)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1) {
		size_t i = 0;

		while (i < diff->count && (diff->parts[i].id != id ||
					   diff->parts[i].is_there[side]))
			i++;
		if (i == diff->count)
			add(diff, occ_key_field_name(id), id,
			    occ_fields_is_long(id) ? FORM_LINES : FORM_FIELD);
		set(&diff->parts[i], side, bytes);
	}
}

static void add_others(struct occ_entry_diff *diff,
		       const struct occ_entry *old_entry,
		       const struct occ_entry *new_entry)
{
	const struct occ_entry *entries[] = {old_entry, new_entry};
	struct occ_part *part;

	for (size_t i = 0; i < META_FIELDS; i++) {
		part = add(diff, meta_fields[i].name, 0, meta_fields[i].form);
		for (int side = 0; side < OCC_SIDES; side++) {
			struct occ_span bytes =
				occ_entry_bytes(entries[side],
						meta_fields[i].id);

			if (bytes.data)
				set(part, (enum occ_side)side, bytes);
		}
	}
	part = add(diff, "binary", 0, FORM_BYTES);
	set(part, OCC_OLD, old_entry->binary);
	set(part, OCC_NEW, new_entry->binary);
}

void occ_entry_diff_make(const struct occ_entry_file *old_whole,
			 const struct occ_entry_file *new_whole,
			 struct occ_entry_diff *ret_diff)
{
	size_t kept = 0;

	*ret_diff = (struct occ_entry_diff){
		.keys = {old_whole->entry.key, new_whole->entry.key},
	};
	add_key(ret_diff, old_whole, OCC_OLD);
	add_key(ret_diff, new_whole, OCC_NEW);
	add_others(ret_diff, &old_whole->entry, &new_whole->entry);
	for (size_t i = 0; i < ret_diff->count; i++) {
		const struct occ_part *part = &ret_diff->parts[i];

		if (part->is_there[OCC_OLD] != part->is_there[OCC_NEW] ||
		    !occ_span_equal(part->bytes[OCC_OLD], part->bytes[OCC_NEW]))
			ret_diff->parts[kept++] = *part;
	}
	ret_diff->count = kept;
}

void occ_entry_diff_release(struct occ_entry_diff *diff)
{
	free(diff->parts);
	*diff = (struct occ_entry_diff){.parts = NULL};
}

const struct occ_part *occ_entry_diff_find(const struct occ_entry_diff *diff,
					   uint16_t id)
{
	for (size_t i = 0; i < diff->count; i++)
		if (diff->parts[i].id == id)
			return &diff->parts[i];
	return NULL;
}

void occ_entry_diff_describe(const struct occ_entry_diff *diff,
			     struct occ_buffer *ret_text)
{
	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_difference_describe(&diff->keys[OCC_NEW], &diff->keys[OCC_OLD],
				ret_text);
	if (ret_text->failed)
		occ_message_no_memory();
}

void occ_entry_diff_value(const struct occ_part *part, enum occ_side side,
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

/* Bytes at the beginning that are the same and are whole lines. */
static size_t common_begin(struct occ_span one, struct occ_span other,
			   size_t *ret_line)
{
	size_t size = one.size < other.size ? one.size : other.size;
	size_t begin = 0, at = 0;

	*ret_line = 1;
	for (; at < size && one.data[at] == other.data[at]; at++)
		if (one.data[at] == '\n') {
			begin = at + 1;
			++*ret_line;
		}
	return at == one.size && at == other.size ? at : begin;
}

/* Of what is left, from the end. */
static size_t common_end(struct occ_span one, struct occ_span other)
{
	size_t size = one.size < other.size ? one.size : other.size;
	size_t end = 0;

	for (size_t at = 1; at <= size; at++) {
		if (one.data[one.size - at] != other.data[other.size - at])
			return end;
		/* A line begins behind another's end, or where the text does.
		 */
		if ((at == one.size || one.data[one.size - at - 1] == '\n') &&
		    (at == other.size ||
		     other.data[other.size - at - 1] == '\n'))
			end = at;
	}
	return end;
}

static struct occ_span middle(struct occ_span text, size_t begin, size_t end)
{
	return (struct occ_span){text.data ? text.data + begin : NULL,
				 text.size - begin - end};
}

void occ_entry_diff_lines(struct occ_span old_text, struct occ_span new_text,
			  struct occ_lines *ret_lines)
{
	size_t begin = common_begin(old_text, new_text, &ret_lines->line);
	size_t end = common_end(middle(old_text, begin, 0),
				middle(new_text, begin, 0));

	ret_lines->old_rest = middle(old_text, begin, end);
	ret_lines->new_rest = middle(new_text, begin, end);
	ret_lines->common = begin + end;
}

size_t occ_entry_diff_alike(const struct occ_lines *lines)
{
	struct occ_span one = lines->old_rest, other = lines->new_rest;
	size_t size = one.size < other.size ? one.size : other.size;
	size_t begin = 0, end = 0;

	while (begin < size && one.data[begin] == other.data[begin])
		begin++;
	while (end < size - begin &&
	       one.data[one.size - 1 - end] == other.data[other.size - 1 - end])
		end++;
	return begin + end;
}

static void show(char sign, enum occ_colour colour, struct occ_span text,
		 size_t most)
{
	size_t shown = 0, more = 0;

	for (; text.size; shown++) {
		const unsigned char *end = memchr(text.data, '\n', text.size);
		size_t length = end ? (size_t)(end - text.data) + 1 : text.size;
		size_t without = length - (text.data[length - 1] == '\n');

		if (shown < most) {
			printf("%s  %c ",
			       occ_screen_colour(STDOUT_FILENO, colour), sign);
			occ_screen_write(stdout, (const char *)text.data,
					 without, false);
			printf("%s\n", occ_screen_colour(STDOUT_FILENO,
							 OCC_COLOUR_NONE));
		} else {
			more++;
		}
		text.data += length;
		text.size -= length;
	}
	if (more)
		printf("  %c ... and %zu more line%s\n", sign, more,
		       more == 1 ? "" : "s");
}

void occ_entry_diff_show_lines(const struct occ_lines *lines, size_t most)
{
	show('-', OCC_COLOUR_RED, lines->old_rest, most);
	show('+', OCC_COLOUR_GREEN, lines->new_rest, most);
}
