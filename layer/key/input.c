/* SPDX-License-Identifier: MIT */
#include "layer/key/input.h"

#include <stdlib.h>
#include <string.h>

#include "hash/buffer.h"

static struct occ_input *new_input(size_t size)
{
	struct occ_input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->references = 1;
	input->size = size;
	input->text = malloc(size + 1);
	if (!input->text) {
		free(input);
		return NULL;
	}
	input->text[size] = '\0';
	return input;
}

/* A length of 0, or no lengths at all: the string ends at its NUL. */
static size_t length_of(cl_uint i, const char **strings, const size_t *lengths)
{
	return lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
}

struct occ_input *occ_input_from_source(cl_uint count, const char **strings,
					const size_t *lengths)
{
	struct occ_input *input;
	size_t size = 0, at = 0;

	for (cl_uint i = 0; i < count; i++)
		size += length_of(i, strings, lengths);
	input = new_input(size);
	if (!input)
		return NULL;
	input->lengths_size = (size_t)count * 8;
	input->lengths = calloc(count + (size_t)1, 8);
	if (!input->lengths) {
		occ_input_release(input);
		return NULL;
	}
	for (cl_uint i = 0; i < count; i++) {
		size_t length = length_of(i, strings, lengths);

		memcpy(input->text + at, strings[i], length);
		at += length;
		occ_put_u64(input->lengths + (size_t)i * 8, length);
	}
	return input;
}

struct occ_input *occ_input_from_il(const void *il, size_t size,
				    cl_api_clCreateProgramWithIL create)
{
	struct occ_input *input = new_input(size);

	if (!input)
		return NULL;
	input->is_il = true;
	input->create_with_il = create;
	memcpy(input->text, il, size);
	return input;
}

struct occ_input *occ_input_retain(struct occ_input *input)
{
	__atomic_add_fetch(&input->references, 1, __ATOMIC_RELAXED);
	return input;
}

void occ_input_release(struct occ_input *input)
{
	if (!input ||
	    __atomic_sub_fetch(&input->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(input->text);
	free(input->lengths);
	free(input);
}

void occ_input_label(const struct occ_input *input,
		     char ret_label[OCC_SOURCE_LABEL_SIZE])
{
	struct occ_span text = {NULL, 0};

	if (input)
		text = (struct occ_span){(const unsigned char *)input->text,
					 input->size};
	occ_source_label(text, input && input->is_il, ret_label);
}

void occ_input_add(const struct occ_input *input, struct occ_key *key)
{
	if (input->is_il) {
		occ_key_add(key, OCC_KEY_IL, input->text, input->size);
		return;
	}
	occ_key_add(key, OCC_KEY_SOURCE, input->text, input->size);
	occ_key_add(key, OCC_KEY_SOURCE_LENGTHS, input->lengths,
		    input->lengths_size);
}

bool occ_spec_constants_set(struct occ_spec_constants *constants, cl_uint id,
			    size_t size, const void *value)
{
	struct occ_spec_constant *list = constants->list;
	unsigned char *copy = malloc(size ? size : 1);
	size_t at = 0;

	if (!copy)
		return false;
	memcpy(copy, value, size);
	while (at < constants->count && list[at].id < id)
		at++;
	if (at == constants->count || list[at].id != id) {
		list = realloc(list, (constants->count + 1) * sizeof(*list));
		if (!list) {
			free(copy);
			return false;
		}
		constants->list = list;
		memmove(list + at + 1, list + at,
			(constants->count - at) * sizeof(*list));
		constants->count++;
		list[at].value = NULL;
	}
	free(list[at].value);
	list[at] = (struct occ_spec_constant){id, size, copy};
	return true;
}

bool occ_spec_constants_copy(const struct occ_spec_constants *from,
			     struct occ_spec_constants *ret_copy)
{
	struct occ_spec_constants copy = {.specialize = from->specialize};

	copy.list = calloc(from->count + 1, sizeof(*copy.list));
	while (copy.list && copy.count < from->count) {
		struct occ_spec_constant constant = from->list[copy.count];
		unsigned char *value = malloc(constant.size + 1);

		if (!value)
			break;
		constant.value = memcpy(value, constant.value, constant.size);
		copy.list[copy.count++] = constant;
	}
	if (copy.list && copy.count == from->count) {
		*ret_copy = copy;
		return true;
	}
	occ_spec_constants_release(&copy);
	*ret_copy = copy;
	return false;
}

bool occ_spec_constants_equal(const struct occ_spec_constants *a,
			      const struct occ_spec_constants *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->list[i].id != b->list[i].id ||
		    a->list[i].size != b->list[i].size ||
		    memcmp(a->list[i].value, b->list[i].value, a->list[i].size))
			return false;
	return true;
}

void occ_spec_constants_release(struct occ_spec_constants *constants)
{
	for (size_t i = 0; i < constants->count; i++)
		free(constants->list[i].value);
	free(constants->list);
	*constants = (struct occ_spec_constants){NULL, 0};
}

void occ_spec_constants_append(const struct occ_spec_constants *constants,
			       struct occ_buffer *bytes)
{
	for (size_t i = 0; i < constants->count; i++) {
		const struct occ_spec_constant *constant = &constants->list[i];
		unsigned char numbers[12];

		occ_put_u32(numbers, constant->id);
		occ_put_u64(numbers + 4, constant->size);
		occ_buffer_append(bytes, numbers, sizeof(numbers));
		occ_buffer_append(bytes, constant->value, constant->size);
	}
}
