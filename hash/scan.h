/* SPDX-License-Identifier: MIT */
/*
 * What one source text says by itself: which files it may make a compiler
 * read, which macros it defines, and whether what it compiles to depends on
 * anything else.
 *
 * It errs on the safe side: no preprocessor that a driver may have sees more
 * than the scan reports. Directives in groups that conditional inclusion skips
 * (`#if 0`) count. Text that compilers read differently (trigraph line splices,
 * raw strings, lone carriage returns, NULs in the middle, bytes beyond ASCII
 * outside comments and literals, comments that go on behind #warning) makes it
 * OCC_SCAN_UNCERTAIN. A backslash followed by blanks and a line end
 * (OCC_SCAN_BLANK_SPLICE) splices lines, as it does for Clang and GCC.
 *
 * Directives are found in every spelling of C11 sections 5.1.1.2 and 6.10
 * (digraphs, trigraphs, line splices, comments between tokens). Reading files
 * in ways that aren't followed is OCC_SCAN_READS: #embed, __has_embed,
 * `#pragma GCC dependency`, `#pragma clang module`, and __has_include unless it
 * is in a condition, with a name or with tokens that make one. Two things only
 * several texts together can do: put such a word together with ##, or make
 * inline assembly include a file; hash/closure.h asks for those. The text of
 * inline assembly is known where only strings are between its parenthesis and
 * the first colon.
 *
 * Linear time. Threads: no state; a scan is constant once made.
 */
#ifndef OCC_HASH_SCAN_H
#define OCC_HASH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/buffer.h"

/* Longer names of includes are uncertain. */
#define OCC_SCAN_NAME_MAX 255

enum occ_directive_kind {
	OCC_DIRECTIVE_INCLUDE,	    /* `name` as written between "" or <> */
	OCC_DIRECTIVE_COMPUTED,	    /* an include of what `rest` expands to */
	OCC_DIRECTIVE_HAS,	    /* __has_include of `name` */
	OCC_DIRECTIVE_COMPUTED_HAS, /* ... of what `rest` expands to */
	OCC_DIRECTIVE_DEFINE,	/* macro `name`; `rest`: parameters and body */
	OCC_DIRECTIVE_UNDEFINE, /* macro `name` */
};

struct occ_directive {
	enum occ_directive_kind kind;
	bool quoted;	 /* between "", not <> */
	bool next;	 /* #include_next, __has_include_next */
	bool names_file; /* a macro's body has __FILE__ or a word like it */
	uint32_t name;	 /* offset in the scan's names, NUL-terminated */
	/* As in the text: with splices and comments, without the line end. */
	const char *rest;
	size_t rest_length;
};

/* Bits of what is known about a text. */
enum occ_scan_trait {
	/* What words that compilers know make the result depend on: */
	OCC_SCAN_CLOCK = 1 << 0, /* __DATE__, __TIME__, __TIMESTAMP__ */
	OCC_SCAN_READS = 1 << 1, /* other files, in ways not followed */
	OCC_SCAN_FILE = 1 << 2,	 /* __FILE__ or the like, outside of macros */
	/* The names of the files that unnamed types are in, ... */
	OCC_SCAN_TYPE = 1 << 3,
	/* ... the same where functions may be named after types (C++) */
	OCC_SCAN_FUNCTION = 1 << 4,
	/* __FILE__ or the like in a macro; the name is that of its user. */
	OCC_SCAN_MACRO_FILE = 1 << 5,

	OCC_SCAN_UNCERTAIN = 1 << 6,
	OCC_SCAN_BLANK_SPLICE = 1 << 7,
	OCC_SCAN_PASTING = 1 << 8,	  /* has ## */
	OCC_SCAN_STRINGIZING = 1 << 9,	  /* has # in a macro */
	OCC_SCAN_PRAGMA = 1 << 10,	  /* has _Pragma */
	OCC_SCAN_ASSEMBLY = 1 << 11,	  /* has inline assembly, */
	OCC_SCAN_ASSEMBLY_OPEN = 1 << 12, /* not all of it plain strings */
	/* Has what ## could make the end of a word for inline assembly of, ...
	 */
	OCC_SCAN_ASSEMBLY_SUFFIX = 1 << 13,
	/* ... or the beginning of a word that compilers know. */
	OCC_SCAN_BUILT_IN_PREFIX = 1 << 14,
	OCC_SCAN_OPTIONS = 1 << 15, /* of build options */
};

struct occ_scan_fragments;

struct occ_scan {
	const char *text; /* borrowed */
	size_t size;
	unsigned traits;		  /* enum occ_scan_trait */
	struct occ_directive *directives; /* in the order of the text */
	size_t directive_count;
	/* Indices of those that define or undefine, by name, then by place. */
	uint32_t *macros;
	size_t macro_count;
	struct occ_buffer names;
	/* Computed when first asked for; not constant. */
	_Atomic(signed char) assembly_includes;
	_Atomic(struct occ_scan_fragments *) fragments;
};

/* `text` must live as long as the scan. NULL: out of memory. */
struct occ_scan *occ_scan_make(const char *text, size_t size);

/* Of build options: only their words count; no directives. */
struct occ_scan *occ_scan_make_options(const char *options);

void occ_scan_release(struct occ_scan *scan); /* NULL: nothing */

static inline const char *occ_scan_name(const struct occ_scan *scan,
					const struct occ_directive *directive)
{
	return (const char *)scan->names.data + directive->name;
}

/*
 * Can what `user` says expand a macro of `scan` that has __FILE__ or a word
 * like it? The macro's name counts wherever it is, also in skipped groups, but
 * behind #define, #undef, #ifdef and #ifndef. Names that ## makes aren't seen.
 * A pass over the user's text.
 */
bool occ_scan_may_use_file_macro(const struct occ_scan *user,
				 const struct occ_scan *scan);

/* Does it have includes, or __has_include? OCC_SCAN_READS doesn't count. */
bool occ_scan_includes(const struct occ_scan *scan);

/*
 * Returns the number of directives that define or undefine the macro, and in
 * *ret_first the index of the first one in scan->macros.
 */
size_t occ_scan_find_macro(const struct occ_scan *scan, const char *name,
			   size_t *ret_first);

/* Do all compilers read this name of an include in the same way? */
bool occ_scan_name_certain(const char *name, size_t length);

/*
 * What words that ## can make of tokens of the texts mean: a set of the first
 * five of enum occ_scan_trait; all of them when memory ran out.
 */
unsigned occ_scan_pastable(const struct occ_scan *const *scans, size_t count);

/*
 * Does it have parts of assembler directives that include files, or words that
 * make a _Pragma read files? For when any text has assembly, or a _Pragma.
 */
bool occ_scan_assembly_includes(const struct occ_scan *scan);
bool occ_scan_pragma_includes(const struct occ_scan *scan);

/*
 * Does it have a string that may be assembly that includes files, or end one?
 * With `stringizing` also words and beginnings of strings count of which #
 * could make one. For when any text is OCC_SCAN_ASSEMBLY_OPEN: then any string
 * of any text may belong to it. A pass over the text.
 */
bool occ_scan_strings_include(const struct occ_scan *scan, bool stringizing);

#endif
