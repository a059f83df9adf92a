/* SPDX-License-Identifier: MIT */
#include "hash/buffer.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

/* Keys of ordinary builds fit without growing. */
#define FIRST_CAPACITY 4096

static bool reserve(struct occ_buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
	unsigned char *data;

	if (buffer->failed || more > SIZE_MAX / 2 - buffer->size)
		goto fail;
	if (buffer->size + more <= buffer->capacity)
		return true;
	while (capacity < buffer->size + more)
		capacity *= 2;
	data = realloc(buffer->data, capacity);
	if (!data)
		goto fail;
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
fail:
	buffer->failed = true;
	return false;
}

void occ_buffer_append(struct occ_buffer *buffer, const void *data, size_t size)
{
	if (!size || !reserve(buffer, size))
		return;
	memcpy(buffer->data + buffer->size, data, size);
	buffer->size += size;
}

void occ_buffer_align(struct occ_buffer *buffer, size_t alignment)
{
	size_t padding = -buffer->size & (alignment - 1);

	if (!padding || !reserve(buffer, padding))
		return;
	memset(buffer->data + buffer->size, 0, padding);
	buffer->size += padding;
}

bool occ_buffer_has_string(const struct occ_buffer *buffer, const char *string)
{
	for (size_t at = 0; at < buffer->size;) {
		const char *here = (const char *)buffer->data + at;

		if (!strcmp(here, string))
			return true;
		at += strlen(here) + 1;
	}
	return false;
}

bool occ_span_equal(struct occ_span one, struct occ_span other)
{
	return one.size == other.size &&
	       (!one.size || !memcmp(one.data, other.data, one.size));
}

void occ_buffer_release(struct occ_buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct occ_buffer)OCC_BUFFER_INIT;
}

/* Compilers make one instruction of these, but not of loops over bytes. */
void occ_put_u16(unsigned char *at, uint16_t value)
{
	value = htole16(value);
	memcpy(at, &value, sizeof(value));
}

void occ_put_u32(unsigned char *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

void occ_put_u64(unsigned char *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
}

uint16_t occ_get_u16(const unsigned char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

uint32_t occ_get_u32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

uint64_t occ_get_u64(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

void occ_field_header(unsigned char *at, uint16_t id, uint16_t kind,
		      uint64_t length)
{
	occ_put_u16(at, id);
	occ_put_u16(at + 2, kind);
	occ_put_u32(at + 4, 0);
	occ_put_u64(at + 8, length);
}

void occ_field_append(struct occ_buffer *buffer, uint16_t id, const void *data,
		      size_t size)
{
	unsigned char header[OCC_FIELD_HEADER_SIZE];

	occ_field_header(header, id, OCC_FIELD_BYTES, size);
	occ_buffer_append(buffer, header, sizeof(header));
	occ_buffer_append(buffer, data, size);
	occ_buffer_align(buffer, 8);
}

int occ_field_next(const unsigned char *data, size_t size, size_t *offset,
		   struct occ_field *ret_field)
{
	size_t at = *offset, stored, padded;
	struct occ_field field;

	if (at == size)
		return 0;
	if (at > size || size - at < OCC_FIELD_HEADER_SIZE)
		return -1;
	field.id = occ_get_u16(data + at);
	field.kind = occ_get_u16(data + at + 2);
	field.length = occ_get_u64(data + at + 8);
	field.payload = data + at + OCC_FIELD_HEADER_SIZE;
	if (occ_get_u32(data + at + 4) || field.kind > OCC_FIELD_DIGEST)
		return -1;
	at += OCC_FIELD_HEADER_SIZE;
	if (field.kind == OCC_FIELD_BYTES && field.length > size - at)
		return -1;
	stored = field.kind == OCC_FIELD_DIGEST ? 16 : (size_t)field.length;
	padded = stored + (-stored & 7);
	if (padded > size - at)
		return -1;
	*ret_field = field;
	*offset = at + padded;
	return 1;
}

int occ_field_find(const unsigned char *data, size_t size, uint16_t id,
		   struct occ_field *ret_field)
{
	struct occ_field field;
	size_t offset = 0;
	int found;

	while ((found = occ_field_next(data, size, &offset, &field)) == 1) {
		if (field.id != id)
			continue;
		*ret_field = field;
		return 1;
	}
	return found;
}
