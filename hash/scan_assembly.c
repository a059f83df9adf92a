/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <strings.h>

#include "hash/scanner.h"

/*
 * Parts of the source's text, in small letters, of which assembly that includes
 * files has one: the directives, those that can make others, pieces of strings
 * that are cut within one, and a dot as an escape sequence.
 */
static const char *const assembly_parts[] = {
	".inc",	   ".macro",	  ".irp", ".altmacro", "\"incl", "\"incb",
	"\"inc\"", ".\"",	  ".i\"", ".in\"",     "\\056",	 "\\56",
	"\\u002e", "\\u0000002e", "\\n{", "\\o{",      "\\x{",
};

/* Their first bytes. */
static const char part_starts[] = {'.', '"', '\\'};

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* May a symbol of the assembler have this byte? */
static bool is_symbol_byte(char c)
{
	return c != '$' && occ_is_identifier((unsigned char)c);
}

/*
 * Can the directive that begins with the dot at `at` include a file, or define
 * a macro that does? It can be the beginning of one if an operand, or one of
 * the dialects in braces, follows.
 */
static bool is_including_directive(const char *at, const char *end)
{
	static const char *const directives[] = {"inc", "macro", "irp",
						 "altmacro"};
	const char *begin = at + 1;
	size_t length;
	bool is_open;

	for (at++; at < end && is_symbol_byte(*at); at++)
		;
	length = (size_t)(at - begin);
	is_open = at == end || strchr("{|}%$\\\"", *at);
	for (size_t i = 0; i < sizeof(directives) / sizeof(char *); i++) {
		size_t whole = strlen(directives[i]);

		if ((length >= whole || is_open) &&
		    !strncasecmp(begin, directives[i],
				 length < whole ? length : whole))
			return true;
	}
	return false;
}

/* Of assembly as the assembler reads it. */
static bool does_assembly_include(const char *text, size_t size)
{
	const char *end;

	/* `text` may be NULL. */
	if (size == 0)
		return false;
	end = text + size;
	for (const char *at = text;
	     (at = memchr(at, '.', (size_t)(end - at))) != NULL; at++)
		if ((at == text || !is_symbol_byte(at[-1])) &&
		    is_including_directive(at, end))
			return true;
	return false;
}

/*
 * Takes an escape sequence behind its backslash. Returns the byte that it
 * stands for, or -1 if that isn't known.
 */
static int take_escape(struct occ_reader *reader)
{
	static const char names[] = "abfnrtv\\'\"?";
	static const char values[] = "\a\b\f\n\r\t\v\\'\"?";
	int c = occ_reader_take(reader), value = 0;
	const char *name = c > 0 ? strchr(names, c) : NULL;

	if (name)
		return values[name - names];
	if (c >= '0' && c <= '7') {
		value = c - '0';
		for (int i = 0; i < 2; i++) {
			c = occ_reader_peek(reader);
			if (c < '0' || c > '7')
				break;
			value = value * 8 + occ_reader_take(reader) - '0';
		}
		return value;
	}
	if (c != 'x' || occ_hex_digit(occ_reader_peek(reader)) < 0)
		return -1;
	while (value < 256 && occ_hex_digit(occ_reader_peek(reader)) >= 0)
		value = value * 16 + occ_hex_digit(occ_reader_take(reader));
	return value < 256 ? value : -1;
}

/* Takes a string, behind its quote, into `text`; false: not a plain one. */
static bool take_string(struct occ_reader *reader, struct occ_buffer *text)
{
	int c;

	while ((c = occ_reader_take(reader)) != '"') {
		char byte;

		if (c < 0 || c == '\n')
			return false;
		if (c == '\\')
			c = take_escape(reader);
		if (c < 0)
			return false;
		byte = (char)c;
		occ_buffer_append(text, &byte, 1);
	}
	return true;
}

/* Like occ_reader_skip_blanks(), also across line ends unless in a macro. */
static bool skip_white(struct occ_reader *reader, bool in_macro)
{
	while (occ_reader_skip_blanks(reader)) {
		if (in_macro || occ_reader_peek(reader) != '\n')
			return true;
		occ_reader_take(reader);
	}
	return false;
}

/* Takes what may be between the word asm and its strings. */
static bool take_qualifiers(struct occ_reader *reader, bool in_macro)
{
	static const char *const qualifiers[] = {"volatile", "__volatile__",
						 "__volatile", "inline",
						 "goto"};
	struct occ_reader_word word;

	for (;;) {
		if (!skip_white(reader, in_macro))
			return false;
		if (!occ_is_identifier(occ_reader_peek(reader)))
			return occ_reader_accept(reader, '(');
		occ_reader_take_word(reader, &word);
		if (!OCC_READER_WORD_IN(&word, qualifiers))
			return false;
	}
}

