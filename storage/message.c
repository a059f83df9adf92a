/* SPDX-License-Identifier: MIT */
#include "storage/message.h"

#include <stdarg.h>
#include <stdio.h>

void occ_storage_say(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "oclcache-storage: %s\n", text);
}
