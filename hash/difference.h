/* SPDX-License-Identifier: MIT */
/*
 * In which fields two stored keys (struct occ_key's `stored`) differ: how much,
 * to find the nearest of many, and in words, for people.
 *
 * The text is one line, such as "same source and device; build options:
 * -DTILE=16 was -DTILE=8", where what "was" is the older key's. It is for
 * reading, not for parsing: wording may change. Fields that are kept as digests
 * (over 4 KiB) can only be said to differ.
 *
 * Keys may come from other versions or be damaged: fields that aren't
 * understood differ or don't, and bytes that are no fields end a key.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_HASH_DIFFERENCE_H
#define OCC_HASH_DIFFERENCE_H

#include "hash/buffer.h"

/*
 * Is in the text if the sources, of which both are there, have less than half
 * in common: they may be those of different programs.
 */
#define OCC_DIFFERENCE_MOSTLY " mostly differs"

/*
 * 0 when both are the same, else more the more differs: least for options,
 * headers and the like of one source, more for another driver, most for another
 * source. UINT64_MAX when memory ran out.
 */
uint64_t occ_difference_distance(const struct occ_span *now,
				 const struct occ_span *then);

/*
 * Appends the text, without a NUL and at most some hundred bytes long; nothing
 * when both are the same. `ret_text` fails when memory ran out.
 */
void occ_difference_describe(const struct occ_span *now,
			     const struct occ_span *then,
			     struct occ_buffer *ret_text);

/*
 * Appends a stored key as text, for people, without a NUL: one line per field
 * with its name, id and value. Text is written as it is, a line's end as one
 * with a tab behind it; other bytes in hex; fields that are kept as digests by
 * size and digest; lists with NULs between their items one item a line. The
 * text is not part of any format.
 */
void occ_key_print(const struct occ_span *key, struct occ_buffer *ret_text);

#endif
