/* SPDX-License-Identifier: MIT */
/*
 * A row within a field needs no buffer of its own: field headers and padding
 * are multiples of 8, so that what is aligned in the inner row is aligned in
 * the outer one too.
 */
#include "cache/description.h"

#include <string.h>

/* Ids within OCC_META_KERNELS, and within each of its fields. */
enum {
	KERNEL = 1,
};
enum {
	NAME = 1,
	ATTRIBUTES = 2,
	ARGUMENT_COUNT = 3,
	ARGUMENT = 4,
};

/* Bytes before those of an answer, and before the code in ARGUMENT. */
#define CODE_SIZE     4
#define ARGUMENT_SIZE 6

#define PARAMETER_MAX 0xffff

static const struct occ_span none;

/* As occ_field_next(), but for fields that have their bytes here. */
static bool next_field(struct occ_span row, size_t *offset,
		       struct occ_field *ret_field)
{
	while (occ_field_next(row.data, row.size, offset, ret_field) == 1)
		if (ret_field->kind == OCC_FIELD_BYTES)
			return true;
	return false;
}

static bool find_field(struct occ_span row, uint16_t id,
		       struct occ_field *ret_field)
{
	struct occ_field field;
	size_t offset = 0;

	while (next_field(row, &offset, &field)) {
		if (field.id != id)
			continue;
		*ret_field = field;
		return true;
	}
	return false;
}

static void copy_field(struct occ_buffer *row, const struct occ_field *field)
{
	occ_field_append(row, field->id, field->payload, (size_t)field->length);
}

/* A field with an answer behind `prefix`. */
static void append_answer(struct occ_buffer *row, uint16_t id,
			  struct occ_span prefix, struct occ_answer answer)
{
	unsigned char header[OCC_FIELD_HEADER_SIZE], code[CODE_SIZE];

	occ_field_header(header, id, OCC_FIELD_BYTES,
			 prefix.size + CODE_SIZE + answer.bytes.size);
	occ_put_u32(code, (uint32_t)answer.code);
	occ_buffer_append(row, header, sizeof(header));
	occ_buffer_append(row, prefix.data, prefix.size);
	occ_buffer_append(row, code, sizeof(code));
	occ_buffer_append(row, answer.bytes.data, answer.bytes.size);
	occ_buffer_align(row, 8);
}

static bool read_answer(const struct occ_field *field, size_t prefix_size,
			struct occ_answer *ret_answer)
{
	size_t before = prefix_size + CODE_SIZE;

	if (field->length < before)
		return false;
	ret_answer->code = (int32_t)occ_get_u32(field->payload + prefix_size);
	ret_answer->bytes = (struct occ_span){field->payload + before,
					      (size_t)field->length - before};
	return true;
}

void occ_answer_append(struct occ_buffer *answers, uint32_t parameter,
		       struct occ_answer answer)
{
	if (parameter <= PARAMETER_MAX)
		append_answer(answers, (uint16_t)parameter, none, answer);
}

bool occ_answer_find(struct occ_span answers, uint32_t parameter,
		     struct occ_answer *ret_answer)
{
	struct occ_field field;

	return parameter <= PARAMETER_MAX &&
	       find_field(answers, (uint16_t)parameter, &field) &&
	       read_answer(&field, 0, ret_answer);
}

static size_t begin(struct occ_buffer *kernels)
{
	unsigned char header[OCC_FIELD_HEADER_SIZE];
	size_t start = kernels->size;

	occ_field_header(header, KERNEL, OCC_FIELD_BYTES, 0);
	occ_buffer_append(kernels, header, sizeof(header));
	return start;
}

size_t occ_description_begin(struct occ_buffer *kernels, const void *name,
			     size_t size)
{
	size_t start = begin(kernels);

	occ_field_append(kernels, NAME, name, size);
	return start;
}

void occ_description_end(struct occ_buffer *kernels, size_t start)
{
	if (kernels->failed)
		return;
	occ_field_header(kernels->data + start, KERNEL, OCC_FIELD_BYTES,
			 kernels->size - start - OCC_FIELD_HEADER_SIZE);
}

void occ_description_add_attributes(struct occ_buffer *kernels,
				    struct occ_answer answer)
{
	append_answer(kernels, ATTRIBUTES, none, answer);
}

void occ_description_add_argument_count(struct occ_buffer *kernels,
					uint32_t count)
{
	unsigned char bytes[4];

	occ_put_u32(bytes, count);
	occ_field_append(kernels, ARGUMENT_COUNT, bytes, sizeof(bytes));
}

void occ_description_add_argument(struct occ_buffer *kernels, uint32_t index,
				  uint32_t parameter, struct occ_answer answer)
{
	unsigned char prefix[ARGUMENT_SIZE];

	if (parameter > PARAMETER_MAX)
		return;
	occ_put_u32(prefix, index);
	occ_put_u16(prefix + 4, (uint16_t)parameter);
	append_answer(kernels, ARGUMENT,
		      (struct occ_span){prefix, sizeof(prefix)}, answer);
}

/* The next kernel that has a name. */
static bool next_kernel(struct occ_span kernels, size_t *offset,
			struct occ_span *ret_kernel, struct occ_span *ret_name)
{
	struct occ_field field, name;

	while (next_field(kernels, offset, &field)) {
		if (field.id != KERNEL ||
		    !find_field(occ_field_span(&field), NAME, &name))
			continue;
		*ret_kernel = occ_field_span(&field);
		*ret_name = occ_field_span(&name);
		return true;
	}
	return false;
}

