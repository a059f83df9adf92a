/* SPDX-License-Identifier: MIT */
/*
 * A growable run of bytes, and the length-framed fields that keys and entries
 * are made of.
 *
 * Calling sequence: start from OCC_BUFFER_INIT, append as often as wanted,
 * look at `failed` once at the end, then occ_buffer_release(). A failed
 * allocation sets `failed` and makes every later append do nothing, so that
 * callers check in one place; what is in `data` then must not be used.
 *
 * A field, little-endian, starts on a multiple of 8 bytes:
 *
 *	u16 id | u16 kind | u32 zero | u64 length | payload | zeros up to 8
 *
 * OCC_FIELD_BYTES: the payload is the field's `length` bytes.
 * OCC_FIELD_DIGEST: the payload is a 16-byte digest of the field's `length`
 * bytes, which are somewhere else.
 *
 * Threads: none of this is shared; one thread at a time per object.
 */
#ifndef OCC_HASH_BUFFER_H
#define OCC_HASH_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes. */
struct occ_span {
	const unsigned char *data;
	size_t size;
};

struct occ_buffer {
	unsigned char *data;
	size_t size;
	size_t capacity;
	bool failed;
};

#define OCC_BUFFER_INIT                                                        \
	{                                                                      \
		NULL, 0, 0, false                                              \
	}

enum occ_field_kind {
	OCC_FIELD_BYTES = 0,
	OCC_FIELD_DIGEST = 1,
};

/* Bytes of a field before its payload. */
#define OCC_FIELD_HEADER_SIZE 16

/* A field as read back: `payload` points into the memory that was read. */
struct occ_field {
	uint16_t id;
	uint16_t kind;
	uint64_t length;
	const unsigned char *payload;
};

/* Appends `size` bytes; `data` may be NULL when `size` is 0. */
void occ_buffer_append(struct occ_buffer *buffer, const void *data,
		       size_t size);

/* Appends zeros until the size is a multiple of `alignment` (a power of 2). */
void occ_buffer_align(struct occ_buffer *buffer, size_t alignment);

/* Is that among the strings, each with its NUL, of which the bytes are? */
bool occ_buffer_has_string(const struct occ_buffer *buffer, const char *string);

/* Frees the bytes and makes the buffer OCC_BUFFER_INIT again. */
void occ_buffer_release(struct occ_buffer *buffer);

/* Little-endian numbers, whatever the host's order and alignment. */
void occ_put_u16(unsigned char *at, uint16_t value);
void occ_put_u32(unsigned char *at, uint32_t value);
void occ_put_u64(unsigned char *at, uint64_t value);
uint16_t occ_get_u16(const unsigned char *at);
uint32_t occ_get_u32(const unsigned char *at);
uint64_t occ_get_u64(const unsigned char *at);

/* Writes the OCC_FIELD_HEADER_SIZE bytes that precede a payload. */
void occ_field_header(unsigned char *at, uint16_t id, uint16_t kind,
		      uint64_t length);

/* Appends a whole OCC_FIELD_BYTES field, padding included. */
void occ_field_append(struct occ_buffer *buffer, uint16_t id, const void *data,
		      size_t size);

/*
 * Reads the field at *offset of `data` and moves *offset behind it. Returns 1
 * for a field, 0 at the exact end, -1 for bytes that are no field (then
 * nothing is written to *ret_field and *offset).
 */
int occ_field_next(const unsigned char *data, size_t size, size_t *offset,
		   struct occ_field *ret_field);

/* The first field with this id; returns 1, 0 when absent, -1 when malformed. */
int occ_field_find(const unsigned char *data, size_t size, uint16_t id,
		   struct occ_field *ret_field);

static inline struct occ_span occ_buffer_span(const struct occ_buffer *buffer)
{
	return (struct occ_span){buffer->data, buffer->size};
}

/* Of a field of OCC_FIELD_BYTES. */
static inline struct occ_span occ_field_span(const struct occ_field *field)
{
	return (struct occ_span){field->payload, (size_t)field->length};
}

bool occ_span_equal(struct occ_span one, struct occ_span other);

#endif
