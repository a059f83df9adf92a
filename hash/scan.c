/* SPDX-License-Identifier: MIT */
#include "hash/scan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hash/reader.h"

#define IDENTIFIER OCC_READER_IDENTIFIER
#define BLANK	   OCC_READER_BLANK
#define OTHER	   OCC_READER_OTHER
#define PIECE	   OCC_READER_PIECE
#define LETTER	   (IDENTIFIER | PIECE)
#define DULL	   OCC_READER_DULL

/* Longer identifiers are none of the words looked for. */
#define WORD_MAX   24

/* 4 KB on the stack, which may be small. */
#define MEMO_SIZE  128

/*
 * Identifiers that a macro can yield, so that they count wherever they stand
 * and also when ## may put them together.
 */
static const struct {
	const char *word;
	enum occ_scan_word means;
} built_ins[] = {
	{"__DATE__", OCC_WORD_CLOCK},
	{"__TIME__", OCC_WORD_CLOCK},
	{"__TIMESTAMP__", OCC_WORD_CLOCK},
	{"__has_include", OCC_WORD_READS},
	{"__has_include_next", OCC_WORD_READS},
	{"__has_include__", OCC_WORD_READS},
	{"__has_embed", OCC_WORD_READS},
	{"__FILE__", OCC_WORD_FILE},
	{"__BASE_FILE__", OCC_WORD_FILE},
	{"__FILE_NAME__", OCC_WORD_FILE},
	{"__builtin_FILE", OCC_WORD_FILE},
};
#define BUILT_INS (sizeof(built_ins) / sizeof(built_ins[0]))

/* Words that make a #pragma or _Pragma look at other files. */
static const char *const pragma_words[] = {
	"dependency", "module", "include_alias", "import", "include_instead",
};

/* Inline assembly may include files, too. */
static const char *const assembly_words[] = {"asm", "__asm", "__asm__"};

/*
 * What such assembly has somewhere in the source's text, in small letters: the
 * directives, those that could make them up, strings that are cut within one,
 * and a dot as an escape sequence.
 */
static const char *const assembly_parts[] = {
	".inc",	   ".macro",	  ".irp", ".altmacro", "\"incl", "\"incb",
	"\"inc\"", ".\"",	  ".i\"", ".in\"",     "\\056",	 "\\56",
	"\\u002e", "\\u0000002e", "\\n{", "\\o{",      "\\x{",
};

/* What they start with. */
static const char part_starts[] = {'.', '"', '\\'};

struct occ_pieces {
	/* bits[b][p] has bit n: a token is the n bytes of word b at p. */
	uint32_t bits[BUILT_INS][WORD_MAX];
};

/* A scan under way. */
struct scanner {
	struct occ_reader reader;
	struct occ_scan *scan;
	struct occ_pieces *pieces; /* NULL: not wanted */
	size_t capacity;	   /* of scan->directives */
	bool failed;		   /* out of memory */
	bool line_start;	   /* nothing but blanks and comments so far */
	bool in_pragma;		   /* rest of a #pragma line */
	bool in_condition;	   /* rest of an #if line, or its relatives */
	bool after_defined;	   /* behind `defined` or `defined (` */
	bool after_hash;	   /* the byte before was a # */
	bool open; /* the last directive goes on to the line's end */
	/* Behind the last __has_include of what tokens expand to. */
	const char *computed_end;
	/* pairs[a] has bit b: in a built-in word letter a is before b. */
	uint32_t pairs[32];
	bool has_pairs; /* few sources have words that are looked up there */
	/* Words just looked at: sources have few different ones. */
	struct memo {
		size_t length;
		char text[WORD_MAX];
	} memo[MEMO_SIZE];
};

/* An identifier or number. */
struct word {
	const char *text; /* into the source, or into `spliced` */
	size_t length;
	bool piece; /* made of letters of built_ins only */
	char spliced[WORD_MAX];
};

