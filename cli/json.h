/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON (RFC 8259) to a stream, indented by two blanks a level:
 *
 *	struct occ_json json = OCC_JSON_INIT(stdout);
 *	occ_json_begin(&json, NULL, '{');
 *	occ_json_number(&json, "entries", 3);
 *	occ_json_begin(&json, "kernels", '[');
 *	occ_json_text(&json, NULL, name, size);
 *	occ_json_end(&json, ']');
 *	occ_json_end(&json, '}');              ends the line, too
 *
 * Names are NULL in lists. Bytes that are no UTF-8 become U+FFFD; what would
 * do something to a terminal, or not be seen on it (hash/utf8.h), is escaped.
 */
#ifndef OCC_CLI_JSON_H
#define OCC_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct occ_json {
	FILE *stream;
	unsigned depth;
	bool has_items; /* on this level */
};

#define OCC_JSON_INIT(stream)                                                  \
	{                                                                      \
		(stream), 0, false                                             \
	}

void occ_json_begin(struct occ_json *json, const char *name, char bracket);
void occ_json_end(struct occ_json *json, char bracket);
void occ_json_number(struct occ_json *json, const char *name, uint64_t number);
void occ_json_signed(struct occ_json *json, const char *name, int64_t number);

/* Of nanoseconds; UINT64_MAX, which isn't known, is null. */
void occ_json_seconds(struct occ_json *json, const char *name,
		      uint64_t nanoseconds);
void occ_json_bool(struct occ_json *json, const char *name, bool value);
void occ_json_null(struct occ_json *json, const char *name);
void occ_json_text(struct occ_json *json, const char *name, const char *text,
		   size_t size);
void occ_json_string(struct occ_json *json, const char *name,
		     const char *string);

#endif
