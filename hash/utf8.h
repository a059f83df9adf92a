/* SPDX-License-Identifier: MIT */
/* Text that may or may not be UTF-8, character by character. */
#ifndef OCC_HASH_UTF8_H
#define OCC_HASH_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How long the character at `text` is, of which `size` bytes, at least one, are
 * there; 0: it isn't one (RFC 3629: no longer form than needed, no surrogates,
 * nothing above U+10FFFF).
 */
size_t occ_utf8_length(const char *text, size_t size);

/*
 * Does a character, of a length that isn't 0, do anything but show itself?
 * Control characters (C0 with line feeds and tabs, DEL, C1), what ends lines
 * (U+2028, U+2029), what has the text around it shown in another order (bidi
 * marks, embeddings, overrides and isolates), and what isn't seen at all
 * (Default_Ignorable_Code_Point: joiners, fillers, variation selectors, tags).
 * Wherever text of others is shown to people, such a one is shown by its
 * number.
 */
bool occ_utf8_is_hidden(const char *text, size_t length);

/*
 * Writes a character, of a length that isn't 0, as JSON has any: "\u202e", or
 * two such for one above U+FFFF. Returns how many bytes, without the NUL.
 */
#define OCC_UTF8_ESCAPE_SIZE 13
size_t occ_utf8_escape(const char *text, size_t length,
		       char escape[OCC_UTF8_ESCAPE_SIZE]);

#endif
