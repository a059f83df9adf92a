/* SPDX-License-Identifier: MIT */
/*
 * Does a source text compile to the same thing whenever and wherever it is
 * compiled, or does it read other files or the clock?
 *
 * The answer is on the safe side: "plain" is only said when no preprocessor
 * that a driver may have could see anything else. Includes within `#if 0` are
 * includes; text that compilers read differently (trigraph line splices, raw
 * strings, lone carriage returns, NULs in the middle, blanks behind a
 * backslash, letters beyond ASCII outside comments and strings, comments in
 * #error) is OCC_SOURCE_UNCERTAIN.
 *
 * What counts as reading other files: #include, #include_next, #import,
 * #embed, __has_include and its relatives, `#pragma GCC dependency`,
 * `#pragma clang module`, inline assembly with .include, .incbin or macros of
 * the assembler's; in every spelling of C11 section 5.1.1.2 and 6.10
 * (digraphs, trigraphs, line splices, comments between tokens). What counts
 * as reading the clock: __DATE__, __TIME__, __TIMESTAMP__, also when they
 * could be pasted together with ##.
 */
#ifndef OCC_HASH_SOURCE_H
#define OCC_HASH_SOURCE_H

#include <stddef.h>

enum occ_source_kind {
	OCC_SOURCE_PLAIN,
	OCC_SOURCE_INCLUDES,
	OCC_SOURCE_CLOCK,
	OCC_SOURCE_UNCERTAIN,
};

/*
 * Scans `size` bytes of source and the build options (a string; its -D may
 * name the same words). Linear time, no allocation.
 */
enum occ_source_kind occ_source_scan(const char *text, size_t size,
				     const char *options);

#endif
