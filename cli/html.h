/* SPDX-License-Identifier: MIT */
/*
 * Text in an HTML page. Names of kernels, devices and programs, paths and build
 * options come from elsewhere: none of them may become markup, or hide or
 * reorder the text around it.
 *
 * What is written is UTF-8, for the content of an element or for an attribute
 * in double quotes. Errors are the stream's.
 *
 * Threads: no state.
 */
#ifndef OCC_CLI_HTML_H
#define OCC_CLI_HTML_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes a string. & < > " ' become character references; characters that
 * occ_utf8_is_hidden() tells of, and bytes that aren't UTF-8, are shown as
 * "\x1b".
 */
void occ_html_text(FILE *stream, const char *text);

/*
 * The same, of at most so many characters (4 or more): a longer string loses
 * its middle, where an ellipsis stands.
 */
void occ_html_short(FILE *stream, const char *text, size_t characters);

/* The same as occ_html_text(), of a format as printf's. */
void occ_html_print(FILE *stream, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
