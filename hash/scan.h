/* SPDX-License-Identifier: MIT */
/*
 * What one source text says by itself: which files it may make a compiler
 * read, which macros it defines, and whether what it compiles to depends on
 * anything else.
 *
 * On the safe side: no preprocessor that a driver may have sees more than the
 * scan says. Directives within `#if 0` count; text that compilers read
 * differently (trigraph line splices, raw strings, lone carriage returns, NULs
 * in the middle, blanks behind a backslash, letters beyond ASCII outside
 * comments and strings, comments in #error) is `uncertain`.
 *
 * Directives are found in every spelling of C11 sections 5.1.1.2 and 6.10
 * (digraphs, trigraphs, line splices, comments between tokens). What reads
 * files in a way that isn't followed (`reads`): #embed, __has_embed,
 * `#pragma GCC dependency`, `#pragma clang module`, __has_include other than
 * with a name, or tokens that make one, in a condition. What reads the clock:
 * __DATE__, __TIME__,
 * __TIMESTAMP__. Some things only several texts together can do: put such a
 * word together with ##, or make inline assembly include a file; closure.h
 * looks at those.
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
	bool quoted;   /* between "", not <> */
	bool next;     /* #include_next, __has_include_next */
	uint32_t name; /* offset in the scan's names, NUL-terminated */
	/* As in the text: with splices and comments, without the line end. */
	const char *rest;
	size_t rest_length;
};

/* What a word that compilers know makes of a text. */
enum occ_scan_word {
	OCC_WORD_CLOCK = 1, /* it depends on the time */
	OCC_WORD_READS = 2, /* ... on other files */
	OCC_WORD_FILE = 4,  /* ... on its own file's name */
};

struct occ_pieces;

struct occ_scan {
	const char *text; /* borrowed */
	size_t size;
	bool clock;
	bool reads;
	bool uncertain;
	bool names_file;       /* has __FILE__ or a word like it */
	bool macro_names_file; /* in a macro, whose user's file it is */
	bool pasting;	       /* has ##: words may be put together */
	bool assembly;	       /* has inline assembly */
	bool assembly_piece;   /* has an end of its words, for ## */
	bool pragma;	       /* has a _Pragma */
	/* Has a word that a built-in one could begin with when pasted. */
	bool first_piece;
	bool of_options;
	struct occ_directive *directives; /* in the order of the text */
	size_t directive_count;
	/* Those of macros, as indices by name, then by place. */
	uint32_t *macros;
	size_t macro_count;
	struct occ_buffer names;
	/* Found out when asked for; not constant. */
	_Atomic(signed char) assembly_includes;
	_Atomic(struct occ_pieces *) pieces;
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

/* Does it look for files? What it `reads` in other ways doesn't count. */
bool occ_scan_includes(const struct occ_scan *scan);

/*
 * The directives about the macro `name`: their number, and the first one's
 * index in scan->macros.
 */
size_t occ_scan_find_macro(const struct occ_scan *scan, const char *name,
			   size_t *ret_first);

/* Do all compilers mean the same by this name of an include? */
bool occ_scan_name_certain(const char *name, size_t length);

/*
 * What words could be pasted together from tokens of the texts mean: a set of
 * enum occ_scan_word; all of them when memory ran out.
 */
unsigned occ_scan_pastable(const struct occ_scan *const *scans, size_t count);

/*
 * Has it parts of assembler directives that include files, or words that make
 * a _Pragma do so? To be asked when any text has assembly, or a _Pragma.
 */
bool occ_scan_assembly_includes(const struct occ_scan *scan);
bool occ_scan_pragma_includes(const struct occ_scan *scan);

#endif
