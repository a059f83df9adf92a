/* SPDX-License-Identifier: MIT */
#include "hash/expander.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* For one combination of definitions; names of files are short. */
#define MEMORY_MAX ((size_t)256 * 1024)
#define CHUNK_SIZE 8192

/* Macros within arguments within arguments. */
#define DEPTH_MAX  16

struct occ_expander_chunk {
	struct occ_expander_chunk *next;
	size_t used;
	size_t capacity;
	max_align_t bytes[];
};

void occ_expander_fail(struct occ_expander *expander, enum occ_reason reason)
{
	expander->failure = reason;
	longjmp(expander->failed, 1);
}

void occ_expander_spend(struct occ_expander *expander, size_t work)
{
	uint64_t *left = expander->macros->work_left;

	if (*left < work) {
		*left = 0;
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	}
	*left -= work;
}

void *occ_expander_allocate(struct occ_expander *expander, size_t size)
{
	struct occ_expander_chunk *chunk = expander->chunks;
	void *bytes;

	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) *
	       sizeof(max_align_t);
	occ_expander_spend(expander, size);
	if (!chunk || chunk->capacity - chunk->used < size) {
		size_t capacity = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		expander->memory += capacity;
		if (expander->memory > MEMORY_MAX)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			occ_expander_fail(expander, OCC_REASON_OUT_OF_MEMORY);
		chunk->next = expander->chunks;
		chunk->used = 0;
		chunk->capacity = capacity;
		expander->chunks = chunk;
	}
	bytes = (char *)chunk->bytes + chunk->used;
	chunk->used += size;
	return bytes;
}

void occ_expander_release_memory(struct occ_expander *expander)
{
	while (expander->chunks) {
		struct occ_expander_chunk *next = expander->chunks->next;

		free(expander->chunks);
		expander->chunks = next;
	}
	expander->memory = 0;
}

static bool is_hidden(const struct occ_hide_set *hidden, const char *name)
{
	for (; hidden; hidden = hidden->next)
		if (!strcmp(hidden->name, name))
			return true;
	return false;
}

/* Adds a name to a set. */
static const struct occ_hide_set *hide(struct occ_expander *expander,
				       const struct occ_hide_set *hidden,
				       const char *name)
{
	struct occ_hide_set *more;

	occ_expander_spend(expander, 1);
	if (is_hidden(hidden, name))
		return hidden;
	more = occ_expander_allocate(expander, sizeof(*more));
	*more = (struct occ_hide_set){name, hidden};
	return more;
}

/* The intersection of two sets. */
static const struct occ_hide_set *hide_common(struct occ_expander *expander,
					      const struct occ_hide_set *a,
					      const struct occ_hide_set *b)
{
	const struct occ_hide_set *common = NULL;

	for (; a; a = a->next)
		if (is_hidden(b, a->name))
			common = hide(expander, common, a->name);
	return common;
}

/*
 * Copies the arguments behind the opening parenthesis, each to a list of its
 * own. Returns the closing parenthesis, or NULL if there is none.
 */
static struct occ_token *take_arguments(
	struct occ_expander *expander, const struct occ_definition *definition,
	struct occ_token *token,
	struct occ_token *arguments[OCC_EXPANDER_PARAMETERS_MAX],
	size_t *ret_count)
{
	unsigned depth = 0;
	struct occ_token_list list = {NULL, &list.first};

	*ret_count = 0;
	for (; token; token = token->next) {
		/* In variable arguments commas don't separate. */
		bool rest = definition->variadic &&
			    *ret_count + 1 == definition->parameter_count;
		bool separates = !depth && !rest && occ_token_is(token, ',');

		if ((!depth && occ_token_is(token, ')')) || separates) {
			if (*ret_count == OCC_EXPANDER_PARAMETERS_MAX)
				occ_expander_fail(
					expander,
					OCC_REASON_COMPUTED_UNCERTAIN);
			arguments[(*ret_count)++] = list.first;
			list = (struct occ_token_list){NULL, &list.first};
			if (!separates)
				return token;
			continue;
		}
		if (token->kind == OCC_TOKEN_STRAY)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		depth += occ_token_is(token, '(');
		depth -= occ_token_is(token, ')');
		occ_token_append(&list, occ_token_copy(expander, token));
	}
	return NULL;
}

