/* SPDX-License-Identifier: MIT */
#include "hash/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Longer identifiers are none of the words looked for. */
#define WORD_MAX  24

/* 4 KB on the stack, which may be small. */
#define MEMO_SIZE 128

/*
 * Identifiers that a macro can yield, so that they count wherever they stand
 * and also when ## may put them together.
 */
static const struct {
	const char *word;
	enum occ_source_kind kind;
} built_ins[] = {
	{"__DATE__", OCC_SOURCE_CLOCK},
	{"__TIME__", OCC_SOURCE_CLOCK},
	{"__TIMESTAMP__", OCC_SOURCE_CLOCK},
	{"__has_include", OCC_SOURCE_INCLUDES},
	{"__has_include_next", OCC_SOURCE_INCLUDES},
	{"__has_include__", OCC_SOURCE_INCLUDES},
	{"__has_embed", OCC_SOURCE_INCLUDES},
};
#define BUILT_INS (sizeof(built_ins) / sizeof(built_ins[0]))

/*
 * Directives are not macro-expanded: only the plain word is one. #include is
 * looked at more closely.
 */
static const char *const include_directives[] = {
	"include_next",
	"import",
	"embed",
	"__include_macros",
};

/* Words that make a #pragma or _Pragma look at other files. */
static const char *const pragma_words[] = {
	"dependency", "module", "include_alias", "import", "include_instead",
};

/* Inline assembly may include files, too. */
static const char *const assembly_words[] = {"asm", "__asm", "__asm__"};

/*
 * What such assembly has somewhere in the source's text, in small letters: the
 * directives, those that could make them up, and strings that are cut or
 * escaped within one.
 */
static const char *const assembly_parts[] = {
	".inc", ".macro", ".irp", ".altmacro", "\"inc", ".\"",
	".i\"", ".in\"",  "\\x2", "\\05",      "\\56",
};

/*
 * The text as translation phases 1 and 2 leave it, one byte at a time: line
 * splices are gone and carriage returns of CRLF too.
 */
struct reader {
	const char *at;
	const char *end;
	bool uncertain;
};

struct scan {
	struct reader reader;
	enum occ_source_kind found;
	bool line_start;  /* nothing but blanks and comments so far */
	bool in_pragma;	  /* rest of a #pragma line */
	bool assembly;	  /* inline assembly somewhere */
	bool pragma_seen; /* a _Pragma operator somewhere */
	bool pasting;	  /* ## seen: words may be put together */
	bool after_hash;  /* the byte before was a # */
	size_t text;	  /* number of the text being read */
	occ_source_visit visit;
	void *visit_data;
	/* pieces[b][p] has bit n: a token equals n bytes of word b at p. */
	uint32_t pieces[BUILT_INS][WORD_MAX];
	/* Words just looked at: sources have few different ones. */
	struct memo {
		size_t length;
		char text[WORD_MAX];
	} memo[MEMO_SIZE];
};

/* Kinds of bytes; 0 is what needs a closer look. */
enum {
	IDENTIFIER = 1, /* part of identifiers and numbers */
	BLANK = 2,
	OTHER = 4, /* a token by itself that means nothing here */
	PIECE = 8, /* an identifier's, and in one of built_ins */
};
#define LETTER (IDENTIFIER | PIECE)

