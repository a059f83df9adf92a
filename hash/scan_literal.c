/* SPDX-License-Identifier: MIT */
#include "hash/scanner.h"

static bool is_identifier(char c)
{
	return occ_is_identifier((unsigned char)c);
}

/*
 * Is there a line splice right before `at`, and before it what may be the
 * beginning of a word or number, or another splice? Blanks may follow its
 * backslash.
 */
static bool is_cut(const char *start, const char *at)
{
	if (at == start || *--at != '\n')
		return false;
	if (at > start && at[-1] == '\r')
		at--;
	while (at > start && occ_is_blank((unsigned char)at[-1]))
		at--;
	if (at == start || *--at != '\\' || at == start)
		return false;
	return is_identifier(at[-1]) || strchr(".+-\n", at[-1]);
}

/*
 * May a preprocessing number (C11 section 6.4.8) have this byte behind the one
 * before it? That may be before a splice.
 */
static bool is_number_byte(const char *start, const char *at)
{
	if (is_identifier(*at) || *at == '.')
		return true;
	return (*at == '+' || *at == '-') && at > start &&
	       ((at[-1] | 32) == 'e' || (at[-1] | 32) == 'p' || at[-1] == '\n');
}

/*
 * May a preprocessing number end at `end`? It has all bytes that it may have
 * from its first one on. Whether $ is a letter depends on the compiler.
 */
static bool ends_number(const char *start, const char *end)
{
	const char *at = end;

	while (at > start && is_number_byte(start, at - 1))
		at--;
	/* Too rare to look further. */
	if (is_cut(start, at))
		return true;
	while (at < end) {
		if (occ_is_digit(*at) || (*at == '.' && occ_is_digit(at[1])))
			return true;
		if (!is_identifier(*at) || *at == '$') {
			at++;
			continue;
		}
		while (at < end && is_identifier(*at) && *at != '$')
			at++;
	}
	return false;
}

/* Does R, or one of the prefixes with it, end at the quote? */
static bool ends_raw_prefix(const char *start, const char *quote)
{
	const char *word = quote;

	while (word > start && is_identifier(word[-1]) && word[-1] != '$')
		word--;
	if (is_cut(start, word))
		return true;
	return word < quote && quote[-1] == 'R' && quote - word <= 3;
}

/*
 * C++ for OpenCL has raw strings, and quotes that separate digits. A universal
 * character name may be part of a number, and so may what it has in braces: no
 * quote is certain behind one on the same line.
 */
bool occ_scan_literal_is_odd(const struct occ_scanner *scanner,
			     const char *quote)
{
	const char *start = scanner->scan->text;

	if (*quote == '"')
		return ends_raw_prefix(start, quote);
	return scanner->after_ucn || ends_number(start, quote);
}

bool occ_scan_literal_is_ucn(struct occ_reader *reader)
{
	int c = occ_reader_peek(reader);

	return c == 'u' || c == 'U' || c == 'N';
}

/*
 * Takes a line's rest in which it isn't certain where literals begin and end.
 * Only what may go on behind the line makes it uncertain.
 */
static void take_uncertain_rest(struct occ_reader *reader)
{
	int before = 0, c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		if ((before == '/' && c == '*') || (before == 'R' && c == '"'))
			reader->uncertain = true;
		before = c;
		occ_reader_take(reader);
	}
}

void occ_scan_literal_take_line(struct occ_scanner *scanner, bool fails)
{
	struct occ_reader *reader = &scanner->reader;
	int c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		const char *quote = reader->at;

		occ_reader_take(reader);
		if (c == '"' || c == '\'') {
			if (occ_scan_literal_is_odd(scanner, quote)) {
				reader->uncertain |= c == '"';
				take_uncertain_rest(reader);
				return;
			}
			occ_reader_skip_quoted(reader, c);
		} else if (c == '\\') {
			scanner->after_ucn |= occ_scan_literal_is_ucn(reader);
		} else if (c == '/' && occ_reader_skip_comment(reader) &&
			   memchr(quote, '\n', (size_t)(reader->at - quote))) {
			reader->uncertain |= !fails;
		}
	}
}

/* Clang 18 and later do so behind a string with an escape sequence. */
void occ_scan_literal_check_line(struct occ_scanner *scanner)
{
	struct occ_reader before = scanner->reader;

	occ_scan_literal_take_line(scanner, false);
	before.uncertain |= scanner->reader.uncertain;
	scanner->reader = before;
}
