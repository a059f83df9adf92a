/* SPDX-License-Identifier: MIT */
#include "hash/source_label.h"

#include <stdint.h>
#include <string.h>

/* Of the SPIR-V specification. */
#define SPIRV_MAGIC	  0x07230203u
#define SPIRV_HEADER	  5 /* words */
#define SPIRV_ENTRY_POINT 15
#define SPIRV_FUNCTION	  54 /* behind all entry points */

/* Words between "kernel" and the kernel's name: "void", and attributes. */
#define WORDS_MAX	  8

struct label {
	char *text;
	size_t size;
	unsigned kernels;
	bool is_full; /* it says "..." */
};

static void add(struct label *label, const char *text, size_t size)
{
	for (size_t i = 0; i < size && label->size + 1 < OCC_SOURCE_LABEL_SIZE;
	     i++) {
		char c = text[i];

		/* Control characters. */
		if ((unsigned char)c < ' ' || c == 127)
			c = ' ';
		label->text[label->size++] = c;
	}
	label->text[label->size] = '\0';
}

static void add_kernel(struct label *label, const char *name, size_t size)
{
	static const char more[] = ", ...";
	bool fits =
		label->size + size + sizeof(more) + 2 <= OCC_SOURCE_LABEL_SIZE;

	if (label->is_full)
		return;
	if (label->kernels == OCC_SOURCE_LABEL_KERNELS ||
	    (label->kernels && !fits)) {
		add(label, more, sizeof(more) - 1);
		label->is_full = true;
		return;
	}
	if (label->kernels++)
		add(label, ", ", 2);
	add(label, name, size);
}

/* A text that is read from the beginning to the end. */
struct cursor {
	const char *at;
	const char *end;
};

static bool begins(const struct cursor *cursor, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(cursor->end - cursor->at) >= length &&
	       !memcmp(cursor->at, what, length);
}

static void skip_behind(struct cursor *cursor, const char *what)
{
	while (cursor->at < cursor->end && !begins(cursor, what))
		cursor->at++;
	if (cursor->at < cursor->end)
		cursor->at += strlen(what);
}

/* False: it was neither a comment nor a string. */
static bool skip_other_text(struct cursor *cursor)
{
	if (begins(cursor, "/*")) {
		skip_behind(cursor, "*/");
	} else if (begins(cursor, "//")) {
		skip_behind(cursor, "\n");
	} else if (*cursor->at == '"') {
		for (cursor->at++; cursor->at < cursor->end; cursor->at++) {
			if (*cursor->at == '"' || *cursor->at == '\n')
				break;
			if (*cursor->at == '\\' && cursor->at + 1 < cursor->end)
				cursor->at++;
		}
		cursor->at += cursor->at < cursor->end;
	} else {
		return false;
	}
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(struct cursor *cursor)
{
	while (cursor->at < cursor->end)
		if (strchr(" \t\r\n\\", *cursor->at) && *cursor->at)
			cursor->at++;
		else if (*cursor->at == '"' || !skip_other_text(cursor))
			return;
}

static struct occ_span take_word(struct cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && is_word(*cursor->at))
		cursor->at++;
	return (struct occ_span){(const unsigned char *)start,
				 (size_t)(cursor->at - start)};
}

static bool is(struct occ_span word, const char *what)
{
	return word.size == strlen(what) && !memcmp(word.data, what, word.size);
}

/* The cursor is before the parenthesis that opens. */
static void skip_parentheses(struct cursor *cursor)
{
	unsigned depth = 0;

	do {
		if (*cursor->at == '(')
			depth++;
		else if (*cursor->at == ')')
			depth--;
		cursor->at++;
	} while (depth && cursor->at < cursor->end);
}

/* Behind "kernel": the word before the parenthesis that opens. */
static struct occ_span find_name(struct cursor *cursor)
{
	static const struct occ_span nothing = {NULL, 0};
	struct occ_span last = nothing, word;

