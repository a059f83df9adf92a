/* SPDX-License-Identifier: MIT */
#include "cli/html.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "hash/utf8.h"

static const char *reference(char character)
{
	switch (character) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The character, or byte that is part of none, at the beginning. */
static size_t length_of(const char *text, size_t size)
{
	size_t length = occ_utf8_length(text, size);

	return length ? length : 1;
}

static void write_character(FILE *stream, const char *text, size_t length)
{
	const char *escaped = reference(*text);

	if (escaped)
		fputs(escaped, stream);
	else if (occ_utf8_length(text, length) &&
		 !occ_utf8_is_hidden(text, length))
		fwrite(text, 1, length, stream);
	else
		for (size_t i = 0; i < length; i++)
			fprintf(stream, "\\x%02x", (unsigned char)text[i]);
}

static size_t count_characters(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i += length_of(text + i, size - i))
		count++;
	return count;
}

/* Leaves out the characters from `first` on, before `last`. */
static void write_around(FILE *stream, const char *text, size_t first,
			 size_t last)
{
	size_t size = strlen(text), number = 0, length;

	for (size_t i = 0; i < size; i += length, number++) {
		length = length_of(text + i, size - i);
		if (number < first || number >= last)
			write_character(stream, text + i, length);
		else if (number == first)
			fputs("…", stream);
	}
}

void occ_html_text(FILE *stream, const char *text)
{
	write_around(stream, text, SIZE_MAX, SIZE_MAX);
}

void occ_html_short(FILE *stream, const char *text, size_t characters)
{
	size_t count = count_characters(text, strlen(text));
	size_t tail = characters / 3;

	if (count <= characters)
		occ_html_text(stream, text);
	else
		write_around(stream, text, characters - tail - 1, count - tail);
}

void occ_html_print(FILE *stream, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = occ_text_of(format, arguments);
	va_end(arguments);
	occ_html_text(stream, text);
	free(text);
}