/* The rest of a word that a line splice cuts; WORD_MAX bytes are kept. */
static void take_spliced(struct occ_reader *reader, struct word *word)
{
	int c = occ_reader_peek(reader);

	if (!occ_is_identifier(c))
		return;
	memcpy(word->spliced, word->text,
	       word->length < WORD_MAX ? word->length : WORD_MAX);
	word->text = word->spliced;
	word->piece = true;
	for (; occ_is_identifier(c); c = occ_reader_peek(reader)) {
		if (word->length < WORD_MAX)
			word->spliced[word->length] = (char)c;
		word->length++;
		occ_reader_take(reader);
	}
}

static void take_word(struct occ_reader *reader, struct word *word)
{
	const char *at = reader->at;
	unsigned class = LETTER;

	while (at < reader->end &&
	       occ_reader_classes[(unsigned char)*at] & IDENTIFIER)
		class &= occ_reader_classes[(unsigned char)*at++];
	word->text = reader->at;
	word->length = (size_t)(at - reader->at);
	word->piece = class & PIECE;
	reader->at = at;
	if (at < reader->end && *at == '\\')
		take_spliced(reader, word);
}

static bool equals(const struct word *word, const char *string)
{
	size_t length = strlen(string);

	return word->length == length && !memcmp(word->text, string, length);
}

static bool in_list(const struct word *word, const char *const *list,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (equals(word, list[i]))
			return true;
	return false;
}
#define IN_LIST(word, list)                                                    \
	in_list(word, list, sizeof(list) / sizeof((list)[0]))

/* Remembers where within the built-in words this token could stand. */
static void note_pieces(struct occ_pieces *pieces, const struct word *token)
{
	for (size_t b = 0; b < BUILT_INS; b++) {
		const char *word = built_ins[b].word;
		size_t size = strlen(word);

		for (size_t p = 0; p + token->length <= size; p++)
			if (!memcmp(word + p, token->text, token->length))
				pieces->bits[b][p] |= UINT32_C(1)
						      << token->length;
	}
}

/* Was the word looked at just now? If not, it is from now on. */
static bool in_memo(struct scanner *scanner, const struct word *word)
{
	uint32_t hash = 0;
	struct memo *memo;

	for (size_t i = 0; i < word->length; i++)
		hash = hash * 31 + (unsigned char)word->text[i];
	memo = &scanner->memo[hash % MEMO_SIZE];
	if (memo->length == word->length &&
	    !memcmp(memo->text, word->text, word->length))
		return true;
	memo->length = word->length;
	memcpy(memo->text, word->text, word->length);
	return false;
}

static void note_built_in(struct scanner *scanner, size_t b)
{
	struct occ_scan *scan = scanner->scan;

	switch (built_ins[b].means) {
	case OCC_WORD_CLOCK:
		scan->clock = true;
		break;
	case OCC_WORD_READS:
		scan->reads = true;
		break;
	case OCC_WORD_FILE:
		scan->names_file = true;
		/* The last directive's rest is what is being read. */
		scan->macro_names_file |= scanner->open;
		break;
	}
}

/* Could the word be the first of those that are pasted to a built-in one? */
static bool begins_built_in(const struct word *word)
{
	for (size_t b = 0; b < BUILT_INS; b++)
		if (word->length < strlen(built_ins[b].word) &&
		    !memcmp(word->text, built_ins[b].word, word->length))
			return true;
	return false;
}

static void note_pairs(struct scanner *scanner)
{
	for (size_t b = 0; b < BUILT_INS; b++)
		for (const char *at = built_ins[b].word; at[1]; at++)
			scanner->pairs[at[0] & 31] |= UINT32_C(1)
						      << (at[1] & 31);
	scanner->has_pairs = true;
}

/* Surely not a part of a built-in word; most words aren't. */
static bool is_no_piece(struct scanner *scanner, const struct word *word)
{
	if (!scanner->has_pairs)
		note_pairs(scanner);
	for (size_t i = 0; i + 1 < word->length; i++)
		if (!(scanner->pairs[word->text[i] & 31] &
		      UINT32_C(1) << (word->text[i + 1] & 31)))
			return true;
	return false;
}