	for (unsigned i = 0; i < WORDS_MAX; i++) {
		skip_blanks(cursor);
		if (cursor->at == cursor->end)
			break;
		if (*cursor->at == '(')
			return last;
		word = take_word(cursor);
		if (!word.size)
			break;
		if (is(word, "__attribute__") || is(word, "attribute")) {
			skip_blanks(cursor);
			if (cursor->at < cursor->end && *cursor->at == '(')
				skip_parentheses(cursor);
		} else if (!is(word, "void")) {
			last = word;
		}
	}
	return nothing;
}

static void add_kernels(struct label *label, struct occ_span text)
{
	struct cursor cursor = {(const char *)text.data,
				(const char *)text.data + text.size};
	struct occ_span word;

	while (cursor.at < cursor.end && !label->is_full) {
		if (skip_other_text(&cursor))
			continue;
		word = take_word(&cursor);
		if (!word.size) {
			cursor.at++;
		} else if (is(word, "kernel") || is(word, "__kernel")) {
			word = find_name(&cursor);
			if (word.size)
				add_kernel(label, (const char *)word.data,
					   word.size);
		}
	}
}

/* But for an #include, which may be all that there is of kernels. */
static bool is_directive(const struct cursor *cursor)
{
	struct cursor word = *cursor;

	if (word.at == word.end || *word.at != '#')
		return false;
	word.at++;
	skip_blanks(&word);
	return !begins(&word, "include");
}

/* Many programs begin with the same comments, and with the same macros. */
static void skip_to_code(struct cursor *cursor)
{
	skip_blanks(cursor);
	while (is_directive(cursor)) {
		while (cursor->at < cursor->end && *cursor->at != '\n') {
			if (begins(cursor, "\\\n"))
				cursor->at++;
			cursor->at++;
		}
		skip_blanks(cursor);
	}
}

/* The first line of code, or of whatever there is. */
static void add_line(struct label *label, struct occ_span text)
{
	struct cursor cursor = {(const char *)text.data,
				(const char *)text.data + text.size};
	const char *stop;

	skip_to_code(&cursor);
	if (cursor.at == cursor.end)
		cursor.at = (const char *)text.data;
	while (cursor.at < cursor.end && strchr(" \t\r\n", *cursor.at) &&
	       *cursor.at)
		cursor.at++;
	for (stop = cursor.at; stop < cursor.end && *stop != '\n';)
		stop++;
	while (stop > cursor.at && (stop[-1] == '\r' || stop[-1] == ' '))
		stop--;
	add(label, cursor.at, (size_t)(stop - cursor.at));
}

static uint32_t word_at(struct occ_span text, size_t index)
{
	uint32_t word;

	memcpy(&word, text.data + index * sizeof(word), sizeof(word));
	return word;
}

/* In the machine's order of bytes, as drivers take it. */
static void add_entry_points(struct label *label, struct occ_span text)
{
	size_t count = text.size / sizeof(uint32_t), length;

	if (count < SPIRV_HEADER || word_at(text, 0) != SPIRV_MAGIC)
		return;
	for (size_t i = SPIRV_HEADER; i < count; i += length) {
		unsigned operation = word_at(text, i) & 0xffff;

		length = word_at(text, i) >> 16;
		if (!length || length > count - i ||
		    operation == SPIRV_FUNCTION)
			return;
		if (operation == SPIRV_ENTRY_POINT && length > 3) {
			const char *name =
				(const char *)text.data + (i + 3) * 4;

			add_kernel(label, name,
				   strnlen(name, (length - 3) * 4));
		}
	}
}

void occ_source_label(struct occ_span text, bool is_il,
		      char ret_label[OCC_SOURCE_LABEL_SIZE])
{
	struct label label = {.text = ret_label};

	*ret_label = '\0';
	if (is_il)
		add_entry_points(&label, text);
	else
		add_kernels(&label, text);
	if (!label.size && !is_il)
		add_line(&label, text);
}
