/* SPDX-License-Identifier: MIT */
#include "cli/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

static bool has_colours(int file)
{
	const char *terminal = getenv("TERM");
	const char *none = getenv("NO_COLOR");

	if (none && *none)
		return false;
	return terminal && strcmp(terminal, "dumb") != 0 &&
	       occ_screen_is_terminal(file);
}

const char *occ_screen_colour(int file, enum occ_colour colour)
{
	static const char *const sequences[] = {
		[OCC_COLOUR_NONE] = "\033[0m",
		[OCC_COLOUR_BOLD] = "\033[1m",
		[OCC_COLOUR_DIM] = "\033[2m",
		[OCC_COLOUR_RED] = "\033[1;31m",
		[OCC_COLOUR_GREEN] = "\033[1;32m",
		[OCC_COLOUR_YELLOW] = "\033[1;33m",
	};

	return has_colours(file) ? sequences[colour] : "";
}

/* Also DEL, and the second set of control characters as UTF-8 has them. */
static bool is_control(const char *text, size_t size, size_t at)
{
	unsigned char byte = (unsigned char)text[at];

	if (byte < 0x20 || byte == 0x7f)
		return true;
	return byte == 0xc2 && at + 1 < size &&
	       (unsigned char)text[at + 1] < 0xa0;
}

void occ_screen_write(FILE *stream, const char *text, size_t size,
		      bool one_line)
{
	for (size_t i = 0; i < size; i++) {
		bool blank = text[i] == '\n' || text[i] == '\t';

		if ((blank && !one_line) || !is_control(text, size, i))
			putc(text[i], stream);
		else
			fprintf(stream, "\\x%02x", (unsigned char)text[i]);
	}
}

size_t occ_screen_columns(const char *text, size_t size)
{
	size_t columns = 0;

	for (size_t i = 0; i < size; i++) {
		if (is_control(text, size, i))
			columns += 4;
		else if (((unsigned char)text[i] & 0xc0) != 0x80)
			columns++;
	}
	return columns;
}
