/* SPDX-License-Identifier: MIT */
#include "hash/word.h"

#include <string.h>

static const char blanks[] = "\t\n\v\f\r";

static bool separates(const struct occ_words *words, char c)
{
	return c == ' ' ||
	       (words->reading & OCC_READ_WHITE && c && strchr(blanks, c));
}

static bool is_quote(const struct occ_words *words, char c)
{
	if (!(words->reading & OCC_READ_QUOTES))
		return false;
	return c == '"' ||
	       (c == '\'' && words->reading & OCC_READ_SINGLE_QUOTES);
}

unsigned occ_word_signs(const char *options)
{
	unsigned signs = 0;

	if (strpbrk(options, blanks))
		signs |= OCC_READ_WHITE;
	if (strchr(options, '\\'))
		signs |= OCC_READ_ESCAPES;
	if (strchr(options, '"'))
		signs |= OCC_READ_QUOTES;
	if (strchr(options, '\''))
		signs |= OCC_READ_SINGLE_QUOTES;
	return signs;
}

bool occ_word_reading_differs(unsigned signs, unsigned reading)
{
	unsigned quotes = OCC_READ_QUOTES;

	if (reading & (OCC_READ_QUOTES_BLANK | OCC_READ_SINGLE_QUOTES) &&
	    !(reading & OCC_READ_QUOTES))
		return false;
	/* Where there are single quotes, double ones needn't be. */
	if (reading & OCC_READ_SINGLE_QUOTES) {
		if (reading & OCC_READ_QUOTES_BLANK ||
		    !(signs & OCC_READ_SINGLE_QUOTES))
			return false;
		quotes = 0;
	}
	if (reading & quotes && !(signs & OCC_READ_QUOTES))
		return false;
	if (reading & OCC_READ_WHITE && !(signs & OCC_READ_WHITE))
		return false;
	return !(reading & OCC_READ_ESCAPES) || signs & OCC_READ_ESCAPES;
}

/* Reads a word that may have quotes or backslashes; returns its end. */
static const char *read_word(struct occ_words *words)
{
	const char *at = words->at;
	char quote = 0;

	words->text.size = 0;
	for (; *at && (quote || !separates(words, *at)); at++) {
		if (*at == '\\' && at[1] && words->reading & OCC_READ_ESCAPES) {
			occ_buffer_append(&words->text, ++at, 1);
		} else if (quote ? *at == quote : is_quote(words, *at)) {
			quote = (char)(quote ? 0 : *at);
			if (words->reading & OCC_READ_QUOTES_BLANK)
				occ_buffer_append(&words->text, " ", 1);
		} else {
			occ_buffer_append(&words->text, at, 1);
		}
	}
	return at;
}

bool occ_word_next(struct occ_words *words, struct occ_word *ret_word)
{
	const char *end;

	while (*words->at && separates(words, *words->at))
		words->at++;
	if (!*words->at || words->text.failed)
		return false;
	ret_word->raw = words->at;
	if (words->reading & (OCC_READ_QUOTES | OCC_READ_ESCAPES)) {
		end = read_word(words);
		ret_word->text =
			words->text.size ? (const char *)words->text.data : "";
		ret_word->length = words->text.size;
	} else {
		for (end = words->at; *end && !separates(words, *end); end++)
			;
		ret_word->text = words->at;
		ret_word->length = (size_t)(end - words->at);
	}
	ret_word->raw_length = (size_t)(end - words->at);
	words->at = end;
	return !words->text.failed;
}
