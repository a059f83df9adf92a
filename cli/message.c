/* SPDX-License-Identifier: MIT */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/screen.h"

static void say(enum occ_colour colour, const char *what, const char *format,
		va_list arguments) __attribute__((format(printf, 3, 0)));

static void say(enum occ_colour colour, const char *what, const char *format,
		va_list arguments)
{
	char *text;
	int size = vasprintf(&text, format, arguments);

	occ_progress_hide();
	/* In order with what is on standard output, where both are one. */
	fflush(stdout);
	flockfile(stderr);
	fprintf(stderr, "%soclcache:%s %s",
		occ_screen_colour(STDERR_FILENO, colour),
		occ_screen_colour(STDERR_FILENO, OCC_COLOUR_NONE), what);
	/* What is set somewhere, or lies there, may be in it. */
	if (size >= 0) {
		occ_screen_write(stderr, text, (size_t)size, true);
		free(text);
	} else {
		fputs(format, stderr);
	}
	putc('\n', stderr);
	funlockfile(stderr);
}

void occ_message_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(OCC_COLOUR_RED, "error: ", format, arguments);
	va_end(arguments);
}

void occ_message_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(OCC_COLOUR_YELLOW, "warning: ", format, arguments);
	va_end(arguments);
}

void occ_message_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(OCC_COLOUR_BOLD, "", format, arguments);
	va_end(arguments);
}

void *occ_message_must(void *memory)
{
	if (!memory)
		occ_message_no_memory();
	return memory;
}

void occ_message_no_memory(void)
{
	occ_message_error("there is not enough memory");
	exit(OCC_EXIT_FAILED);
}
