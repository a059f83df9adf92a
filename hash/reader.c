/* SPDX-License-Identifier: MIT */
#include "hash/reader.h"

#include <string.h>

#define IDENTIFIER (OCC_READER_IDENTIFIER | OCC_READER_DULL)
#define BLANK	   (OCC_READER_BLANK | OCC_READER_DULL)
#define OTHER	   (OCC_READER_OTHER | OCC_READER_DULL)
#define LETTER	   (IDENTIFIER | OCC_READER_PIECE)

const unsigned char occ_reader_classes[256] = {
	[' '] = BLANK,
	['\t'] = BLANK,
	['\v'] = BLANK,
	['\f'] = BLANK,
	['!'] = OTHER,
	['$'] = IDENTIFIER,
	['&'] = OTHER,
	['('] = OTHER,
	[')'] = OTHER,
	['*'] = OTHER,
	['+'] = OTHER,
	[','] = OTHER,
	['-'] = OTHER,
	['.'] = OTHER,
	['0' ... '9'] = IDENTIFIER,
	[':'] = OTHER,
	[';'] = OTHER,
	['<'] = OTHER,
	['='] = OTHER,
	['>'] = OTHER,
	['@'] = OTHER,
	['['] = OTHER,
	[']'] = OTHER,
	['^'] = OTHER,
	['`'] = OTHER,
	['{'] = OTHER,
	['|'] = OTHER,
	['}'] = OTHER,
	['~'] = OTHER,
	['A'] = LETTER,
	['B'] = LETTER,
	['C'] = IDENTIFIER,
	['D' ... 'E'] = LETTER,
	['F'] = LETTER,
	['G' ... 'H'] = IDENTIFIER,
	['I'] = LETTER,
	['J' ... 'K'] = IDENTIFIER,
	['L'] = LETTER,
	['M'] = LETTER,
	['N'] = LETTER,
	['O'] = IDENTIFIER,
	['P'] = LETTER,
	['Q' ... 'R'] = IDENTIFIER,
	['S' ... 'T'] = LETTER,
	['U' ... 'Z'] = IDENTIFIER,
	['_'] = OCC_READER_IDENTIFIER | OCC_READER_PIECE,
	['a'] = OCC_READER_IDENTIFIER | OCC_READER_PIECE,
	['b' ... 'e'] = LETTER,
	['f' ... 'g'] = IDENTIFIER,
	['h' ... 'i'] = LETTER,
	['j' ... 'k'] = IDENTIFIER,
	['l' ... 'n'] = LETTER,
	['o' ... 'r'] = IDENTIFIER,
	['s' ... 'u'] = LETTER,
	['v' ... 'w'] = IDENTIFIER,
	['x'] = LETTER,
	['y' ... 'z'] = IDENTIFIER,
};

/* Length of a line end at `at`, 0 when there is none. */
static size_t line_end(const struct occ_reader *reader, const char *at)
{
	if (at < reader->end && *at == '\n')
		return 1;
	if (at + 1 < reader->end && at[0] == '\r' && at[1] == '\n')
		return 2;
	return 0;
}

/* Skips line splices at the front; notes what compilers disagree on. */
static void splice(struct occ_reader *reader)
{
	while (reader->at < reader->end && *reader->at == '\\') {
		const char *at = reader->at + 1;
		size_t length = line_end(reader, at);

		if (!length) {
			while (at < reader->end &&
			       occ_is_blank((unsigned char)*at))
				at++;
			if (at > reader->at + 1 && line_end(reader, at))
				reader->uncertain = true;
			return;
		}
		reader->at = at + length;
	}
}

/* A backslash for compilers that know trigraphs, even in comments. */
static bool is_trigraph_backslash(const struct occ_reader *reader)
{
	return reader->end - reader->at >= 3 && !memcmp(reader->at, "?\?/", 3);
}

/* The next byte without taking it, -1 at the end. */
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
	if (*reader->at == '\0' || is_trigraph_backslash(reader))
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

/* Takes the next byte when it is `wanted`. */
bool occ_reader_accept(struct occ_reader *reader, int wanted)
{
	if (occ_reader_peek(reader) != wanted)
		return false;
	occ_reader_take(reader);
	return true;
}

/* Behind slash-star. An unterminated comment swallows the rest. */
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
		reader->at = occ_reader_skip_class(reader, OCC_READER_DULL);
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

/* To the next token of the line; false when that is a slash, now taken. */
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

/* Behind the opening quote. A line end closes an unterminated one. */
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
