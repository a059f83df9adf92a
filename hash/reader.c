/* SPDX-License-Identifier: MIT */
#include "hash/reader.h"

#include <string.h>

#define IDENTIFIER (OCC_READER_IDENTIFIER | OCC_READER_PLAIN)
#define BLANK	   (OCC_READER_BLANK | OCC_READER_PLAIN)
#define PUNCTUATOR (OCC_READER_PUNCTUATOR | OCC_READER_PLAIN)
#define BUILT_IN   (IDENTIFIER | OCC_READER_BUILT_IN)

const unsigned char occ_reader_classes[256] = {
	['\t'] = BLANK,
	['\v' ... '\f'] = BLANK,
	[' '] = BLANK,
	['!'] = PUNCTUATOR,
	['$'] = IDENTIFIER,
	['&'] = PUNCTUATOR,
	['(' ... '.'] = PUNCTUATOR,
	['0' ... '9'] = IDENTIFIER,
	[':' ... '>'] = PUNCTUATOR,
	['@'] = PUNCTUATOR,
	['A' ... 'G'] = BUILT_IN,
	['H'] = IDENTIFIER,
	['I'] = BUILT_IN,
	['J' ... 'K'] = IDENTIFIER,
	['L' ... 'P'] = BUILT_IN,
	['Q'] = IDENTIFIER,
	['R' ... 'U'] = BUILT_IN,
	['V' ... 'X'] = IDENTIFIER,
	['Y'] = BUILT_IN,
	['Z'] = IDENTIFIER,
	['['] = PUNCTUATOR,
	[']' ... '^'] = PUNCTUATOR,
	['_'] = OCC_READER_IDENTIFIER | OCC_READER_BUILT_IN,
	['`'] = PUNCTUATOR,
	['a'] = OCC_READER_IDENTIFIER | OCC_READER_BUILT_IN,
	['b' ... 'f'] = BUILT_IN,
	['g'] = IDENTIFIER,
	['h' ... 'i'] = BUILT_IN,
	['j' ... 'k'] = IDENTIFIER,
	['l' ... 'p'] = BUILT_IN,
	['q'] = IDENTIFIER,
	['r' ... 'u'] = BUILT_IN,
	['v' ... 'w'] = IDENTIFIER,
	['x'] = BUILT_IN,
	['y' ... 'z'] = IDENTIFIER,
	['{' ... '~'] = PUNCTUATOR,
};

/* Returns the length of the line end at `at`, or 0. */
static size_t line_end(const struct occ_reader *reader, const char *at)
{
	if (at < reader->end && *at == '\n')
		return 1;
	if (at + 1 < reader->end && at[0] == '\r' && at[1] == '\n')
		return 2;
	return 0;
}

/* Skips line splices. */
static void splice(struct occ_reader *reader)
{
	while (reader->at < reader->end && *reader->at == '\\') {
		const char *at = reader->at + 1;
		size_t length;

		while (at < reader->end && occ_is_blank((unsigned char)*at))
			at++;
		length = line_end(reader, at);
		if (!length)
			return;
		if (at > reader->at + 1)
			reader->blank_splice = true;
		reader->at = at + length;
	}
}

int occ_reader_peek(struct occ_reader *reader)
{
	splice(reader);
	if (reader->at == reader->end)
		return -1;
	if (*reader->at == '\r') {
		if (line_end(reader, reader->at))
			return '\n';
		reader->uncertain = true;
	}
	/* Compilers that know trigraphs see a backslash, even in comments. */
	if (*reader->at == '\0' ||
	    (reader->end - reader->at >= 3 && !memcmp(reader->at, "?\?/", 3)))
		reader->uncertain = true;
	return (unsigned char)*reader->at;
}

int occ_reader_take(struct occ_reader *reader)
{
	int c = occ_reader_peek(reader);

	if (c < 0)
		return c;
	reader->at += c == '\n' ? line_end(reader, reader->at) : 1;
	return c;
}

bool occ_reader_accept(struct occ_reader *reader, int wanted)
{
	if (occ_reader_peek(reader) != wanted)
		return false;
	occ_reader_take(reader);
	return true;
}

/* Behind slash-star. An unterminated comment goes on to the end. */
static void skip_block_comment(struct occ_reader *reader)
{
	int c;

	while ((c = occ_reader_take(reader)) >= 0) {
		if (c == '*' && occ_reader_accept(reader, '/'))
			return;
		reader->at =
			occ_reader_skip_class(reader, OCC_READER_IDENTIFIER |
							      OCC_READER_BLANK);
	}
}

static void skip_line_comment(struct occ_reader *reader)
{
	int c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		occ_reader_take(reader);
		reader->at = occ_reader_skip_class(reader, OCC_READER_PLAIN);
	}
}

bool occ_reader_skip_comment(struct occ_reader *reader)
{
	if (occ_reader_accept(reader, '*'))
		skip_block_comment(reader);
	else if (occ_reader_accept(reader, '/'))
		skip_line_comment(reader);
	else
		return false;
	return true;
}

bool occ_reader_skip_blanks(struct occ_reader *reader)
{
	for (;;) {
		int c = occ_reader_peek(reader);

		if (occ_is_blank(c)) {
			occ_reader_take(reader);
		} else if (c == '/') {
			occ_reader_take(reader);
			if (!occ_reader_skip_comment(reader))
				return false;
		} else {
			return true;
		}
	}
}

void occ_reader_skip_quoted(struct occ_reader *reader, int quote)
{
	int c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		occ_reader_take(reader);
		if (c == quote)
			return;
		if (c == '\\')
			occ_reader_take(reader);
	}
}

/* Copies the start of a word in which there is a splice, and takes the rest. */
static void take_spliced(struct occ_reader *reader,
			 struct occ_reader_word *word)
{
	int c = occ_reader_peek(reader);

	if (!occ_is_identifier(c))
		return;
	memcpy(word->spliced, word->text,
	       word->length < sizeof(word->spliced) ? word->length
						    : sizeof(word->spliced));
	word->text = word->spliced;
	word->may_be_built_in = true;
	for (; occ_is_identifier(c); c = occ_reader_peek(reader)) {
		if (word->length < sizeof(word->spliced))
			word->spliced[word->length] = (char)c;
		word->length++;
		occ_reader_take(reader);
	}
}

void occ_reader_take_word(struct occ_reader *reader,
			  struct occ_reader_word *ret_word)
{
	const char *at = reader->at;
	unsigned class = OCC_READER_BUILT_IN;

	while (at < reader->end &&
	       occ_reader_classes[(unsigned char)*at] & OCC_READER_IDENTIFIER)
		class &= occ_reader_classes[(unsigned char)*at++];
	ret_word->text = reader->at;
	ret_word->length = (size_t)(at - reader->at);
	ret_word->may_be_built_in = class;
	reader->at = at;
	if (at < reader->end && *at == '\\')
		take_spliced(reader, ret_word);
}
