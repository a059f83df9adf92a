/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

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
 * May what is before the quote make it something else than the beginning of an
 * ordinary literal?
 *
 * C++ for OpenCL has raw strings, and quotes that separate digits. A universal
 * character name may be part of a number, and so may what it has in braces: no
 * quote is certain behind one on the same line.
 */
static bool is_odd_literal(const struct occ_scanner *scanner, const char *quote)
{
	const char *start = scanner->scan->text;

	if (*quote == '"')
		return ends_raw_prefix(start, quote);
	return scanner->after_ucn || ends_number(start, quote);
}

/* Behind the backslash: does it begin a universal character name? */
static bool is_ucn(struct occ_reader *reader)
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

void occ_scan_take_line(struct occ_scanner *scanner, bool fails)
{
	struct occ_reader *reader = &scanner->reader;
	int c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		const char *quote = reader->at;

		occ_reader_take(reader);
		if (c == '"' || c == '\'') {
			if (is_odd_literal(scanner, quote)) {
				reader->uncertain |= c == '"';
				take_uncertain_rest(reader);
				return;
			}
			occ_reader_skip_quoted(reader, c);
		} else if (c == '\\') {
			scanner->after_ucn |= is_ucn(reader);
		} else if (c == '/' && occ_reader_skip_comment(reader) &&
			   memchr(quote, '\n', (size_t)(reader->at - quote))) {
			reader->uncertain |= !fails;
		}
	}
}

/* Clang 18 and later do so behind a string with an escape sequence. */
void occ_scan_check_line(struct occ_scanner *scanner)
{
	struct occ_reader before = scanner->reader;

	occ_scan_take_line(scanner, false);
	before.uncertain |= scanner->reader.uncertain;
	scanner->reader = before;
}

static void end_line(struct occ_scanner *scanner)
{
	occ_scan_directive_end(scanner);
	scanner->line_start = true;
	scanner->in_pragma = false;
	scanner->in_condition = false;
	scanner->after_defined = false;
	scanner->after_hash = false;
	scanner->after_ucn = false;
}

/* Behind a # in any spelling. */
static void scan_hash(struct occ_scanner *scanner)
{
	if (scanner->after_hash)
		scanner->scan->traits |= OCC_SCAN_PASTING;
	scanner->after_hash = true;
	if (!scanner->line_start) {
		scanner->scan->traits |= OCC_SCAN_STRINGIZING;
		return;
	}
	scanner->line_start = false;
	occ_scan_directive(scanner);
}

/* Behind a ?: ??= is a #. */
static void scan_question(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;

	scanner->line_start = false;
	while (occ_reader_accept(reader, '?')) {
		if (!occ_reader_accept(reader, '='))
			continue;
		/* To some a #, whatever is before; to others operators. */
		occ_scan_directive_end(scanner);
		scanner->line_start = true;
		scan_hash(scanner);
		return;
	}
}

static void scan_word(struct occ_scanner *scanner)
{
	struct occ_reader_word word;

	occ_reader_take_word(&scanner->reader, &word);
	if (!scanner->in_condition ||
	    !occ_scan_directive_condition(scanner, &word))
		occ_scan_word_note(scanner, &word);
	scanner->line_start = false;
	scanner->after_hash = false;
}

/* Skips punctuators, and words that begin with neither _ nor a. */
static void skip_words(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;
	const char *at = reader->at, *start = scanner->scan->text;

	for (;;) {
		while (at < reader->end &&
		       occ_reader_classes[(unsigned char)*at] &
			       OCC_READER_PLAIN)
			at++;
		/* Go on at an _ or a within a word. */
		if (at == reader->end || at == start ||
		    !occ_is_identifier((unsigned char)*at) ||
		    !occ_is_identifier((unsigned char)at[-1]))
			break;
		at++;
	}
	reader->at = at;
}

/* Skips what means nothing to the scan, also whole lines. */
static void skip_plain(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;

	for (;;) {
		const char *at = reader->at, *token;

		reader->at = occ_reader_skip_class(reader, OCC_READER_BLANK);
		token = reader->at;
		/* Where any word may count. */
		if (scanner->fragments || scanner->in_pragma ||
		    scanner->in_condition)
			reader->at = occ_reader_skip_class(
				reader,
				OCC_READER_BLANK | OCC_READER_PUNCTUATOR);
		else
			skip_words(scanner);
		if (reader->at != token)
			scanner->line_start = false;
		if (reader->at != at)
			scanner->after_hash = false;
		if (reader->at == reader->end || *reader->at != '\n')
			return;
		end_line(scanner);
		reader->at++;
	}
}

/* Behind any other byte. */
static void scan_other(struct occ_scanner *scanner, int c)
{
	struct occ_reader *reader = &scanner->reader;

	if (c == '"' || c == '\'') {
		if (is_odd_literal(scanner, reader->at - 1))
			reader->uncertain = true;
		occ_reader_skip_quoted(reader, c);
		scanner->line_start = false;
	} else if (!occ_is_blank(c) &&
		   !(c == '/' && occ_reader_skip_comment(reader))) {
		scanner->after_ucn |= c == '\\' && is_ucn(reader);
		scanner->line_start = false;
	}
}

