/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "hash/scanner.h"

static struct occ_directive *add_directive(struct occ_scanner *scanner,
					   enum occ_directive_kind kind,
					   const char *name, size_t length)
{
	struct occ_scan *scan = scanner->scan;
	struct occ_directive *directive = scan->directives;

	if (scan->directive_count == scanner->capacity) {
		size_t capacity = scanner->capacity ? scanner->capacity * 2 : 8;

		directive = realloc(directive, capacity * sizeof(*directive));
		if (!directive) {
			scanner->failed = true;
			return NULL;
		}
		scan->directives = directive;
		scanner->capacity = capacity;
	}
	directive += scan->directive_count++;
	*directive = (struct occ_directive){
		.kind = kind,
		.name = (uint32_t)scan->names.size,
	};
	occ_buffer_append(&scan->names, name, length);
	occ_buffer_append(&scan->names, "", 1);
	return directive;
}

/* The directive goes on from here to the end of the line. */
static void begin_rest(struct occ_scanner *scanner,
		       struct occ_directive *directive)
{
	if (!directive)
		return;
	directive->rest = scanner->reader.at;
	scanner->in_rest = true;
}

void occ_scan_directive_end(struct occ_scanner *scanner)
{
	const struct occ_scan *scan = scanner->scan;
	struct occ_directive *last;

	if (!scanner->in_rest || !scan->directive_count)
		return;
	last = &scan->directives[scan->directive_count - 1];
	last->rest_length = (size_t)(scanner->reader.at - last->rest);
	scanner->in_rest = false;
}

/* Do compilers agree on what such a byte of an include's name means? */
static bool is_name_byte(int c, int before)
{
	if (c < ' ' || c > '~' || c == '"' || c == '\'' || c == '\\')
		return false;
	/* What begins comments, for some, and trigraphs. */
	return !(before == '/' && (c == '/' || c == '*')) &&
	       !(before == '?' && c == '?');
}

bool occ_scan_name_certain(const char *name, size_t length)
{
	int before = 0;

	for (size_t i = 0; i < length; i++) {
		if (!is_name_byte((unsigned char)name[i], before))
			return false;
		before = (unsigned char)name[i];
	}
	return length && length <= OCC_SCAN_NAME_MAX;
}

/*
 * Takes an include's name, behind the opening quote, and the closing one.
 * Returns its length, 0 if it isn't certain.
 */
static size_t take_name(struct occ_reader *reader, int close,
			char ret_name[OCC_SCAN_NAME_MAX])
{
	int before = 0, c;
	size_t length = 0;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		occ_reader_take(reader);
		if (c == close)
			return length;
		if (!is_name_byte(c, before) || length == OCC_SCAN_NAME_MAX)
			return 0;
		ret_name[length++] = (char)c;
		before = c;
	}
	return 0;
}

/* Takes a name in quotes or angle brackets, if there is one. */
static struct occ_directive *take_header_name(struct occ_scanner *scanner,
					      enum occ_directive_kind kind)
{
	struct occ_reader *reader = &scanner->reader;
	int quote = occ_reader_peek(reader);
	struct occ_directive *directive;
	char name[OCC_SCAN_NAME_MAX];
	size_t length;

	if (quote != '"' && quote != '<')
		return NULL;
	occ_reader_take(reader);
	length = take_name(reader, quote == '<' ? '>' : quote, name);
	if (!length) {
		reader->uncertain = true;
		return NULL;
	}
	directive = add_directive(scanner, kind, name, length);
	if (directive)
		directive->quoted = quote == '"';
	return directive;
}

/* Behind `include`, or a word with the same meaning. */
static void scan_include(struct occ_scanner *scanner, bool next)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive;
	int c = occ_reader_skip_blanks(reader) ? occ_reader_peek(reader) : '/';

	if (c != '"' && c != '<') {
		directive =
			add_directive(scanner, OCC_DIRECTIVE_COMPUTED, "", 0);
		begin_rest(scanner, directive);
	} else {
		directive = take_header_name(scanner, OCC_DIRECTIVE_INCLUDE);
		if (!occ_reader_skip_blanks(reader) ||
		    (occ_reader_peek(reader) >= 0 &&
		     occ_reader_peek(reader) != '\n'))
			reader->uncertain = true;
	}
	if (directive)
		directive->next = next;
}

static bool is_has_include(const char *text, size_t length)
{
	return (length == 13 && !memcmp(text, "__has_include", 13)) ||
	       (length == 18 && !memcmp(text, "__has_include_next", 18));
}

/* Behind #define or #undef. */
static void scan_macro(struct occ_scanner *scanner,
		       enum occ_directive_kind kind)
{
	struct occ_reader *reader = &scanner->reader;
	char name[OCC_SCAN_NAME_MAX] = "";
	struct occ_directive *directive;
	struct occ_reader_word word = {.text = name};
	size_t length = 0;

	if (!occ_reader_skip_blanks(reader))
		return;
	while (occ_is_identifier(occ_reader_peek(reader)) &&
	       length < sizeof(name))
		name[length++] = (char)occ_reader_take(reader);
	/* Not a macro, or one that nobody has. */
	if (!length || length == sizeof(name))
		return;
	directive = add_directive(scanner, kind, name, length);
	if (kind == OCC_DIRECTIVE_DEFINE)
		begin_rest(scanner, directive);
	/* To define this one isn't to use it. */
	if (is_has_include(name, length))
		return;
	word.length = length;
	word.may_be_built_in = true;
	occ_scan_word_note(scanner, &word);
}

