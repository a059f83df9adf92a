/* SPDX-License-Identifier: MIT */
/*
 * A key's fields and an entry's metadata, as people read them.
 */
#ifndef OCC_CLI_FIELDS_H
#define OCC_CLI_FIELDS_H

#include "cache/entry.h"
#include "cache/entry_file.h"
#include "cli/json.h"
#include "cli/units.h"

/* Is it a text of many lines, better not shown with the rest? */
bool occ_fields_is_long(uint16_t id);

/*
 * The value of a key's field as a text of hash/difference.h: of lists one item
 * a line. For the caller to occ_buffer_release(); it has a NUL behind its end,
 * which isn't in its size.
 */
void occ_fields_value(uint16_t id, struct occ_span bytes,
		      struct occ_buffer *ret_text);

/* "executable", "library", "compiled object", "intermediate", or "" */
const char *occ_fields_binary_type(uint64_t type);

/* A driver's text without its NULs. */
struct occ_span occ_fields_text(struct occ_span bytes);

/* Such a text of a key's first field of that id; empty where there is none. */
struct occ_span occ_fields_find(const struct occ_entry_file *whole,
				enum occ_key_field id);

/*
 * How often an entry was hit (occ_file_uses()): a number, or "-" where that
 * isn't known; in JSON "hits", a number or null.
 */
const char *occ_fields_hits(uint64_t uses, char ret_text[OCC_UNITS_SIZE]);
void occ_fields_write_hits(struct occ_json *json, uint64_t uses);

/* Writes it to standard output as occ_screen_write() does. */
void occ_fields_show(struct occ_span text, bool one_line);

/* A driver's text without its NULs, to JSON. */
void occ_fields_write_json(struct occ_json *json, const char *name,
			   struct occ_span text);

/*
 * The kernels of an entry: their names, and what it says of their attributes
 * and arguments, where kernels were asked for that.
 */

/*
 * "name" of "name;other;", which becomes what is behind it. It may be empty;
 * there are no more when `names` is.
 */
struct occ_span occ_fields_next_kernel(struct occ_span *names);

/* On standard output, a line each, with a title; nothing where there are none.
 */
void occ_fields_show_kernels(const struct occ_entry *entry);

/* A list "kernels". */
void occ_fields_write_kernels(struct occ_json *json,
			      const struct occ_entry *entry);

#endif