/*
 * Copies all strings behind the word asm to `text`, without taking them. False:
 * there is something else among them. In a macro they end with the line.
 */
static bool copy_assembly(const struct occ_reader *reader, bool in_macro,
			  struct occ_buffer *text)
{
	struct occ_reader ahead = *reader;

	if (!take_qualifiers(&ahead, in_macro))
		return false;
	while (skip_white(&ahead, in_macro)) {
		int c = occ_reader_take(&ahead);

		if (c != '"')
			return (c == ':' || c == ')') && !ahead.uncertain;
		if (!take_string(&ahead, text))
			return false;
	}
	return false;
}

void occ_scan_assembly_note(struct occ_scanner *scanner)
{
	struct occ_scan *scan = scanner->scan;
	struct occ_buffer text = OCC_BUFFER_INIT;

	scan->traits |= OCC_SCAN_ASSEMBLY;
	/* Drivers read quotes in options differently. */
	if (scan->traits & OCC_SCAN_OPTIONS ||
	    !copy_assembly(&scanner->reader, scanner->in_rest, &text) ||
	    text.failed)
		scan->traits |= OCC_SCAN_ASSEMBLY_OPEN;
	else if (does_assembly_include((const char *)text.data, text.size))
		scan->traits |= OCC_SCAN_READS;
	occ_buffer_release(&text);
}

/*
 * Is the dot at `at` within a symbol of the assembler (st.global), unless its
 * letters may be those of an escape sequence?
 */
static bool within_symbol(const char *text, const char *at)
{
	const char *start = at;

	while (start > text && is_symbol_byte(start[-1]))
		start--;
	return start < at && start > text && start[-1] != '\\';
}

static bool is_assembly_part(const char *text, size_t size)
{
	const char *end = text + size;

	for (size_t i = 0; i < sizeof(assembly_parts) / sizeof(char *); i++) {
		size_t length = strlen(assembly_parts[i]);

		if (length <= size &&
		    !strncasecmp(text, assembly_parts[i], length))
			return true;
	}
	if (size < 2 || text[0] != '\\' || text[1] != 'x')
		return false;
	for (text += 2; text < end && *text == '0'; text++)
		;
	return end - text >= 2 && !strncasecmp(text, "2e", 2);
}

static const char *skip_back(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at;
}

/*
 * Is the quote at `at` that of an #include's name? Reads backwards from there,
 * so that a line with many quotes isn't read for each.
 */
static bool is_include_name(const char *text, const char *at)
{
	const char *end = skip_back(text, at);

	for (at = end; at > text && is_symbol_byte(at[-1]); at--)
		;
	if (end - at < 7 || memcmp(at, "include", 7) != 0)
		return false;
	at = skip_back(text, at);
	if (at == text || *--at != '#')
		return false;
	at = skip_back(text, at);
	if (at == text)
		return true;
	return at[-1] == '\n' &&
	       !(at - text >= 2 && (at[-2] == '\\' || at[-2] == '\r'));
}

/* `text` has neither comments nor splices. */
static bool has_assembly_part(const char *text, size_t size)
{
	const char *end = text + size;

	for (size_t i = 0; i < sizeof(part_starts); i++) {
		const char *at = text;

		for (; at < end; at++) {
			at = memchr(at, part_starts[i], (size_t)(end - at));
			if (!at)
				break;
			if (!is_assembly_part(at, (size_t)(end - at)))
				continue;
			if (*at == '.' && within_symbol(text, at))
				continue;
			if (*at != '"' || !is_include_name(text, at))
				return true;
		}
	}
	return false;
}

/* Copies a literal with its quotes; the first one is taken. */
static size_t copy_quoted(struct occ_reader *reader, int quote, char *copy)
{
	size_t size = 0;
	int c;

	copy[size++] = (char)quote;
	do {
		c = occ_reader_peek(reader);
		if (c < 0 || c == '\n')
			break;
		copy[size++] = (char)occ_reader_take(reader);
		if (c == '\\' && occ_reader_peek(reader) >= 0)
			copy[size++] = (char)occ_reader_take(reader);
	} while (c != quote);
	return size;
}

/* Copies the text with a blank for each comment, and without splices. */
static size_t copy_plain(const struct occ_scan *scan, char *copy)
{
	struct occ_reader reader = {.at = scan->text,
				    .end = scan->text + scan->size};
	size_t size = 0;
	int c;

	while ((c = occ_reader_take(&reader)) >= 0) {
		if (c == '"' || c == '\'')
			size += copy_quoted(&reader, c, copy + size);
		else if (c == '/' && occ_reader_skip_comment(&reader))
			copy[size++] = ' ';
		else
			copy[size++] = (char)c;
	}
	return size;
}