bool occ_description_find_kernel(struct occ_span kernels, const void *name,
				 size_t size, struct occ_span *ret_kernel)
{
	struct occ_span wanted = {name, size}, kernel, found;
	size_t offset = 0;

	while (next_kernel(kernels, &offset, &kernel, &found)) {
		if (!occ_span_equal(found, wanted))
			continue;
		*ret_kernel = kernel;
		return true;
	}
	return false;
}

bool occ_description_attributes(struct occ_span kernel,
				struct occ_answer *ret_answer)
{
	struct occ_field field;

	return find_field(kernel, ATTRIBUTES, &field) &&
	       read_answer(&field, 0, ret_answer);
}

bool occ_description_argument_count(struct occ_span kernel, uint32_t *ret_count)
{
	struct occ_field field;

	if (!find_field(kernel, ARGUMENT_COUNT, &field) || field.length != 4)
		return false;
	*ret_count = occ_get_u32(field.payload);
	return true;
}

/* The first ARGUMENT field that starts with these bytes. */
static bool find_argument(struct occ_span kernel,
			  const unsigned char prefix[ARGUMENT_SIZE],
			  struct occ_field *ret_field)
{
	size_t offset = 0;

	while (next_field(kernel, &offset, ret_field))
		if (ret_field->id == ARGUMENT &&
		    ret_field->length >= ARGUMENT_SIZE + CODE_SIZE &&
		    !memcmp(ret_field->payload, prefix, ARGUMENT_SIZE))
			return true;
	return false;
}

bool occ_description_argument(struct occ_span kernel, uint32_t index,
			      uint32_t parameter, struct occ_answer *ret_answer)
{
	unsigned char prefix[ARGUMENT_SIZE];
	struct occ_field field;

	if (parameter > PARAMETER_MAX)
		return false;
	occ_put_u32(prefix, index);
	occ_put_u16(prefix + 4, (uint16_t)parameter);
	return find_argument(kernel, prefix, &field) &&
	       read_answer(&field, ARGUMENT_SIZE, ret_answer);
}

static void copy_fields(struct occ_span row, struct occ_buffer *ret_row)
{
	struct occ_field field;
	size_t offset = 0;

	while (next_field(row, &offset, &field))
		copy_field(ret_row, &field);
}

/* Whether the kernel says already what the field would. */
static bool has_part(struct occ_span kernel, const struct occ_field *field)
{
	struct occ_field found;

	if (field->id != ARGUMENT)
		return find_field(kernel, field->id, &found);
	return field->length < ARGUMENT_SIZE + CODE_SIZE ||
	       find_argument(kernel, field->payload, &found);
}

static void merge_kernel(struct occ_span old, struct occ_span new,
			 struct occ_buffer *ret_kernels)
{
	size_t start = begin(ret_kernels), offset = 0;
	struct occ_field field;

	copy_fields(old, ret_kernels);
	while (next_field(new, &offset, &field))
		if (!has_part(old, &field))
			copy_field(ret_kernels, &field);
	occ_description_end(ret_kernels, start);
}

bool occ_description_merge(struct occ_span old_kernels,
			   struct occ_span new_kernels,
			   struct occ_buffer *ret_kernels)
{
	struct occ_span kernel, name, other;
	size_t offset = 0;

	while (next_kernel(old_kernels, &offset, &kernel, &name)) {
		if (!occ_description_find_kernel(new_kernels, name.data,
						 name.size, &other))
			other = none;
		merge_kernel(kernel, other, ret_kernels);
	}
	offset = 0;
	while (next_kernel(new_kernels, &offset, &kernel, &name))
		if (!occ_description_find_kernel(occ_buffer_span(ret_kernels),
						 name.data, name.size, &other))
			merge_kernel(kernel, none, ret_kernels);
	return !occ_span_equal(old_kernels, occ_buffer_span(ret_kernels));
}

bool occ_answer_merge(struct occ_span old_answers, struct occ_span new_answers,
		      struct occ_buffer *ret_answers)
{
	struct occ_field field, found;
	size_t offset = 0;

	copy_fields(old_answers, ret_answers);
	while (next_field(new_answers, &offset, &field))
		if (!find_field(occ_buffer_span(ret_answers), field.id, &found))
			copy_field(ret_answers, &field);
	return !occ_span_equal(old_answers, occ_buffer_span(ret_answers));
}

typedef bool (*merge_rows)(struct occ_span old_row, struct occ_span new_row,
			   struct occ_buffer *ret_row);

/* Appends a metadata field, merged with what it was. */
static bool complete_field(struct occ_span old_metadata, uint16_t id,
			   struct occ_span new_row, merge_rows merge,
			   struct occ_buffer *ret_metadata)
{
	struct occ_buffer row = OCC_BUFFER_INIT;
	struct occ_span old_row = {NULL, 0};
	struct occ_field field;
	bool changed;

	if (find_field(old_metadata, id, &field))
		old_row = occ_field_span(&field);
	changed = merge(old_row, new_row, &row);
	if (row.failed)
		ret_metadata->failed = true;
	else if (row.size)
		occ_field_append(ret_metadata, id, row.data, row.size);
	occ_buffer_release(&row);
	return changed;
}

bool occ_description_complete(struct occ_span old_metadata,
			      struct occ_span kernels, struct occ_span answers,
			      struct occ_buffer *ret_metadata)
{
	struct occ_field field;
	size_t offset = 0;
	bool changed;

	while (next_field(old_metadata, &offset, &field))
		if (field.id != OCC_META_KERNELS &&
		    field.id != OCC_META_ANSWERS)
			copy_field(ret_metadata, &field);
	changed = complete_field(old_metadata, OCC_META_KERNELS, kernels,
				 occ_description_merge, ret_metadata);
	changed |= complete_field(old_metadata, OCC_META_ANSWERS, answers,
				  occ_answer_merge, ret_metadata);
	return changed;
}
