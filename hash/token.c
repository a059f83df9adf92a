/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hash/expander.h"
#include "hash/reader.h"

struct occ_token *occ_token_new(struct occ_expander *expander,
				enum occ_token_kind kind, const char *text,
				size_t length)
{
	struct occ_token *token =
		occ_expander_allocate(expander, sizeof(*token));
	char *copy = occ_expander_allocate(expander, length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	*token = (struct occ_token){.kind = kind,
				    .text = copy,
				    .length = length};
	return token;
}

struct occ_token *occ_token_copy(struct occ_expander *expander,
				 const struct occ_token *token)
{
	struct occ_token *copy = occ_expander_allocate(expander, sizeof(*copy));

	*copy = *token;
	copy->next = NULL;
	return copy;
}

/* The bytes of a token, without splices. */
struct spelling {
	char text[OCC_TOKEN_MAX];
	size_t length;
};

static void take_into(struct occ_expander *expander, struct occ_reader *reader,
		      struct spelling *spelling)
{
	if (spelling->length == sizeof(spelling->text))
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	spelling->text[spelling->length++] = (char)occ_reader_take(reader);
}

/* The rest of a preprocessing number (C11 section 6.4.8). */
static void take_number(struct occ_expander *expander,
			struct occ_reader *reader, struct spelling *spelling)
{
	for (;;) {
		int c = occ_reader_peek(reader);
		int last = spelling->text[spelling->length - 1] | 32;
		bool sign =
			(c == '+' || c == '-') && (last == 'e' || last == 'p');

		if (!occ_is_identifier(c) && c != '.' && !sign)
			return;
		take_into(expander, reader, spelling);
	}
}

static void take_string(struct occ_expander *expander,
			struct occ_reader *reader, struct spelling *spelling)
{
	int quote = (unsigned char)*spelling->text, c;

	do {
		c = occ_reader_peek(reader);
		/* In a name a backslash is one, or begins an escape sequence.
		 */
		if (c < 0 || c == '\n' || c == '\\')
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		take_into(expander, reader, spelling);
	} while (c != quote);
}

/* Not one token but, to some, the first byte of a longer one, or not C? */
static bool is_uncertain(int c, int next)
{
	switch (c) {
	case '<':
		return next == ':' || next == '%';
	case ':':
	case '-':
		return next == '>';
	case '>':
		return next == '>' || next == '=';
	case '%':
		return next == '>' || next == ':';
	case '?':
		return next == '?';
	default:
		return c >= 128 || c == '@' || c == '`';
	}
}

/* Is this a universal character name, behind its backslash? */
static bool is_universal_name(struct occ_reader ahead)
{
	int c = occ_reader_take(&ahead);

	if (c != 'u' && c != 'U' && c != 'N')
		return false;
	if (occ_reader_peek(&ahead) == '{')
		return true;
	for (int i = 0; i < 4; i++)
		if (occ_hex_digit(occ_reader_take(&ahead)) < 0)
			return false;
	return true;
}

static enum occ_token_kind take_other(struct occ_expander *expander,
				      struct occ_reader *reader,
				      struct spelling *spelling)
{
	int c = (unsigned char)*spelling->text;
	int next = occ_reader_peek(reader);

	if (c == '#' && next == '#') {
		take_into(expander, reader, spelling);
		return OCC_TOKEN_PASTE;
	}
	if (c == '\\' && !is_universal_name(*reader)) {
		/*
		 * No include has a backslash by itself, which is what some read
		 * in -DH=\"h.h\"; what is behind it doesn't count.
		 */
		while (occ_reader_take(reader) >= 0)
			;
		return OCC_TOKEN_STRAY;
	}
	if (c == '\\' || is_uncertain(c, next))
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	return OCC_TOKEN_OTHER;
}

/* Takes the token that begins here; there is one. */
static struct occ_token *take_token(struct occ_expander *expander,
				    struct occ_reader *reader)
{
	struct spelling spelling = {.length = 0};
	enum occ_token_kind kind;
	int c = occ_reader_peek(reader);

	take_into(expander, reader, &spelling);
	if (occ_is_digit(c) ||
	    (c == '.' && occ_is_digit(occ_reader_peek(reader)))) {
		kind = OCC_TOKEN_NUMBER;
		take_number(expander, reader, &spelling);
	} else if (occ_is_identifier(c)) {
		kind = OCC_TOKEN_IDENTIFIER;
		while (occ_is_identifier(occ_reader_peek(reader)))
			take_into(expander, reader, &spelling);
	} else if (c == '"' || c == '\'') {
		kind = OCC_TOKEN_STRING;
		take_string(expander, reader, &spelling);
	} else {
		kind = take_other(expander, reader, &spelling);
	}
	return occ_token_new(expander, kind, spelling.text, spelling.length);
}

struct occ_token *occ_token_read(struct occ_expander *expander,
				 const char *text, size_t size)
{
	struct occ_reader reader = {.at = text, .end = text + size};
	struct occ_token_list list = {NULL, &list.first};

	occ_expander_spend(expander, size);
	for (;;) {
		const char *at = reader.at;
		/* The reader takes slashes, as comments may begin with them. */
		bool slash = !occ_reader_skip_blanks(&reader);
		bool space = reader.at - slash != at;
		struct occ_token *token;

		if (reader.uncertain)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		if (slash)
			token = occ_token_new(expander, OCC_TOKEN_OTHER, "/",
					      1);
		else if (occ_reader_peek(&reader) < 0)
			return list.first;
		else
			token = take_token(expander, &reader);
		token->space = space;
		occ_token_append(&list, token);
	}
}