/* Is the token a parameter? Sets its number. */
static bool find_parameter(const struct occ_definition *definition,
			   const struct occ_token *token, size_t *ret_number)
{
	if (token->kind != OCC_TOKEN_IDENTIFIER)
		return false;
	for (size_t i = 0; i < definition->parameter_count; i++) {
		*ret_number = i;
		if (!strcmp(definition->parameters[i]->text, token->text))
			return true;
	}
	return false;
}

static struct occ_token *stringize(struct occ_expander *expander,
				   const struct occ_token *argument)
{
	char text[OCC_TOKEN_MAX] = "\"";
	size_t length = 1;

	for (const struct occ_token *token = argument; token;
	     token = token->next) {
		size_t blank = token->space && token != argument;

		if (token->kind == OCC_TOKEN_STRING ||
		    token->kind == OCC_TOKEN_STRAY ||
		    length + blank + token->length + 1 > sizeof(text))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		text[length] = ' ';
		length += blank;
		memcpy(text + length, token->text, token->length);
		length += token->length;
	}
	text[length++] = '"';
	return occ_token_new(expander, OCC_TOKEN_STRING, text, length);
}

/* The ## of two tokens; only identifiers and numbers are certain. */
static struct occ_token *paste(struct occ_expander *expander,
			       const struct occ_token *left,
			       const struct occ_token *right)
{
	struct occ_token *token;
	char *text;

	if (left->kind == OCC_TOKEN_PLACEMARKER) {
		token = occ_token_copy(expander, right);
	} else if (right->kind == OCC_TOKEN_PLACEMARKER) {
		token = occ_token_copy(expander, left);
	} else {
		text = occ_expander_allocate(expander,
					     left->length + right->length);
		memcpy(text, left->text, left->length);
		memcpy(text + left->length, right->text, right->length);
		token = occ_token_read(expander, text,
				       left->length + right->length);
		if (!token || token->next ||
		    (token->kind != OCC_TOKEN_IDENTIFIER &&
		     token->kind != OCC_TOKEN_NUMBER))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		token->hidden =
			hide_common(expander, left->hidden, right->hidden);
	}
	token->space = left->space;
	return token;
}

/* Appends copies; the first one gets `space`. */
static void append_list(struct occ_expander *expander,
			struct occ_token_list *list,
			const struct occ_token *tokens, bool space)
{
	for (const struct occ_token *token = tokens; token;
	     token = token->next) {
		struct occ_token *copy = occ_token_copy(expander, token);

		if (token == tokens)
			copy->space = space;
		occ_token_append(list, copy);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static void append_expanded(struct occ_expander *expander,
			    struct occ_token_list *list,
			    const struct occ_token *argument, bool space)
{
	struct occ_token_list copy = {NULL, &copy.first};

	append_list(expander, &copy, argument, argument && argument->space);
	append_list(expander, list, occ_expander_expand(expander, copy.first),
		    space);
}

/* A copy of the body with arguments for parameters, before any ##. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct occ_token *substitute(struct occ_expander *expander,
				    const struct occ_definition *definition,
				    struct occ_token **arguments)
{
	const struct occ_token *token = definition->body;
	bool pasted = false;
	struct occ_token_list list = {NULL, &list.first};
	size_t i;

	for (; token; token = token->next) {
		const struct occ_token *next = token->next;
		bool pastes = next && next->kind == OCC_TOKEN_PASTE;

		if (definition->function && occ_token_is(token, '#')) {
			struct occ_token *string;

			if (!next || !find_parameter(definition, next, &i))
				occ_expander_fail(
					expander,
					OCC_REASON_COMPUTED_UNCERTAIN);
			string = stringize(expander, arguments[i]);
			string->space = token->space;
			occ_token_append(&list, string);
			token = next;
		} else if (!find_parameter(definition, token, &i)) {
			occ_token_append(&list,
					 occ_token_copy(expander, token));
		} else if (!pasted && !pastes) {
			append_expanded(expander, &list, arguments[i],
					token->space);
		} else if (arguments[i]) {
			append_list(expander, &list, arguments[i],
				    token->space);
		} else {
			occ_token_append(&list,
					 occ_token_new(expander,
						       OCC_TOKEN_PLACEMARKER,
						       "", 0));
		}
		pasted = token->kind == OCC_TOKEN_PASTE;
	}
	return list.first;
}

/* Carries out every ## of a body. */
static struct occ_token *paste_all(struct occ_expander *expander,
				   struct occ_token *token)
{
	struct occ_token_list list = {NULL, &list.first};

	while (token) {
		struct occ_token *next = token->next;

		if (token->kind == OCC_TOKEN_PASTE)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		while (next && next->kind == OCC_TOKEN_PASTE) {
			if (!next->next)
				occ_expander_fail(
					expander,
					OCC_REASON_COMPUTED_UNCERTAIN);
			token = paste(expander, token, next->next);
			next = next->next->next;
		}
		if (token->kind != OCC_TOKEN_PLACEMARKER)
			occ_token_append(&list, token);
		token = next;
	}
	return list.first;
}

/* Returns what replaces a macro's name and arguments, followed by `rest`. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static struct occ_token *replace(struct occ_expander *expander,
				 const struct occ_definition *definition,
				 struct occ_token **arguments,
				 const struct occ_token *name,
				 const struct occ_hide_set *hidden,
				 struct occ_token *rest)
{
	struct occ_token *body =
		paste_all(expander,
			  substitute(expander, definition, arguments));
	struct occ_token *last = NULL;

	hidden = hide(expander, hidden, name->text);
	for (struct occ_token *token = body; token; token = token->next) {
		for (const struct occ_hide_set *other = hidden; other;
		     other = other->next)
			token->hidden =
				hide(expander, token->hidden, other->name);
		last = token;
	}
	if (!last) {
		/* Blanks may count in a string. */
		if (rest)
			rest->space |= name->space;
		return rest;
	}
	body->space = name->space;
	last->next = rest;
	return body;
}