/* Scans a token, comment, blank or line end; false at the end of the text. */
static bool scan_token(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;
	bool after_hash;
	int c;

	skip_plain(scanner);
	after_hash = scanner->after_hash;
	c = occ_reader_peek(reader);
	if (c < 0)
		return false;
	if (occ_is_identifier(c)) {
		scan_word(scanner);
		return true;
	}
	if (c == '\n')
		end_line(scanner);
	occ_reader_take(reader);
	/* To compilers a letter, a blank, a byte order mark or an error. */
	if (c >= 128)
		reader->uncertain = true;
	if (c == '#' || (c == '%' && occ_reader_accept(reader, ':'))) {
		scan_hash(scanner);
		return true;
	}
	scanner->after_hash = c == '?' && after_hash;
	if (c == '?')
		scan_question(scanner);
	else if (c != '\n')
		scan_other(scanner, c);
	return true;
}

static struct occ_scan *new_scan(struct occ_scanner *scanner, const char *text,
				 size_t size)
{
	struct occ_scan *scan = calloc(1, sizeof(*scan));

	memset(scanner, 0, sizeof(*scanner));
	if (!scan)
		return NULL;
	scan->text = text;
	scan->size = size;
	scanner->scan = scan;
	scanner->reader = (struct occ_reader){.at = text, .end = text + size};
	return scan;
}

/* NULL: out of memory; nothing is left then. */
static struct occ_scan *finish(struct occ_scanner *scanner)
{
	struct occ_scan *scan = scanner->scan;

	if (scanner->reader.uncertain)
		scan->traits |= OCC_SCAN_UNCERTAIN;
	if (scanner->reader.blank_splice)
		scan->traits |= OCC_SCAN_BLANK_SPLICE;
	if (!scanner->failed && !scan->names.failed &&
	    occ_scan_macro_index(scan))
		return scan;
	occ_scan_release(scan);
	return NULL;
}

static struct occ_scan *scan_source(const char *text, size_t size,
				    struct occ_scan_fragments *fragments)
{
	struct occ_scanner scanner;

	/* Offsets in `names` have 32 bits. */
	if (size > UINT32_MAX / 2)
		return NULL;
	/* Many applications count the terminating NUL in the length. */
	while (size && text[size - 1] == '\0')
		size--;
	if (!new_scan(&scanner, text, size))
		return NULL;
	scanner.fragments = fragments;
	scanner.line_start = true;
	/*
	 * Clang skips a byte order mark at the start of a text. To a compiler
	 * that doesn't, the first line has no directive, and nothing is missed.
	 */
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		scanner.reader.at += 3;
	while (!scanner.failed && scan_token(&scanner))
		;
	occ_scan_directive_end(&scanner);
	return finish(&scanner);
}

/* Words count wherever they are: drivers read quotes differently. */
static void scan_option_words(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_reader_word word;

	while (occ_reader_peek(reader) >= 0) {
		if (!occ_is_identifier(occ_reader_peek(reader))) {
			occ_reader_take(reader);
			continue;
		}
		occ_reader_take_word(reader, &word);
		occ_scan_word_note(scanner, &word);
		/* The X of -DX=1 is a word, too. */
		if (word.length > 1 && *word.text == 'D') {
			word.text++;
			word.length--;
			word.may_be_built_in = true;
			occ_scan_word_note(scanner, &word);
		}
	}
	reader->uncertain = false;
	reader->blank_splice = false;
}

static struct occ_scan *scan_options(const char *options,
				     struct occ_scan_fragments *fragments)
{
	struct occ_scanner scanner;
	struct occ_scan *scan = new_scan(&scanner, options, strlen(options));

	if (!scan)
		return NULL;
	scanner.fragments = fragments;
	scan->traits = OCC_SCAN_OPTIONS;
	scan_option_words(&scanner);
	if (occ_scan_contains(scan, "?\?="))
		scan->traits |= OCC_SCAN_STRINGIZING | OCC_SCAN_PASTING;
	if (occ_scan_contains(scan, "#") || occ_scan_contains(scan, "%:"))
		scan->traits |= OCC_SCAN_STRINGIZING;
	if (occ_scan_contains(scan, "##") || occ_scan_contains(scan, "%:%:"))
		scan->traits |= OCC_SCAN_PASTING;
	occ_scan_word_note_options(&scanner);
	return finish(&scanner);
}

struct occ_scan *occ_scan_make(const char *text, size_t size)
{
	return scan_source(text, size, NULL);
}

struct occ_scan *occ_scan_make_options(const char *options)
{
	return scan_options(options, NULL);
}

struct occ_scan *occ_scan_again(const struct occ_scan *scan,
				struct occ_scan_fragments *fragments)
{
	return scan->traits & OCC_SCAN_OPTIONS
		       ? scan_options(scan->text, fragments)
		       : scan_source(scan->text, scan->size, fragments);
}

void occ_scan_release(struct occ_scan *scan)
{
	if (!scan)
		return;
	occ_buffer_release(&scan->names);
	free(scan->fragments);
	free(scan->macros);
	free(scan->directives);
	free(scan);
}