static const unsigned char classes[256] = {
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
	['B'] = IDENTIFIER,
	['C'] = IDENTIFIER,
	['D' ... 'E'] = LETTER,
	['F' ... 'H'] = IDENTIFIER,
	['I'] = LETTER,
	['J' ... 'L'] = IDENTIFIER,
	['M'] = LETTER,
	['N' ... 'O'] = IDENTIFIER,
	['P'] = LETTER,
	['Q' ... 'R'] = IDENTIFIER,
	['S' ... 'T'] = LETTER,
	['U' ... 'Z'] = IDENTIFIER,
	['_'] = LETTER,
	['a' ... 'e'] = LETTER,
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

static bool is_blank(int c)
{
	return c >= 0 && classes[c] == BLANK;
}

static bool is_identifier(int c)
{
	return c >= 0 && classes[c] & IDENTIFIER;
}

/* Length of a line end at `at`, 0 when there is none. */
static size_t line_end(const struct reader *reader, const char *at)
{
	if (at < reader->end && *at == '\n')
		return 1;
	if (at + 1 < reader->end && at[0] == '\r' && at[1] == '\n')
		return 2;
	return 0;
}

/* Skips line splices at the front; notes what compilers disagree on. */
static void splice(struct reader *reader)
{
	while (reader->at < reader->end && *reader->at == '\\') {
		const char *at = reader->at + 1;
		size_t length = line_end(reader, at);

		if (!length) {
			while (at < reader->end && is_blank((unsigned char)*at))
				at++;
			if (at > reader->at + 1 && line_end(reader, at))
				reader->uncertain = true;
			return;
		}
		reader->at = at + length;
	}
}

/* A backslash for compilers that know trigraphs, even in comments. */
static bool is_trigraph_backslash(const struct reader *reader)
{
	return reader->end - reader->at >= 3 && !memcmp(reader->at, "?\?/", 3);
}

/* The next byte without taking it, -1 at the end. */
static int peek(struct reader *reader)
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

static int take(struct reader *reader)
{
	int c = peek(reader);

	if (c < 0)
		return c;
	reader->at += c == '\n' ? line_end(reader, reader->at) : 1;
	return c;
}

/* Takes the next byte when it is `wanted`. */
static bool accept(struct reader *reader, int wanted)
{
	if (peek(reader) != wanted)
		return false;
	take(reader);
	return true;
}

/* As long as no line splice can be in the way. */
static const char *skip_class(const struct reader *reader, unsigned class)
{
	const char *at = reader->at;

	while (at < reader->end && classes[(unsigned char)*at] & class)
		at++;
	return at;
}

/* Behind slash-star. An unterminated comment swallows the rest. */
static void skip_block_comment(struct reader *reader)
{
	int c;

	while ((c = take(reader)) >= 0) {
		if (c == '*' && accept(reader, '/'))
			return;
		reader->at = skip_class(reader, IDENTIFIER | BLANK);
	}
}

static void skip_line_comment(struct reader *reader)
{
	int c;

	while ((c = peek(reader)) >= 0 && c != '\n') {
		take(reader);
		reader->at = skip_class(reader, IDENTIFIER | BLANK | OTHER);
	}
}

/* Takes a comment if one starts here; `first` is the slash, already taken. */
static bool skip_comment(struct reader *reader)
{
	if (accept(reader, '*'))
		skip_block_comment(reader);
	else if (accept(reader, '/'))
		skip_line_comment(reader);
	else
		return false;
	return true;
}

/* To the next token of the line; false when that is a slash, now taken. */
static bool skip_blanks(struct reader *reader)
{
	for (;;) {
		int c = peek(reader);

		if (is_blank(c)) {
			take(reader);
		} else if (c == '/') {
			take(reader);
			if (!skip_comment(reader))
				return false;
		} else {
			return true;
		}
	}
}

/* Behind the opening quote. A line end closes an unterminated one. */
static void skip_quoted(struct reader *reader, int quote)
{
	int c;

	while ((c = peek(reader)) >= 0 && c != '\n') {
		take(reader);
		if (c == quote)
			return;
		if (c == '\\')
			take(reader);
	}
}

/* An identifier or number. */
struct word {
	const char *text; /* into the source, or into `spliced` */
	size_t length;
	bool piece; /* made of letters of built_ins only */
	char spliced[WORD_MAX];
};

/* The rest of a word that a line splice cuts; WORD_MAX bytes are kept. */
static void take_spliced(struct reader *reader, struct word *word)
{
	int c = peek(reader);

	if (!is_identifier(c))
		return;
	memcpy(word->spliced, word->text,
	       word->length < WORD_MAX ? word->length : WORD_MAX);
	word->text = word->spliced;
	word->piece = true;
	for (; is_identifier(c); c = peek(reader)) {
		if (word->length < WORD_MAX)
			word->spliced[word->length] = (char)c;
		word->length++;
		take(reader);
	}
}

static void take_word(struct reader *reader, struct word *word)
{
	const char *at = reader->at;
	unsigned class = LETTER;

	while (at < reader->end && classes[(unsigned char)*at] & IDENTIFIER)
		class &= classes[(unsigned char)*at++];
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

static void note(struct scan *scan, enum occ_source_kind kind)
{
	/* The first reason stays, but includes outrank the clock. */
	if (scan->found == OCC_SOURCE_PLAIN || kind == OCC_SOURCE_INCLUDES)
		scan->found = kind;
}

/* Remembers where within the built-in words this token could stand. */
static void note_pieces(struct scan *scan, const struct word *token)
{
	for (size_t b = 0; b < BUILT_INS; b++) {
		const char *word = built_ins[b].word;
		size_t size = strlen(word);

		for (size_t p = 0; p + token->length <= size; p++)
			if (!memcmp(word + p, token->text, token->length))
				scan->pieces[b][p] |= UINT32_C(1)
						      << token->length;
	}
}

/* Can tokens of this text be pasted together to the word? */
static bool pastable(const struct scan *scan, size_t b)
{
	size_t size = strlen(built_ins[b].word);
	uint32_t reached = 1;

	for (size_t p = 0; p < size && p < WORD_MAX; p++)
		if (reached & UINT32_C(1) << p)
			reached |= scan->pieces[b][p] << p;
	return reached & UINT32_C(1) << size;
}

/* Was the word looked at just now? If not, it is from now on. */
static bool in_memo(struct scan *scan, const struct word *word)
{
	uint32_t hash = 0;
	struct memo *memo;

	for (size_t i = 0; i < word->length; i++)
		hash = hash * 31 + (unsigned char)word->text[i];
	memo = &scan->memo[hash % MEMO_SIZE];
	if (memo->length == word->length &&
	    !memcmp(memo->text, word->text, word->length))
		return true;
	memo->length = word->length;
	memcpy(memo->text, word->text, word->length);
	return false;
}

static void note_word(struct scan *scan, const struct word *word)
{
	if (word->length > WORD_MAX)
		return;
	if (scan->in_pragma && IN_LIST(word, pragma_words))
		note(scan, OCC_SOURCE_INCLUDES);
	if (equals(word, "_Pragma"))
		scan->pragma_seen = true;
	scan->assembly |= IN_LIST(word, assembly_words);
	if (!word->piece || in_memo(scan, word))
		return;
	note_pieces(scan, word);
	for (size_t b = 0; b < BUILT_INS; b++)
		if (equals(word, built_ins[b].word))
			note(scan, built_ins[b].kind);
}

/*
 * The text of #error and #warning, up to the end of the line. Some compilers
 * don't look for tokens in it, so that a comment or raw string doesn't start.
 */
static void skip_message(struct reader *reader)
{
	int before = 0, c;

	while ((c = peek(reader)) >= 0 && c != '\n') {
		if ((before == '/' && c == '*') || (before == 'R' && c == '"'))
			reader->uncertain = true;
		before = c;
		take(reader);
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

/*
 * An include's name behind the opening quote, up to the one that closes it.
 * Returns its length, of which OCC_SOURCE_NAME_MAX bytes are kept, 0 for what
 * isn't certain.
 */
static size_t take_name(struct reader *reader, int close,
			char ret_name[OCC_SOURCE_NAME_MAX + 1])
{
	int before = 0, c;
	size_t length = 0;

	while ((c = peek(reader)) >= 0 && c != '\n') {
		take(reader);
		if (c == close) {
			ret_name[length < OCC_SOURCE_NAME_MAX
					 ? length
					 : OCC_SOURCE_NAME_MAX] = '\0';
			return length;
		}
		if (!is_name_byte(c, before))
			return 0;
		if (length < OCC_SOURCE_NAME_MAX)
			ret_name[length] = (char)c;
		length++;
		before = c;
	}
	return 0;
}

/* Behind the word include: a literal name may be accounted for. */
static void scan_include(struct scan *scan)
{
	struct reader *reader = &scan->reader;
	char name[OCC_SOURCE_NAME_MAX + 1];
	size_t length;
	int quote;

	quote = skip_blanks(reader) ? peek(reader) : '/';
	if (quote != '"' && quote != '<') {
		note(scan, OCC_SOURCE_INCLUDES);
		return;
	}
	take(reader);
	length = take_name(reader, quote == '<' ? '>' : quote, name);
	if (!length)
		reader->uncertain = true;
	else if (length > OCC_SOURCE_NAME_MAX || !scan->visit ||
		 !scan->visit(name, length, quote == '"', scan->text,
			      scan->visit_data))
		note(scan, OCC_SOURCE_INCLUDES);
	if (!skip_blanks(reader) || (peek(reader) >= 0 && peek(reader) != '\n'))
		reader->uncertain = true;
}

/* Behind the # of a directive; `certain`: all compilers see it as one. */
static void scan_directive(struct scan *scan, bool certain)
{
	struct reader *reader = &scan->reader;
	struct word word;

	if (!skip_blanks(reader))
		return;
	take_word(reader, &word);
	if (word.length > WORD_MAX)
		return;
	if (IN_LIST(&word, include_directives))
		note(scan, OCC_SOURCE_INCLUDES);
	if (equals(&word, "include")) {
		if (certain)
			scan_include(scan);
		else
			note(scan, OCC_SOURCE_INCLUDES);
	}
	if (equals(&word, "error") || equals(&word, "warning"))
		skip_message(reader);
	scan->in_pragma = equals(&word, "pragma");
}

/* A # in any spelling, already taken. */
static void scan_hash(struct scan *scan, bool certain)
{
	if (scan->after_hash)
		scan->pasting = true;
	scan->after_hash = true;
	if (!scan->line_start)
		return;
	scan->line_start = false;
	scan_directive(scan, certain);
}

/* ? already taken: ??= is a #. */
static void scan_question(struct scan *scan)
{
	struct reader *reader = &scan->reader;

	scan->line_start = false;
	while (accept(reader, '?')) {
		if (!accept(reader, '='))
			continue;
		/* A # for some, operators for others, whatever was before. */
		scan->line_start = true;
		scan_hash(scan, false);
		return;
	}
}

/*
 * A word or number. C++ for OpenCL has raw strings, in which quotes mean
 * nothing, and quotes that separate digits.
 */
static void scan_word(struct scan *scan)
{
	struct word word;
	int next;

	take_word(&scan->reader, &word);
	/* The rest of splices is the next token's business. */
	next = scan->reader.at < scan->reader.end ? *scan->reader.at : -1;
	if (next == '\\')
		next = peek(&scan->reader);
	if (next == '"' && word.length <= 3 &&
	    word.text[word.length - 1] == 'R')
		scan->reader.uncertain = true;
	if (next == '\'' && *word.text >= '0' && *word.text <= '9')
		scan->reader.uncertain = true;
	note_word(scan, &word);
	scan->line_start = false;
	scan->after_hash = false;
}

/* Whole lines may be nothing else: what needs no closer look. */
static void skip_plain(struct scan *scan)
{
	struct reader *reader = &scan->reader;

	for (;;) {
		const char *at = reader->at;

		reader->at = skip_class(reader, BLANK);
		if (reader->at != skip_class(reader, OTHER))
			scan->line_start = false;
		reader->at = skip_class(reader, BLANK | OTHER);
		if (reader->at != at)
			scan->after_hash = false;
		if (reader->at == reader->end || *reader->at != '\n')
			return;
		reader->at++;
		scan->line_start = true;
		scan->in_pragma = false;
		scan->after_hash = false;
	}
}

/* One token, comment, blank or line end; false at the end of the text. */
static bool scan_token(struct scan *scan)
{
	struct reader *reader = &scan->reader;
	bool after_hash;
	int c;

	skip_plain(scan);
	after_hash = scan->after_hash;
	c = peek(reader);
	if (c < 0)
		return false;
	if (is_identifier(c)) {
		scan_word(scan);
		return true;
	}
	take(reader);
	/* A letter, a blank or a byte order mark, as compilers see fit. */
	if (c >= 128)
		reader->uncertain = true;
	if (c == '#' || (c == '%' && accept(reader, ':'))) {
		scan_hash(scan, true);
		return true;
	}
	scan->after_hash = false;
	if (c == '\n') {
		scan->line_start = true;
		scan->in_pragma = false;
	} else if (c == '?') {
		scan->after_hash = after_hash;
		scan_question(scan);
	} else if (c == '"' || c == '\'') {
		skip_quoted(reader, c);
		scan->line_start = false;
	} else if (!is_blank(c) && !(c == '/' && skip_comment(reader))) {
		scan->line_start = false;
	}
	return true;
}

/* Does any byte sequence of `text` equal `word`? */
static bool contains(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word)) != NULL;
}

/* Letters of either size; the parts have small ones. */
static bool is_assembly_part(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(assembly_parts) / sizeof(char *); i++) {
		size_t length = strlen(assembly_parts[i]);

		if (length <= size &&
		    !strncasecmp(text, assembly_parts[i], length))
			return true;
	}
	return false;
}

static void scan_assembly(struct scan *scan, const char *text, size_t size)
{
	/* What the parts start with. */
	static const char starts[] = {'.', '"', '\\'};
	const char *end = text + size;

	for (size_t i = 0; i < sizeof(starts); i++) {
		const char *at = text;

		while ((at = memchr(at, starts[i], (size_t)(end - at)))) {
			if (is_assembly_part(at, (size_t)(end - at)))
				note(scan, OCC_SOURCE_INCLUDES);
			at++;
		}
	}
}

/* Options: their words count, and quotes in them mean different things. */
static void scan_options(struct scan *scan, const char *options)
{
	size_t size = strlen(options);
	struct reader reader = {options, options + size, false};
	struct word word;

	while (peek(&reader) >= 0) {
		if (!is_identifier(peek(&reader))) {
			take(&reader);
			continue;
		}
		take_word(&reader, &word);
		note_word(scan, &word);
		/* -DX=1 is one run of letters: look at its tail too. */
		if (word.length > 1 && *word.text == 'D') {
			word.text++;
			word.length--;
			word.piece = true;
			note_word(scan, &word);
		}
	}
	if (contains(options, size, "##") || contains(options, size, "%:%:") ||
	    contains(options, size, "?\?="))
		scan->pasting = true;
	for (size_t b = 0; b < BUILT_INS; b++)
		if (contains(options, size, built_ins[b].word))
			note(scan, built_ins[b].kind);
}

/* Many applications count the terminating NUL into the length. */
static size_t size_without_nul(const struct occ_source_text *text)
{
	size_t size = text->size;

	while (size && text->text[size - 1] == '\0')
		size--;
	return size;
}

static void scan_text(struct scan *scan, const struct occ_source_text *text)
{
	size_t size = size_without_nul(text);

	scan->reader.at = text->text;
	scan->reader.end = text->text + size;
	scan->line_start = true;
	scan->in_pragma = false;
	scan->after_hash = false;
	while (scan_token(scan))
		;
}

/* What only means something together with what any text has. */
static void scan_once_more(struct scan *scan, const char *text, size_t size)
{
	if (!size)
		return;
	if (scan->assembly)
		scan_assembly(scan, text, size);
	if (!scan->pragma_seen)
		return;
	for (size_t i = 0; i < sizeof(pragma_words) / sizeof(char *); i++)
		if (contains(text, size, pragma_words[i]))
			note(scan, OCC_SOURCE_INCLUDES);
}

enum occ_source_kind occ_source_includes(const struct occ_source_text *texts,
					 size_t count, const char *options,
					 occ_source_visit visit, void *data)
{
	struct scan scan;

	if (!options)
		options = "";
	memset(&scan, 0, sizeof(scan));
	scan.visit = visit;
	scan.visit_data = data;
	for (scan.text = 0; scan.text < count; scan.text++)
		scan_text(&scan, &texts[scan.text]);
	scan_options(&scan, options);
	for (size_t i = 0; i < count; i++)
		scan_once_more(&scan, texts[i].text,
			       size_without_nul(&texts[i]));
	scan_once_more(&scan, options, strlen(options));
	if (scan.pasting)
		for (size_t b = 0; b < BUILT_INS; b++)
			if (pastable(&scan, b))
				note(&scan, built_ins[b].kind);
	if (scan.found == OCC_SOURCE_PLAIN && scan.reader.uncertain)
		return OCC_SOURCE_UNCERTAIN;
	return scan.found;
}

enum occ_source_kind occ_source_scan(const char *text, size_t size,
				     const char *options)
{
	const struct occ_source_text whole = {text, size};

	return occ_source_includes(&whole, 1, options, NULL, NULL);
}
