/* SPDX-License-Identifier: MIT */
/*
 * A scan that is being made: what the files of hash/scan.h share. scan.c finds
 * the tokens and calls the others, each with the scanner's reader behind what
 * it is about:
 *
 *	scan_directive.c   preprocessing directives and __has_include
 *	scan_word.c        identifiers that compilers know
 *	scan_assembly.c    inline assembly
 *	scan_macro.c       the index of macros
 *
 * Private to these. Threads: one at a time per scanner.
 */
#ifndef OCC_HASH_SCANNER_H
#define OCC_HASH_SCANNER_H

#include "hash/reader.h"
#include "hash/scan.h"

/* Words just looked at; 5 KB on the stack, which may be small. */
#define OCC_SCANNER_CACHE_SIZE 128

struct occ_scanner {
	struct occ_reader reader;
	struct occ_scan *scan;
	struct occ_scan_fragments *fragments; /* NULL: not wanted */
	size_t capacity;		      /* of scan->directives */
	bool failed;			      /* out of memory */
	bool line_start;    /* only blanks and comments on this line so far */
	bool in_pragma;	    /* in the rest of a #pragma line */
	bool in_condition;  /* in the rest of an #if line, or its relatives */
	bool after_defined; /* behind `defined` or `defined (` */
	bool after_hash;    /* the byte before was a # */
	/* A universal character name may have been on this line: \u00e9 */
	bool after_ucn;
	bool in_rest; /* in the `rest` of the last directive */
	/* Behind the last computed __has_include. */
	const char *computed_end;
	/* before[a] has bit b: in a built-in word letter a is before b. */
	uint32_t before[32];
	bool has_before; /* `before` is made when it is needed */
	struct occ_scanner_cached {
		size_t length;
		size_t macro; /* that it was in */
		char text[OCC_READER_WORD_MAX];
	} cache[OCC_SCANNER_CACHE_SIZE];
};

/*
 * Scans a text, or options, with all their words noted in `fragments`, unless
 * that is NULL. NULL: out of memory.
 */
struct occ_scan *occ_scan_again(const struct occ_scan *scan,
				struct occ_scan_fragments *fragments);

/* To be called behind the # of a directive. */
void occ_scan_directive(struct occ_scanner *scanner);

/* Takes a word of a condition; false: it is one like any other. */
bool occ_scan_directive_condition(struct occ_scanner *scanner,
				  const struct occ_reader_word *word);

/* Ends the `rest` of the last directive, if it is being read. */
void occ_scan_directive_end(struct occ_scanner *scanner);

/*
 * Takes a line's rest, which some compilers take as it is, without looking for
 * tokens, unless it is in a skipped group. There a comment or a raw string may
 * begin. `fails`: no compilation in which it isn't skipped succeeds.
 */
void occ_scan_take_line(struct occ_scanner *scanner, bool fails);

/* The same of #line, without taking it. */
void occ_scan_check_line(struct occ_scanner *scanner);

/* Notes what the word means, by itself or pasted to others. */
void occ_scan_word_note(struct occ_scanner *scanner,
			const struct occ_reader_word *word);

/* Notes what any byte sequence of the options means. */
void occ_scan_word_note_options(struct occ_scanner *scanner);

/* To be called behind the word asm. */
void occ_scan_assembly_note(struct occ_scanner *scanner);

/* False: out of memory. */
bool occ_scan_macro_index(struct occ_scan *scan);

static inline bool occ_scan_contains(const struct occ_scan *scan,
				     const char *string)
{
	return memmem(scan->text, scan->size, string, strlen(string)) != NULL;
}

#endif
