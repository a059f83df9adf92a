/* SPDX-License-Identifier: MIT */
/*
 * A line of the layer's trace (doc/switches.md): an object of JSON without
 * objects or lists in it, as layer/base/log.c writes it.
 */
#ifndef OCC_CLI_TRACE_LINE_H
#define OCC_CLI_TRACE_LINE_H

#include <stdbool.h>

/* Is it a line of that event, such as "lookup"? */
bool occ_trace_line_is(const char *line, const char *event);

/* The string of that name, as it is written, to be freed; NULL: none. */
char *occ_trace_line_value(const char *line, const char *name);

/*
 * The same without escapes: UTF-8, of any characters but NUL. What is no right
 * escape stays as it is written.
 */
char *occ_trace_line_text(const char *line, const char *name);

/* The digits of the number of that name, to be freed; NULL: none. */
char *occ_trace_line_number(const char *line, const char *name);

#endif
