/* SPDX-License-Identifier: MIT */
#include "cli/text.h"

#include <stdio.h>

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
