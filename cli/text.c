/* SPDX-License-Identifier: MIT */
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"

char *occ_text_of(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		occ_message_no_memory();
	return text;
}

char *occ_text(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = occ_text_of(format, arguments);
	va_end(arguments);
	return text;
}

bool occ_text_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}
