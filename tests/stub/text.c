/* SPDX-License-Identifier: MIT */
#include "tests/stub/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/object.h"

#define FNV_PRIME 0x100000001b3

void stub_text_add(struct stub_text *text, const void *bytes, size_t size)
{
	if (text->room < text->size + size + 1) {
		text->room = 2 * (text->size + size + 1);
		text->bytes = realloc(text->bytes, text->room);
		if (!text->bytes)
			stub_die("out of memory");
	}
	if (size)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

void stub_text_add_string(struct stub_text *text, const char *string)
{
	stub_text_add(text, string, strlen(string));
}

void stub_text_print(struct stub_text *text, const char *format, ...)
{
	char line[1024];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	stub_text_add_string(text, line);
}

const char *stub_text_string(const struct stub_text *text)
{
	return text->bytes ? text->bytes : "";
}

void stub_text_release(struct stub_text *text)
{
	free(text->bytes);
	memset(text, 0, sizeof(*text));
}

static void mix(struct stub_digest *digest, const unsigned char *bytes,
		size_t size)
{
	for (size_t i = 0; i < size; i++)
		for (size_t half = 0; half < 2; half++) {
			digest->halves[half] ^= bytes[i];
			digest->halves[half] *= FNV_PRIME + 2 * half;
		}
}

void stub_digest_add(struct stub_digest *digest, const void *bytes, size_t size)
{
	uint64_t length = size;

	mix(digest, (const unsigned char *)&length, sizeof(length));
	mix(digest, bytes, size);
}

void stub_digest_hex(const struct stub_digest *digest,
		     char hex[STUB_DIGEST_HEX])
{
	snprintf(hex, STUB_DIGEST_HEX, "%016llx%016llx",
		 (unsigned long long)digest->halves[0],
		 (unsigned long long)digest->halves[1]);
}
