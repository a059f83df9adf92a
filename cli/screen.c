/* SPDX-License-Identifier: MIT */
#include "cli/screen.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/text.h"
#include "hash/utf8.h"

#define WIDTH	  80
#define WIDTH_MAX 1000

bool occ_screen_is_terminal(int file)
{
	return isatty(file) == 1;
}

size_t occ_screen_width(int file)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long width = 0;

	if (occ_screen_is_terminal(file) && !ioctl(file, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0 && columns)
		width = strtol(columns, NULL, 10);
	return width > 0 && width <= WIDTH_MAX ? (size_t)width : WIDTH;
}

const char *occ_screen_colour(int file, enum occ_colour colour)
{
	static const char *const sequences[] = {
		[OCC_COLOUR_NONE] = "\033[0m",
		[OCC_COLOUR_BOLD] = "\033[1m",
		[OCC_COLOUR_RED] = "\033[1;31m",
		[OCC_COLOUR_GREEN] = "\033[1;32m",
		[OCC_COLOUR_YELLOW] = "\033[1;33m",
	};
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	return terminal && strcmp(terminal, "dumb") != 0 && (!none || !*none) &&
			       occ_screen_is_terminal(file)
		       ? sequences[colour]
		       : "";
}

void occ_screen_set(enum occ_colour colour)
{
	fputs(occ_screen_colour(STDOUT_FILENO, colour), stdout);
}

/*
 * The character at `text`: how many bytes, and whether they can be shown. A
 * byte that is of none can't: alone it may be a control character, too.
 */
static size_t look(const char *text, size_t size, bool *ret_shown)
{
	size_t length = occ_utf8_length(text, size);

	*ret_shown = length && !occ_utf8_is_hidden(text, length);
	return length ? length : 1;
}

void occ_screen_write(FILE *stream, const char *text, size_t size,
		      bool one_line)
{
	bool shown;

	for (size_t i = 0, length; i < size; i += length) {
		length = look(text + i, size - i, &shown);
		if (!one_line && (text[i] == '\n' || text[i] == '\t'))
			shown = true;
		for (size_t j = i; !shown && j < i + length; j++)
			fprintf(stream, "\\x%02x", (unsigned char)text[j]);
		if (shown)
			fwrite(text + i, 1, length, stream);
	}
}

void occ_screen_text(const char *text)
{
	occ_screen_write(stdout, text, strlen(text), true);
}

size_t occ_screen_fitting(const char *text, size_t size, size_t width,
			  size_t *ret_columns)
{
	size_t columns = 0, i = 0;
	bool shown;

	while (i < size) {
		size_t length = look(text + i, size - i, &shown);
		size_t more = shown ? 1 : length * 4;

		if (more > width - columns)
			break;
		columns += more;
		i += length;
	}
	*ret_columns = columns;
	return i;
}

size_t occ_screen_columns(const char *text, size_t size)
{
	size_t columns;

	occ_screen_fitting(text, size, SIZE_MAX, &columns);
	return columns;
}

void occ_screen_line(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = occ_text_of(format, arguments);
	va_end(arguments);
	occ_screen_text(text);
	putchar('\n');
	free(text);
}
