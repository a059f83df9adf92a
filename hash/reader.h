/* SPDX-License-Identifier: MIT */
/*
 * Reads a source text a byte at a time as translation phases 1 and 2 of C11
 * (section 5.1.1.2) leave it: without line splices, and with CRLF as a line
 * end. Bytes on which compilers disagree (lone carriage returns, NULs,
 * trigraph backslashes) are passed on unchanged and set `uncertain`. A
 * backslash followed by blanks and a line end splices lines, as in GCC and
 * Clang, and sets `blank_splice`.
 *
 * Threads: no state; one thread at a time per reader.
 */
#ifndef OCC_HASH_READER_H
#define OCC_HASH_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct occ_reader {
	const char *at;
	const char *end;
	bool uncertain;	   /* compilers may read what was passed differently */
	bool blank_splice; /* one was passed; not all compilers splice there */
};

/* Classes of bytes, as bits; bytes without any need a closer look. */
enum {
	OCC_READER_IDENTIFIER = 1, /* part of identifiers and numbers */
	OCC_READER_BLANK = 2,
	OCC_READER_PUNCTUATOR = 4, /* one without a meaning to the scan */
	OCC_READER_BUILT_IN = 8,   /* occurs in words of hash/scan_word.c */
	OCC_READER_PLAIN = 16,	   /* any of the first three but _ and a */
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

static inline bool occ_is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit; -1: it isn't one. */
static inline int occ_hex_digit(int c)
{
	if (occ_is_digit(c))
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next byte without taking it; -1 at the end, '\n' for a line end. */
int occ_reader_peek(struct occ_reader *reader);

int occ_reader_take(struct occ_reader *reader);

/* Takes the next byte when it is `wanted`. */
bool occ_reader_accept(struct occ_reader *reader, int wanted);

/* Returns the first byte that isn't of these classes, or is a line splice. */
static inline const char *occ_reader_skip_class(const struct occ_reader *reader,
						unsigned class)
{
	const char *at = reader->at;

	while (at < reader->end &&
	       occ_reader_classes[(unsigned char)*at] & class)
		at++;
	return at;
}

/* To be called behind a slash. Takes the comment that it begins, if any. */
bool occ_reader_skip_comment(struct occ_reader *reader);

/*
 * Skips blanks and comments up to the next token of the line. Returns false if
 * that is a slash, which is taken.
 */
bool occ_reader_skip_blanks(struct occ_reader *reader);

/* To be called behind the opening quote. A line end ends a literal, too. */
void occ_reader_skip_quoted(struct occ_reader *reader, int quote);

/* Longer words are none that anybody looks for. */
#define OCC_READER_WORD_MAX 31

/* An identifier or a preprocessing number without its dots and signs. */
struct occ_reader_word {
	const char *text; /* in the source, or `spliced` */
	size_t length;
	bool may_be_built_in; /* all bytes are OCC_READER_BUILT_IN */
	/* Its first bytes, if a line splice is in the middle. */
	char spliced[OCC_READER_WORD_MAX + 1];
};

/* Takes as many bytes of identifiers as there are; there may be none. */
void occ_reader_take_word(struct occ_reader *reader,
			  struct occ_reader_word *ret_word);

/* Inline, so that lengths of constants are known. */
static inline bool occ_reader_word_equals(const struct occ_reader_word *word,
					  const char *string)
{
	size_t length = strlen(string);

	return word->length == length && !memcmp(word->text, string, length);
}

static inline bool occ_reader_word_in(const struct occ_reader_word *word,
				      const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (occ_reader_word_equals(word, list[i]))
			return true;
	return false;
}
#define OCC_READER_WORD_IN(word, list)                                         \
	occ_reader_word_in(word, list, sizeof(list) / sizeof((list)[0]))

#endif