/* Are there enough arguments? Variable ones may be left out. */
static bool are_complete(const struct occ_definition *definition,
			 struct occ_token **arguments, size_t *count)
{
	if (definition->variadic && *count + 1 == definition->parameter_count)
		arguments[(*count)++] = NULL;
	return *count == definition->parameter_count ||
	       (*count == 1 && !arguments[0] && !definition->parameter_count);
}

/* Replaces the macro at the front of the tokens, if it is one. */
/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
static bool replace_macro(struct occ_expander *expander,
			  struct occ_token **tokens)
{
	struct occ_token *token = *tokens;
	const struct occ_alternative *alternative =
		occ_definition_choose(expander, token->text);
	struct occ_token *arguments[OCC_EXPANDER_PARAMETERS_MAX] = {NULL};
	struct occ_token *open = token->next, *end;
	const struct occ_definition *definition;
	size_t count;

	if (!alternative->rest)
		return false;
	definition = occ_definition_parse(expander, alternative);
	if (!definition->function) {
		*tokens = replace(expander, definition, arguments, token,
				  token->hidden, token->next);
		return true;
	}
	if (!occ_token_is(open, '('))
		return false;
	end = take_arguments(expander, definition, open->next, arguments,
			     &count);
	/* Some end on another line, or have other arguments. */
	if (!end || !are_complete(definition, arguments, &count))
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	*tokens = replace(expander, definition, arguments, token,
			  hide_common(expander, token->hidden, end->hidden),
			  end->next);
	return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH_MAX */
struct occ_token *occ_expander_expand(struct occ_expander *expander,
				      struct occ_token *tokens)
{
	struct occ_token_list list = {NULL, &list.first};

	if (++expander->depth > DEPTH_MAX)
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	while (tokens) {
		struct occ_token *next = tokens->next;

		if (tokens->kind == OCC_TOKEN_IDENTIFIER &&
		    !is_hidden(tokens->hidden, tokens->text) &&
		    replace_macro(expander, &tokens))
			continue;
		if (expander->depth == 1 && !list.first &&
		    tokens->kind != OCC_TOKEN_STRING &&
		    !occ_token_is(tokens, '<'))
			break;
		occ_token_append(&list, tokens);
		tokens = next;
	}
	expander->depth--;
	return list.first;
}