/* May this be a line splice? */
static bool is_splice(const char *text, const char *end)
{
	return end - text >= 2 && *text == '\\' &&
	       strchr("\n\r \t\v\f", text[1]);
}

/* Does `text` begin with a part, or with one up to a line splice? */
static bool begins_part(const char *text, const char *end)
{
	for (size_t i = 0; i < sizeof(assembly_parts) / sizeof(char *); i++) {
		const char *part = assembly_parts[i], *at = text;

		for (; *part && at < end && lower(*at) == *part; at++)
			part++;
		if (!*part || (at > text && is_splice(at, end)))
			return true;
	}
	return end - text >= 2 && text[0] == '\\' &&
	       (lower(text[1]) == 'x' || is_splice(text + 1, end));
}

/*
 * Most texts have none, even in comments; this is several times as fast as to
 * copy the text.
 */
static bool may_have_part(const char *text, size_t size)
{
	const char *end = text + size;

	for (size_t i = 0; i < sizeof(part_starts); i++) {
		const char *at = text;

		while ((at = memchr(at, part_starts[i], (size_t)(end - at)))) {
			if (begins_part(at, end))
				return true;
			at++;
		}
	}
	/* A trigraph is a backslash, or a splice. */
	for (const char *at = text; (at = memchr(at, '?', (size_t)(end - at)));
	     at++)
		if (end - at >= 3 && at[1] == '?' && at[2] == '/')
			return true;
	return false;
}

/* True when memory ran out. */
static bool find_assembly_part(const struct occ_scan *scan)
{
	char *copy;
	bool found;

	if (!may_have_part(scan->text, scan->size))
		return false;
	copy = malloc(scan->size + 1);
	if (!copy)
		return true;
	found = has_assembly_part(copy, copy_plain(scan, copy));
	free(copy);
	return found;
}

bool occ_scan_assembly_includes(const struct occ_scan *scan)
{
	enum { UNKNOWN, NO, YES };
	/* Several threads may compute it at the same time. */
	_Atomic(signed char) *known =
		&((struct occ_scan *)(uintptr_t)scan)->assembly_includes;

	if (*known == UNKNOWN)
		*known = find_assembly_part(scan) ? YES : NO;
	return *known == YES;
}

/*
 * Can # make the word a part of a directive that includes? Shorter parts are
 * everywhere, and nobody makes a directive letter by letter.
 */
static bool is_directive_part(const char *text, size_t length)
{
	static const char *const directives[] = {"incbin", "include", "macro",
						 "irpc", "altmacro"};

	if (length < 3)
		return false;
	for (size_t i = 0; i < sizeof(directives) / sizeof(char *); i++) {
		size_t whole = strlen(directives[i]);

		/* A longer word may not be there as a whole. */
		if (length <= whole &&
		    memmem(directives[i], whole, text, length))
			return true;
	}
	return false;
}

/* Can the string's first word go on with a directive behind a dot? */
static bool begins_with_directive_part(const struct occ_buffer *string)
{
	const char *text = (const char *)string->data;
	size_t length = 0;

	while (length < string->size && is_symbol_byte(text[length]))
		length++;
	return is_directive_part(text, length);
}

/* Takes a string, behind its quote, that may be a part of assembly. */
static bool may_string_include(struct occ_reader *reader, bool stringizing)
{
	struct occ_buffer string = OCC_BUFFER_INIT;
	struct occ_reader ahead = *reader;
	bool may = true;

	if (take_string(&ahead, &string) && !string.failed)
		may = does_assembly_include((const char *)string.data,
					    string.size) ||
		      (stringizing && begins_with_directive_part(&string));
	occ_buffer_release(&string);
	occ_reader_skip_quoted(reader, '"');
	return may;
}

bool occ_scan_strings_include(const struct occ_scan *scan, bool stringizing)
{
	struct occ_reader reader = {.at = scan->text,
				    .end = scan->text + scan->size};
	bool names_file = false; /* behind the word include */
	struct occ_reader_word word;
	int c;

	while ((c = occ_reader_peek(&reader)) >= 0) {
		if (occ_is_identifier(c)) {
			occ_reader_take_word(&reader, &word);
			names_file = occ_reader_word_equals(&word, "include");
			if (stringizing && !names_file &&
			    is_directive_part(word.text, word.length))
				return true;
			continue;
		}
		occ_reader_take(&reader);
		if (c == '"' && !names_file) {
			if (may_string_include(&reader, stringizing))
				return true;
		} else if (c == '"' || c == '\'') {
			occ_reader_skip_quoted(&reader, c);
		} else if (c == '/') {
			occ_reader_skip_comment(&reader);
		}
		if (!occ_is_blank(c))
			names_file = false;
	}
	return false;
}
