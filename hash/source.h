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
 *
 * An #include with a literal name may be one that the caller knows:
 * occ_source_includes() asks. Several texts are then looked at as one
 * compilation: a macro of one may put together a word from another's pieces.
 *
 * Linear time, no allocation. Threads: no state; any thread at any time.
 */
#ifndef OCC_HASH_SOURCE_H
#define OCC_HASH_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

enum occ_source_kind {
	OCC_SOURCE_PLAIN,
	OCC_SOURCE_INCLUDES,
	OCC_SOURCE_CLOCK,
	OCC_SOURCE_UNCERTAIN,
};

/*
 * Scans `size` bytes of source and the build options (a string; its -D may
 * name the same words; NULL is none).
 */
enum occ_source_kind occ_source_scan(const char *text, size_t size,
				     const char *options);

struct occ_source_text {
	const char *text;
	size_t size;
};

/* Longer names of includes are not asked for. */
#define OCC_SOURCE_NAME_MAX 255

/*
 * Is the include accounted for? `name` is as written between the quotes or
 * angle brackets, of `length` bytes and a NUL, none of them beyond printable
 * ASCII, a quote, a backslash or part of something like a trigraph or comment;
 * `text` is the number of the text that has it.
 */
typedef bool (*occ_source_visit)(const char *name, size_t length, bool quoted,
				 size_t text, void *data);

/*
 * The same for several texts at once. For each directive `#include "name"` or
 * `#include <name>`, the line being nothing else in every compiler's eyes,
 * `visit` is called, also within `#if 0`; as long as it returns true, the
 * directive doesn't count as reading other files. All other ways of reading
 * files count, whatever `visit` would say. Names that compilers may read
 * differently, and more tokens behind one, are OCC_SOURCE_UNCERTAIN.
 */
enum occ_source_kind occ_source_includes(const struct occ_source_text *texts,
					 size_t count, const char *options,
					 occ_source_visit visit, void *data);

#endif
