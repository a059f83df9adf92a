/* SPDX-License-Identifier: MIT */
/*
 * What a descriptor is shown on: whether it is a terminal, how wide, and
 * whether colours may be used (a terminal, TERM not "dumb", and NO_COLOR not
 * set: https://no-color.org).
 *
 * Also how text that comes from elsewhere is made fit to be shown: a kernel's
 * name or a build log must not move somebody's cursor, nor hide or turn around
 * what is beside it.
 */
#ifndef OCC_CLI_SCREEN_H
#define OCC_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum occ_colour {
	OCC_COLOUR_NONE, /* back to what was before */
	OCC_COLOUR_BOLD,
	OCC_COLOUR_RED,
	OCC_COLOUR_GREEN,
	OCC_COLOUR_YELLOW,
};

bool occ_screen_is_terminal(int file);

/* Columns: the terminal's, or $COLUMNS, or 80. */
size_t occ_screen_width(int file);

/* What switches the colour on, or "" where there are none. */
const char *occ_screen_colour(int file, enum occ_colour colour);

/* The same, to standard output. */
void occ_screen_set(enum occ_colour colour);

/*
 * Writes text of any kind: characters that occ_utf8_is_hidden() tells of, but
 * line feeds and tabs, and bytes that are no UTF-8, as "\x1b"; on a terminal
 * and elsewhere alike. `one_line`: line feeds and tabs, too.
 */
void occ_screen_write(FILE *stream, const char *text, size_t size,
		      bool one_line);

/* A string, in one line, to standard output. */
void occ_screen_text(const char *text);

/*
 * How many bytes of text, whole characters, fit into so many columns when they
 * are written so, and the columns that they take.
 */
size_t occ_screen_fitting(const char *text, size_t size, size_t width,
			  size_t *ret_columns);

/* How many columns text takes when it is written so. */
size_t occ_screen_columns(const char *text, size_t size);

/*
 * A line on standard output, of a format as printf's, in which strings may come
 * from elsewhere (paths, say): written so, and ended.
 */
void occ_screen_line(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
