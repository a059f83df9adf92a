/* SPDX-License-Identifier: MIT */
#include "hash/difference.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hash/key.h"

static void print(struct occ_buffer *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print(struct occ_buffer *text, const char *format, ...)
{
	char line[200];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (size > 0 && (size_t)size < sizeof(line))
		occ_buffer_append(text, line, (size_t)size);
}

static void print_hex(struct occ_buffer *text, const unsigned char *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i++)
		print(text, "%02x", bytes[i]);
}

/* Bytes that follow the first one of a letter in UTF-8; -1: none begins so. */
static int letter_rest(unsigned char c)
{
	if (c < 0x80)
		return 0;
	if (c >= 0xc2 && c < 0xe0)
		return 1;
	if (c >= 0xe0 && c < 0xf0)
		return 2;
	return c >= 0xf0 && c < 0xf5 ? 3 : -1;
}

/* Could it have been written by somebody? NULs only as ends of items. */
static bool is_text(const unsigned char *bytes, size_t size)
{
	int rest = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = bytes[i];

		if (rest) {
			if ((c & 0xc0) != 0x80)
				return false;
			rest--;
			continue;
		}
		rest = letter_rest(c);
		if (rest < 0 || c == 127 ||
		    (c < ' ' && c && !strchr("\t\n\r\f\v", c)) ||
		    (!c && (!i || !bytes[i - 1])))
			return false;
	}
	return !rest;
}

static void print_text(struct occ_buffer *text, const unsigned char *bytes,
		       size_t size)
{
	/* The last item's NUL begins no line. */
	if (size && !bytes[size - 1])
		size--;
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '\n' || !bytes[i])
			occ_buffer_append(text, "\n\t", 2);
		else
			occ_buffer_append(text, bytes + i, 1);
}

static void print_constants(struct occ_buffer *text, const unsigned char *bytes,
			    size_t size)
{
	size_t at = 0;

	while (size - at >= 12) {
		uint64_t length = occ_get_u64(bytes + at + 4);

		if (length > size - at - 12)
			break;
		print(text, "%s%u=", at ? " " : "",
		      (unsigned)occ_get_u32(bytes + at));
		print_hex(text, bytes + at + 12, (size_t)length);
		at += 12 + (size_t)length;
	}
}

static void print_numbers(struct occ_buffer *text, const unsigned char *bytes,
			  size_t size)
{
	for (size_t i = 0; i + 8 <= size; i += 8)
		print(text, "%s%llu", i ? " " : "",
		      (unsigned long long)occ_get_u64(bytes + i));
}

static void print_file(struct occ_buffer *text, const unsigned char *bytes,
		       size_t size)
{
	print_text(text, bytes + OCC_KEY_FILE_HEAD, size - OCC_KEY_FILE_HEAD);
	print(text, ", %llu bytes, digest ",
	      (unsigned long long)occ_get_u64(bytes));
	print_hex(text, bytes + 8, OCC_DIGEST_SIZE);
}

static void print_value(struct occ_buffer *text, const struct occ_field *field)
{
	const unsigned char *bytes = field->payload;
	size_t size = (size_t)field->length;

	switch (field->id) {
	case OCC_KEY_VERSION:
		if (size == 4)
			print(text, "%u", (unsigned)occ_get_u32(bytes));
		return;
	case OCC_KEY_SOURCE_LENGTHS:
	case OCC_KEY_HEADER_LENGTHS:
	case OCC_KEY_DEVICE_NUMBERS:
		print_numbers(text, bytes, size);
		return;
	case OCC_KEY_SPEC_CONSTANTS:
		print_constants(text, bytes, size);
		return;
	case OCC_KEY_INCLUDE_FILE:
		if (size >= OCC_KEY_FILE_HEAD) {
			print_file(text, bytes, size);
			return;
		}
		break;
	case OCC_KEY_INCLUDE_PRESENT:
		if (size >= OCC_KEY_FILE_HEAD) {
			bytes += OCC_KEY_FILE_HEAD;
			size -= OCC_KEY_FILE_HEAD;
		}
		break;
	default:
		break;
	}
	if (is_text(bytes, size))
		print_text(text, bytes, size);
	else
		print_hex(text, bytes, size);
}

void occ_key_print(const struct occ_span *key, struct occ_buffer *ret_text)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(key->data, key->size, &offset, &field) == 1) {
		print(ret_text, "%s (%u): ", occ_key_field_name(field.id),
		      (unsigned)field.id);
		if (field.kind == OCC_FIELD_DIGEST) {
			print(ret_text, "%llu bytes, digest ",
			      (unsigned long long)field.length);
			print_hex(ret_text, field.payload, OCC_DIGEST_SIZE);
		} else {
			print_value(ret_text, &field);
		}
		print(ret_text, "\n");
	}
}