/* What an assembly word, but not the whole of it, may end with. */
static bool ends_assembly_word(const struct word *word)
{
	static const char *const ends[] = {"m",	     "m_",   "m__",   "sm",
					   "sm_",    "sm__", "_asm",  "_asm_",
					   "_asm__", "asm_", "asm__", "_",
					   "__"};
	char last = word->text[word->length - 1];

	return word->length <= strlen("_asm__") &&
	       (last == 'm' || last == '_') && IN_LIST(word, ends);
}

static void note_word(struct scanner *scanner, const struct word *word)
{
	struct occ_scan *scan = scanner->scan;

	if (!word->length || word->length > WORD_MAX)
		return;
	if (scanner->in_pragma && IN_LIST(word, pragma_words))
		scan->reads = true;
	if (*word->text == '_' && equals(word, "_Pragma"))
		scan->pragma = true;
	if (*word->text == '_' && begins_built_in(word))
		scan->first_piece = true;
	if (*word->text == '_' || *word->text == 'a')
		scan->assembly |= IN_LIST(word, assembly_words);
	if (ends_assembly_word(word))
		scan->assembly_piece = true;
	if (!word->piece || is_no_piece(scanner, word) ||
	    in_memo(scanner, word))
		return;
	if (scanner->pieces)
		note_pieces(scanner->pieces, word);
	for (size_t b = 0; b < BUILT_INS; b++)
		if (equals(word, built_ins[b].word))
			note_built_in(scanner, b);
}

