/* SPDX-License-Identifier: MIT */
/*
 * A stored key as text, for people: one line per field with its name, id and
 * value. Text is written as it is, a line's end as one with a tab behind it;
 * other bytes in hex; fields that are kept as digests by size and digest; lists
 * with NULs between their items one item a line.
 *
 * The text is not part of any format. Threads: no state.
 */
#ifndef OCC_HASH_PRINT_H
#define OCC_HASH_PRINT_H

#include "hash/difference.h"

/* Appends the text, without a NUL. */
void occ_key_print(const struct occ_span *key, struct occ_buffer *ret_text);

#endif
