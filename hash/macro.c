/* SPDX-License-Identifier: MIT */
#include "hash/macro.h"

#include <stdlib.h>
#include <string.h>

#include "hash/expander.h"

/* Combinations of definitions that are tried. */
#define COMBINATIONS_MAX 256

/* Visits what is between < and >, behind the first one. */
static bool visit_bracketed(struct occ_expander *expander,
			    const struct occ_token *token,
			    occ_macro_visit visit, void *data)
{
	char name[OCC_TOKEN_MAX];
	size_t length = 0;

	for (; token && !occ_token_is(token, '>'); token = token->next) {
		if (token->space || token->kind == OCC_TOKEN_STRAY ||
		    length + token->length > sizeof(name))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		memcpy(name + length, token->text, token->length);
		length += token->length;
	}
	if (!token)
		return true;
	if (token->space || token->next)
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	return visit(name, length, false, data);
}

/* Visits what one combination of definitions yields. */
static bool visit_one(struct occ_expander *expander, const char *tokens,
		      size_t size, occ_macro_visit visit, void *data)
{
	struct occ_token *token =
		occ_expander_expand(expander,
				    occ_token_read(expander, tokens, size));

	if (occ_token_is(token, '<'))
		return visit_bracketed(expander, token->next, visit, data);
	if (!token || token->kind != OCC_TOKEN_STRING || *token->text != '"')
		return true;
	if (token->next)
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	return visit(token->text + 1, token->length - 2, true, data);
}

/* Goes to the next combination; false at the end. */
static bool advance(struct occ_expander *expander)
{
	while (expander->choice_count) {
		struct occ_choice *last =
			&expander->choices[expander->choice_count - 1];

		if (++last->chosen < last->count)
			return true;
		free((char *)(uintptr_t)last->name);
		expander->choice_count--;
	}
	return false;
}

static bool visit_all(struct occ_expander *expander, const char *tokens,
		      size_t size, occ_macro_visit visit, void *data)
{
	unsigned count = 0;

	do {
		if (count++ == COMBINATIONS_MAX)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		expander->depth = 0;
		if (!visit_one(expander, tokens, size, visit, data))
			return false;
		occ_expander_release_memory(expander);
	} while (advance(expander));
	return true;
}

enum occ_reason occ_macro_includes(const struct occ_macros *macros,
				   const char *tokens, size_t size,
				   occ_macro_visit visit, void *data)
{
	struct occ_expander expander = {.macros = macros};

	expander.choices =
		calloc(OCC_EXPANDER_CHOICES_MAX, sizeof(*expander.choices));
	if (!expander.choices)
		return OCC_REASON_OUT_OF_MEMORY;
	if (!setjmp(expander.failed) &&
	    !visit_all(&expander, tokens, size, visit, data))
		expander.failure = OCC_REASON_COMPUTED_UNCERTAIN;
	occ_expander_release_memory(&expander);
	while (expander.choice_count)
		free((char *)(uintptr_t)expander
			     .choices[--expander.choice_count]
			     .name);
	free(expander.choices);
	return expander.failure;
}
