/* SPDX-License-Identifier: MIT */
#include "hash/utf8.h"

#include <stdint.h>
#include <stdio.h>

size_t occ_utf8_length(const char *string, size_t size)
{
	const unsigned char *text = (const unsigned char *)string;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if ((text[0] == 0xe0 && text[1] < 0xa0) ||
	    (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) ||
	    (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

static uint32_t code_point(const char *string, size_t length)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *text = (const unsigned char *)string;
	uint32_t code = text[0] & masks[length];

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (text[i] & 0x3f);
	return code;
}

/*
 * Unicode 15's Cc, Zl, Zp, Bidi_Control and Default_Ignorable_Code_Point with
 * what is reserved for it, and the marks of interlinear annotations.
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{0x0000, 0x001f},   {0x007f, 0x009f},	{0x00ad, 0x00ad},
	{0x034f, 0x034f},   {0x061c, 0x061c},	{0x115f, 0x1160},
	{0x17b4, 0x17b5},   {0x180b, 0x180f},	{0x200b, 0x200f},
	{0x2028, 0x202e},   {0x2060, 0x206f},	{0x3164, 0x3164},
	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},   {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
};

bool occ_utf8_is_hidden(const char *text, size_t length)
{
	uint32_t code = code_point(text, length);

	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (code <= hidden[i].last)
			return code >= hidden[i].first;
	return false;
}

size_t occ_utf8_escape(const char *text, size_t length,
		       char escape[OCC_UTF8_ESCAPE_SIZE])
{
	uint32_t code = code_point(text, length);
	int size;

	if (code < 0x10000)
		size = snprintf(escape, OCC_UTF8_ESCAPE_SIZE, "\\u%04x",
				code & 0xffffu);
	else
		size = snprintf(escape, OCC_UTF8_ESCAPE_SIZE, "\\u%04x\\u%04x",
				0xd7c0u + (code >> 10 & 0x7ffu),
				0xdc00u + (code & 0x3ffu));
	return (size_t)size;
}
