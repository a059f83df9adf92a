/* SPDX-License-Identifier: MIT */
/*
 * A source text as translation phases 1 and 2 of C11 (section 5.1.1.2) leave
 * it, a byte at a time: line splices are gone and CRLF is a line end. What
 * compilers disagree on (lone carriage returns, NULs, blanks behind a splicing
 * backslash, trigraph backslashes) is passed on as it is, and noted.
 */
#ifndef OCC_HASH_READER_H
#define OCC_HASH_READER_H

#include <stdbool.h>
#include <stddef.h>

struct occ_reader {
	const char *at;
	const char *end;
	bool uncertain; /* compilers may read something that was passed
			   otherwise */
};

/* Kinds of bytes; 0 is what needs a closer look. */
enum {
	OCC_READER_IDENTIFIER = 1, /* part of identifiers and numbers */
	OCC_READER_BLANK = 2,
	OCC_READER_OTHER = 4, /* a token by itself that means nothing here */
	OCC_READER_PIECE = 8, /* an identifier's, and in a name of the scan's */
	OCC_READER_DULL = 16, /* of those above, not _ and a */
};
extern const unsigned char occ_reader_classes[256];

static inline bool occ_is_blank(int c)
{
	return c >= 0 && occ_reader_classes[c] & OCC_READER_BLANK;
}

static inline bool occ_is_identifier(int c)
{
	return c >= 0 && occ_reader_classes[c] & OCC_READER_IDENTIFIER;
}

/* The next byte without taking it; -1 at the end, '\n' for a line end. */
int occ_reader_peek(struct occ_reader *reader);

int occ_reader_take(struct occ_reader *reader);

/* Takes the next byte when it is `wanted`. */
bool occ_reader_accept(struct occ_reader *reader, int wanted);

/* Behind the bytes of these kinds, as far as no line splice is in the way. */
static inline const char *occ_reader_skip_class(const struct occ_reader *reader,
						unsigned class)
{
	const char *at = reader->at;

	while (at < reader->end &&
	       occ_reader_classes[(unsigned char)*at] & class)
		at++;
	return at;
}

/* Takes a comment if one starts here, behind the slash, already taken. */
bool occ_reader_skip_comment(struct occ_reader *reader);

/*
 * Skips blanks and comments to the next token of the line; false when that is
 * a slash, now taken.
 */
bool occ_reader_skip_blanks(struct occ_reader *reader);

/* Behind the opening quote. A line end closes an unterminated one. */
void occ_reader_skip_quoted(struct occ_reader *reader, int quote);

#endif