static struct occ_directive *add_directive(struct scanner *scanner,
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

/* The last directive goes on from here to the end of the line. */
static void open_rest(struct scanner *scanner, struct occ_directive *directive)
{
	if (!directive)
		return;
	directive->rest = scanner->reader.at;
	scanner->open = true;
}

static void close_rest(struct scanner *scanner)
{
	const struct occ_scan *scan = scanner->scan;
	struct occ_directive *last;

	if (!scanner->open || !scan->directive_count)
		return;
	last = &scan->directives[scan->directive_count - 1];
	last->rest_length = (size_t)(scanner->reader.at - last->rest);
	scanner->open = false;
}

static void end_line(struct scanner *scanner)
{
	close_rest(scanner);
	scanner->line_start = true;
	scanner->in_pragma = false;
	scanner->in_condition = false;
	scanner->after_defined = false;
	scanner->after_hash = false;
}

/*
 * The text of #error and #warning, up to the end of the line. Some compilers
 * don't look for tokens in it, so that a comment or raw string doesn't start.
 */
static void skip_message(struct occ_reader *reader)
{
	int before = 0, c;

	while ((c = occ_reader_peek(reader)) >= 0 && c != '\n') {
		if ((before == '/' && c == '*') || (before == 'R' && c == '"'))
			reader->uncertain = true;
		before = c;
		occ_reader_take(reader);
	}
}

/* Compilers agree on what such a byte of an include's name means. */
static bool is_name_byte(int c, int before)
{
	if (c < ' ' || c > '~' || c == '"' || c == '\'' || c == '\\')
		return false;
	/* Comments, for some, and trigraphs. */
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
 * An include's name behind the opening quote, up to the one that closes it.
 * Returns its length, 0 for what isn't certain.
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

/* A name in quotes or angle brackets, if one is next. */
static struct occ_directive *take_literal(struct scanner *scanner,
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

/* Behind the word include, or one that means the same. */
static void scan_include(struct scanner *scanner, bool next)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive;
	int c = occ_reader_skip_blanks(reader) ? occ_reader_peek(reader) : '/';

	if (c != '"' && c != '<') {
		directive =
			add_directive(scanner, OCC_DIRECTIVE_COMPUTED, "", 0);
		open_rest(scanner, directive);
	} else {
		directive = take_literal(scanner, OCC_DIRECTIVE_INCLUDE);
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

/* Behind #define or #undef. The name isn't a token that a macro may use. */
static void scan_macro(struct scanner *scanner, enum occ_directive_kind kind)
{
	struct occ_reader *reader = &scanner->reader;
	char name[OCC_SCAN_NAME_MAX] = "";
	struct occ_directive *directive;
	struct word word = {.text = name};
	size_t length = 0;

	if (!occ_reader_skip_blanks(reader))
		return;
	while (occ_is_identifier(occ_reader_peek(reader)) &&
	       length < sizeof(name))
		name[length++] = (char)occ_reader_take(reader);
	/* Nobody's macro, or one that is too long to be anybody's. */
	if (!length || length == sizeof(name))
		return;
	directive = add_directive(scanner, kind, name, length);
	if (kind == OCC_DIRECTIVE_DEFINE)
		open_rest(scanner, directive);
	if (is_has_include(name, length))
		return;
	word.length = length;
	word.piece = true;
	note_word(scanner, &word);
}

/* Length up to the closing parenthesis on this line; 0: there is none. */
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
 * Of what the tokens in the parentheses expand to. They are words, too. One
 * within another means nothing; neither it nor what follows on one that doesn't
 * end is looked at, lest each be looked at to the end of the line.
 */
static bool add_computed_has(struct scanner *scanner, bool next)
{
	const struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive;
	size_t length;

	if (scanner->scan->reads ||
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

static void scan_has_include(struct scanner *scanner, bool next)
{
	struct occ_reader *reader = &scanner->reader;
	struct occ_directive *directive = NULL;
	int c;

	if (!occ_reader_skip_blanks(reader) ||
	    !occ_reader_accept(reader, '(') ||
	    !occ_reader_skip_blanks(reader)) {
		scanner->scan->reads = true;
		return;
	}
	c = occ_reader_peek(reader);
	if (c != '"' && c != '<') {
		scanner->scan->reads |= !add_computed_has(scanner, next);
		return;
	}
	directive = take_literal(scanner, OCC_DIRECTIVE_HAS);
	if (directive && occ_reader_skip_blanks(reader) &&
	    occ_reader_accept(reader, ')'))
		directive->next = next;
	else
		scanner->scan->reads = true;
}

/* Behind the # of a directive. */
static void scan_directive(struct scanner *scanner)
{
	static const char *const conditions[] = {
		"if", "elif", "ifdef", "ifndef", "elifdef", "elifndef",
	};
	struct occ_reader *reader = &scanner->reader;
	struct word word;

	if (!occ_reader_skip_blanks(reader))
		return;
	take_word(reader, &word);
	if (word.length > WORD_MAX)
		return;
	if (equals(&word, "include") || equals(&word, "import") ||
	    equals(&word, "__include_macros"))
		scan_include(scanner, false);
	else if (equals(&word, "include_next"))
		scan_include(scanner, true);
	else if (equals(&word, "embed"))
		scanner->scan->reads = true;
	else if (equals(&word, "define"))
		scan_macro(scanner, OCC_DIRECTIVE_DEFINE);
	else if (equals(&word, "undef"))
		scan_macro(scanner, OCC_DIRECTIVE_UNDEFINE);
	else if (equals(&word, "error") || equals(&word, "warning"))
		skip_message(reader);
	scanner->in_pragma = equals(&word, "pragma");
	scanner->in_condition = IN_LIST(&word, conditions);
	scanner->after_defined =
		scanner->in_condition && word.length > strlen("elif");
}

/* A # in any spelling, already taken. */
static void scan_hash(struct scanner *scanner)
{
	if (scanner->after_hash)
		scanner->scan->pasting = true;
	scanner->after_hash = true;
	if (!scanner->line_start)
		return;
	scanner->line_start = false;
	scan_directive(scanner);
}

/* ? already taken: ??= is a #. */
static void scan_question(struct scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;

	scanner->line_start = false;
	while (occ_reader_accept(reader, '?')) {
		if (!occ_reader_accept(reader, '='))
			continue;
		/* A # for some, operators for others, whatever was before. */
		close_rest(scanner);
		scanner->line_start = true;
		scan_hash(scanner);
		return;
	}
}

/* In a condition, where they may be followed; else words like others. */
static bool scan_condition_word(struct scanner *scanner,
				const struct word *word)
{
	bool defined = scanner->after_defined;

	scanner->after_defined = equals(word, "defined");
	if (word->length > WORD_MAX ||
	    !is_has_include(word->text, word->length))
		return false;
	if (!defined)
		scan_has_include(scanner,
				 word->length > strlen("__has_include"));
	return true;
}

/* A word or number. */
static void scan_word(struct scanner *scanner)
{
	struct word word;

	take_word(&scanner->reader, &word);
	if (!scanner->in_condition || !scan_condition_word(scanner, &word))
		note_word(scanner, &word);
	scanner->line_start = false;
	scanner->after_hash = false;
}

/*
 * Words that can't be any that is looked for, and all that means nothing by
 * itself: what needs no closer look.
 */
static void skip_words(struct scanner *scanner)
{
	const struct occ_reader *reader = &scanner->reader;
	const char *at = reader->at, *start = scanner->scan->text;

	for (;;) {
		while (at < reader->end &&
		       occ_reader_classes[(unsigned char)*at] & DULL)
			at++;
		/* An a or _ within a word. */
		if (at == reader->end ||
		    !(occ_reader_classes[(unsigned char)*at] & IDENTIFIER) ||
		    at == start ||
		    !(occ_reader_classes[(unsigned char)at[-1]] & IDENTIFIER))
			break;
		at++;
	}
	scanner->reader.at = at;
}

/* Whole lines may be nothing else. */
static void skip_plain(struct scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;

	for (;;) {
		const char *at = reader->at, *dull;

		reader->at = occ_reader_skip_class(reader, BLANK);
		dull = reader->at;
		if (scanner->pieces || scanner->in_pragma ||
		    scanner->in_condition)
			reader->at =
				occ_reader_skip_class(reader, BLANK | OTHER);
		else
			skip_words(scanner);
		if (reader->at != dull)
			scanner->line_start = false;
		if (reader->at != at)
			scanner->after_hash = false;
		if (reader->at == reader->end || *reader->at != '\n')
			return;
		end_line(scanner);
		reader->at++;
	}
}

/*
 * C++ for OpenCL has raw strings, in which quotes mean nothing, and quotes that
 * separate digits. Does the word before a quote make it one of these?
 */
static bool is_odd_quote(const struct scanner *scanner, const char *quote)
{
	const char *start = scanner->scan->text, *word = quote;

	/* A splice: not worth to be looked behind. */
	if (quote > start && quote[-1] == '\n')
		return quote - start > 1 &&
		       (quote[-2] == '\\' || quote[-2] == '\r');
	while (word > start &&
	       occ_reader_classes[(unsigned char)word[-1]] & IDENTIFIER)
		word--;
	if (word == quote)
		return false;
	if (*quote == '"')
		return quote[-1] == 'R' && quote - word <= 3;
	return *word >= '0' && *word <= '9';
}

/* Already taken, and none of the others. */
static void scan_other(struct scanner *scanner, int c)
{
	struct occ_reader *reader = &scanner->reader;

	if (c == '"' || c == '\'') {
		if (is_odd_quote(scanner, reader->at - 1))
			reader->uncertain = true;
		occ_reader_skip_quoted(reader, c);
		scanner->line_start = false;
	} else if (!occ_is_blank(c) &&
		   !(c == '/' && occ_reader_skip_comment(reader))) {
		scanner->line_start = false;
	}
}

/* One token, comment, blank or line end; false at the end of the text. */
static bool scan_token(struct scanner *scanner)
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
	/* A letter, a blank or a byte order mark, as compilers see fit. */
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

/* Does any byte sequence of `text` equal `word`? */
static bool contains(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word)) != NULL;
}

static bool is_letter_or_digit(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       c == '_';
}

/*
 * Is the dot at `at` within an assembler's symbol (st.global)? Not behind the
 * letters of an escape sequence.
 */
static bool within_symbol(const char *text, const char *at)
{
	const char *start = at;

	while (start > text && is_letter_or_digit(start[-1]))
		start--;
	return start < at && start > text && start[-1] != '\\';
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Letters of either size; the parts have small ones. */
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
 * Is the quote at `at` that of an include's name? Looked at from there, so that
 * a line with many quotes isn't looked at for each.
 */
static bool is_include_name(const char *text, const char *at)
{
	const char *end = skip_back(text, at);

	for (at = end; at > text && is_letter_or_digit(at[-1]); at--)
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

/* Copies a string with its quotes; the first is taken. */
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

/* The text with a blank for each comment, and without splices. */
static size_t copy_plain(const struct occ_scan *scan, char *copy)
{
	struct occ_reader reader = {scan->text, scan->text + scan->size, false};
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

/* Does a line, or a part of one, go on behind this? */
static bool is_splice(const char *text, const char *end)
{
	return end - text >= 2 && *text == '\\' &&
	       strchr("\n\r \t\v\f", text[1]);
}

/* Is `text` the start of a part, as far as the line or the part goes? */
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

/* Without looking at what is a comment: false is certain. */
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
	/* Whoever asks first finds out, and so may others meanwhile. */
	_Atomic(signed char) *memo =
		&((struct occ_scan *)(uintptr_t)scan)->assembly_includes;

	if (*memo == UNKNOWN)
		*memo = find_assembly_part(scan) ? YES : NO;
	return *memo == YES;
}

bool occ_scan_pragma_includes(const struct occ_scan *scan)
{
	for (size_t i = 0; i < sizeof(pragma_words) / sizeof(char *); i++)
		if (contains(scan->text, scan->size, pragma_words[i]))
			return true;
	return false;
}

/* NULL: out of memory. They stay the scan's. */
static const struct occ_pieces *pieces_of(const struct occ_scan *scan);

static bool is_pastable(const struct occ_scan *const *scans, size_t count,
			size_t b)
{
	size_t size = strlen(built_ins[b].word);
	uint32_t reached = 1;

	/* GCC can't know that no word is longer. */
	for (size_t p = 0; p < size && p < WORD_MAX; p++) {
		for (size_t i = 0; i < count && reached & UINT32_C(1) << p;
		     i++) {
			const struct occ_pieces *pieces = pieces_of(scans[i]);

			if (!pieces)
				return true;
			reached |= pieces->bits[b][p] << p;
		}
	}
	return reached & UINT32_C(1) << size;
}

unsigned occ_scan_pastable(const struct occ_scan *const *scans, size_t count)
{
	unsigned found = 0;

	bool begins = false;

	/* All built-in words begin with _: seldom is another look needed. */
	for (size_t i = 0; i < count; i++)
		begins |= scans[i]->first_piece;
	for (size_t b = 0; b < BUILT_INS && begins; b++)
		if (is_pastable(scans, count, b))
			found |= built_ins[b].means;
	return found;
}

static const struct occ_directive *macro_at(const struct occ_scan *scan,
					    size_t i)
{
	return &scan->directives[scan->macros[i]];
}

static int by_name(const void *a, const void *b, void *data)
{
	const struct occ_scan *scan = data;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	int order = strcmp(occ_scan_name(scan, &scan->directives[one]),
			   occ_scan_name(scan, &scan->directives[other]));

	return order ? order : (one > other) - (one < other);
}

/* The index of macros by name. */
static bool index_macros(struct occ_scan *scan)
{
	scan->macros = calloc(scan->directive_count + 1, sizeof(uint32_t));
	if (!scan->macros)
		return false;
	for (size_t i = 0; i < scan->directive_count; i++)
		if (scan->directives[i].kind == OCC_DIRECTIVE_DEFINE ||
		    scan->directives[i].kind == OCC_DIRECTIVE_UNDEFINE)
			scan->macros[scan->macro_count++] = (uint32_t)i;
	qsort_r(scan->macros, scan->macro_count, sizeof(uint32_t), by_name,
		scan);
	return true;
}

bool occ_scan_includes(const struct occ_scan *scan)
{
	for (size_t i = 0; i < scan->directive_count; i++)
		if (scan->directives[i].kind != OCC_DIRECTIVE_DEFINE &&
		    scan->directives[i].kind != OCC_DIRECTIVE_UNDEFINE)
			return true;
	return false;
}

size_t occ_scan_find_macro(const struct occ_scan *scan, const char *name,
			   size_t *ret_first)
{
	size_t low = 0, high = scan->macro_count, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(occ_scan_name(scan, macro_at(scan, middle)), name) <
		    0)
			low = middle + 1;
		else
			high = middle;
	}
	end = low;
	while (end < scan->macro_count &&
	       !strcmp(occ_scan_name(scan, macro_at(scan, end)), name))
		end++;
	*ret_first = low;
	return end - low;
}

/* Many applications count the terminating NUL into the length. */
static size_t size_without_nul(const char *text, size_t size)
{
	while (size && text[size - 1] == '\0')
		size--;
	return size;
}

static struct occ_scan *new_scan(struct scanner *scanner, const char *text,
				 size_t size)
{
	struct occ_scan *scan = calloc(1, sizeof(*scan));

	memset(scanner, 0, sizeof(*scanner));
	if (!scan)
		return NULL;
	scan->text = text;
	scan->size = size;
	scanner->scan = scan;
	scanner->reader = (struct occ_reader){text, text + size, false};
	return scan;
}

/* Frees and returns NULL when memory ran out. */
static struct occ_scan *finish(struct scanner *scanner)
{
	struct occ_scan *scan = scanner->scan;

	scan->uncertain = scanner->reader.uncertain;
	if (!scanner->failed && !scan->names.failed && index_macros(scan))
		return scan;
	occ_scan_release(scan);
	return NULL;
}

/* pieces: also looks at every word for them; may be NULL. */
static struct occ_scan *scan_source(const char *text, size_t size,
				    struct occ_pieces *pieces)
{
	struct scanner scanner;

	/* Places in `names` have 32 bits. */
	if (size > UINT32_MAX / 2 ||
	    !new_scan(&scanner, text, size_without_nul(text, size)))
		return NULL;
	scanner.pieces = pieces;
	scanner.line_start = true;
	while (!scanner.failed && scan_token(&scanner))
		;
	close_rest(&scanner);
	return finish(&scanner);
}

/* Words count wherever they are: quotes in options mean different things. */
static void scan_option_words(struct scanner *scanner)
{
	struct occ_reader *reader = &scanner->reader;
	struct word word;

	while (occ_reader_peek(reader) >= 0) {
		if (!occ_is_identifier(occ_reader_peek(reader))) {
			occ_reader_take(reader);
			continue;
		}
		take_word(reader, &word);
		note_word(scanner, &word);
		/* -DX=1 is one run of letters: look at its tail too. */
		if (word.length > 1 && *word.text == 'D') {
			word.text++;
			word.length--;
			word.piece = true;
			note_word(scanner, &word);
		}
	}
	reader->uncertain = false;
}

static struct occ_scan *scan_options(const char *options,
				     struct occ_pieces *pieces)
{
	size_t size = strlen(options);
	struct scanner scanner;
	struct occ_scan *scan = new_scan(&scanner, options, size);

	if (!scan)
		return NULL;
	scanner.pieces = pieces;
	scan->of_options = true;
	scan_option_words(&scanner);
	scan->pasting = contains(options, size, "##") ||
			contains(options, size, "%:%:") ||
			contains(options, size, "?\?=");
	for (size_t b = 0; b < BUILT_INS; b++)
		if (contains(options, size, built_ins[b].word))
			note_built_in(&scanner, b);
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

static const struct occ_pieces *pieces_of(const struct occ_scan *scan)
{
	_Atomic(struct occ_pieces *) *memo =
		&((struct occ_scan *)(uintptr_t)scan)->pieces;
	struct occ_pieces *pieces = *memo, *before = NULL;
	struct occ_scan *again;

	if (pieces)
		return pieces;
	pieces = calloc(1, sizeof(*pieces));
	if (!pieces)
		return NULL;
	again = scan->of_options ? scan_options(scan->text, pieces)
				 : scan_source(scan->text, scan->size, pieces);
	if (!again || !atomic_compare_exchange_strong(memo, &before, pieces)) {
		free(pieces);
		pieces = before;
	}
	occ_scan_release(again);
	return pieces;
}

void occ_scan_release(struct occ_scan *scan)
{
	if (!scan)
		return;
	occ_buffer_release(&scan->names);
	free(scan->pieces);
	free(scan->macros);
	free(scan->directives);
	free(scan);
}