/* Returns the length up to the closing parenthesis on this line, or 0. */
static size_t length_in_parentheses(const struct occ_reader *reader)
{
	struct occ_reader ahead = *reader;
	unsigned depth = 1;

	for (;;) {
		const char *at = ahead.at;
		int c = occ_reader_take(&ahead);

		if (c < 0 || c == '\n')
			return 0;
		depth += c == '(';
		depth -= c == ')';
		if (!depth)
			return (size_t)(at - reader->at);
		if (c == '"' || c == '\'')
			occ_reader_skip_quoted(&ahead, c);
		else if (c == '/')
			occ_reader_skip_comment(&ahead);
	}
}

/*
 * Adds a __has_include of what the tokens in the parentheses expand to. They
 * aren't taken: they are words, too. One within another has no meaning, nor has
 * one behind one that doesn't end; these aren't added, or each would be read to
 * the end of the line. False: it can't be followed.
 */
static bool add_computed_has(struct occ_scanner *scanner, bool next)
{
	const struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive;
	size_t length;

	if (scanner->scan->traits & OCC_SCAN_READS ||
	    (scanner->computed_end && reader->at < scanner->computed_end))
		return false;
	length = length_in_parentheses(reader);
	if (!length)
		return false;
	scanner->computed_end = reader->at + length;
	directive = add_directive(scanner, OCC_DIRECTIVE_COMPUTED_HAS, "", 0);
	if (!directive)
		return false;
	directive->next = next;
	directive->rest = reader->at;
	directive->rest_length = length;
	return true;
}

static void scan_has_include(struct occ_scanner *scanner, bool next)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive = NULL;
	int c;

	if (!occ_reader_skip_blanks(reader) ||
	    !occ_reader_accept(reader, '(') ||
	    !occ_reader_skip_blanks(reader)) {
		scanner->scan->traits |= OCC_SCAN_READS;
		return;
	}
	c = occ_reader_peek(reader);
	if (c != '"' && c != '<') {
		if (!add_computed_has(scanner, next))
			scanner->scan->traits |= OCC_SCAN_READS;
		return;
	}
	directive = take_header_name(scanner, OCC_DIRECTIVE_HAS);
	if (directive && occ_reader_skip_blanks(reader) &&
	    occ_reader_accept(reader, ')'))
		directive->next = next;
	else
		scanner->scan->traits |= OCC_SCAN_READS;
}

bool occ_scan_directive_condition(struct occ_scanner *scanner,
				  const struct occ_reader_word *word)
{
	struct occ_reader ahead = scanner->reader;
	bool is_operand = scanner->after_defined;

	/* `defined(defined)` asks for a macro of that name. */
	scanner->after_defined =
		!is_operand && occ_reader_word_equals(word, "defined");
	if (word->length > OCC_READER_WORD_MAX ||
	    !is_has_include(word->text, word->length))
		return false;
	if (!is_operand ||
	    (occ_reader_skip_blanks(&ahead) && occ_reader_peek(&ahead) == '('))
		scan_has_include(scanner,
				 word->length > strlen("__has_include"));
	return true;
}

/* Behind `pragma`. */
static void scan_pragma(struct occ_scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_reader_word word;

	scanner->in_pragma = true;
	if (!occ_reader_skip_blanks(reader) ||
	    !occ_is_identifier(occ_reader_peek(reader)))
		return;
	occ_reader_take_word(reader, &word);
	if (occ_reader_word_equals(&word, "mark"))
		occ_scan_take_line(scanner, false);
	else
		occ_scan_word_note(scanner, &word);
}

void occ_scan_directive(struct occ_scanner *scanner)
{
	static const char *const conditions[] = {
		"if", "elif", "ifdef", "ifndef", "elifdef", "elifndef",
	};
	struct occ_reader *reader = &scanner->reader;
	struct occ_reader_word word;

	if (!occ_reader_skip_blanks(reader))
		return;
	occ_reader_take_word(reader, &word);
	if (word.length > OCC_READER_WORD_MAX)
		return;
	if (occ_reader_word_equals(&word, "include") ||
	    occ_reader_word_equals(&word, "import") ||
	    occ_reader_word_equals(&word, "__include_macros"))
		scan_include(scanner, false);
	else if (occ_reader_word_equals(&word, "include_next"))
		scan_include(scanner, true);
	else if (occ_reader_word_equals(&word, "embed"))
		scanner->scan->traits |= OCC_SCAN_READS;
	else if (occ_reader_word_equals(&word, "define"))
		scan_macro(scanner, OCC_DIRECTIVE_DEFINE);
	else if (occ_reader_word_equals(&word, "undef"))
		scan_macro(scanner, OCC_DIRECTIVE_UNDEFINE);
	else if (occ_reader_word_equals(&word, "error") ||
		 occ_reader_word_equals(&word, "warning"))
		occ_scan_take_line(scanner,
				   occ_reader_word_equals(&word, "error"));
	else if (occ_reader_word_equals(&word, "pragma"))
		scan_pragma(scanner);
	else if (occ_reader_word_equals(&word, "line") ||
		 (word.length && occ_is_digit(*word.text)))
		occ_scan_check_line(scanner);
	scanner->in_condition = OCC_READER_WORD_IN(&word, conditions);
	scanner->after_defined =
		scanner->in_condition && word.length > strlen("elif");
}

bool occ_scan_includes(const struct occ_scan *scan)
{
	for (size_t i = 0; i < scan->directive_count; i++)
		if (scan->directives[i].kind != OCC_DIRECTIVE_DEFINE &&
		    scan->directives[i].kind != OCC_DIRECTIVE_UNDEFINE)
			return true;
	return false;
}
