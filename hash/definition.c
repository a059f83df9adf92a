/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "hash/expander.h"
#include "hash/predefined.h"

/* Parses ...); returns what follows. */
static const struct occ_token *parse_dots(struct occ_expander *expander,
					  const struct occ_token *token,
					  struct occ_definition *definition)
{
	static const char name[] = "__VA_ARGS__";

	for (int i = 0; i < 3; i++, token = token->next)
		if (!occ_token_is(token, '.'))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
	definition->variadic = true;
	definition->parameters[definition->parameter_count++] =
		occ_token_new(expander, OCC_TOKEN_IDENTIFIER, name,
			      sizeof(name) - 1);
	if (!occ_token_is(token, ')'))
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	return token->next;
}

/* Behind the opening parenthesis; returns what follows the closing one. */
static const struct occ_token *parse_parameters(
	struct occ_expander *expander, const struct occ_token *token,
	struct occ_definition *definition)
{
	if (occ_token_is(token, ')'))
		return token->next;
	for (;;) {
		if (definition->parameter_count == OCC_EXPANDER_PARAMETERS_MAX)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		if (occ_token_is(token, '.'))
			return parse_dots(expander, token, definition);
		if (!token || token->kind != OCC_TOKEN_IDENTIFIER)
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		definition->parameters[definition->parameter_count++] = token;
		token = token->next;
		if (occ_token_is(token, ')'))
			return token->next;
		if (!occ_token_is(token, ','))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
		token = token->next;
	}
}

/* Refuses GNU's `, ## __VA_ARGS__`, and what is newer than C11. */
static void refuse_extensions(struct occ_expander *expander,
			      const struct occ_definition *definition)
{
	const struct occ_token *token = definition->body;

	for (; token && definition->variadic; token = token->next)
		if (!strcmp(token->text, "__VA_OPT__") ||
		    (occ_token_is(token, ',') && token->next &&
		     token->next->kind == OCC_TOKEN_PASTE))
			occ_expander_fail(expander,
					  OCC_REASON_COMPUTED_UNCERTAIN);
}

const struct occ_definition *occ_definition_parse(
	struct occ_expander *expander,
	const struct occ_alternative *alternative)
{
	struct occ_definition *definition =
		occ_expander_allocate(expander, sizeof(*definition));
	const struct occ_token *body =
		occ_token_read(expander, alternative->rest,
			       alternative->length);

	memset(definition, 0, sizeof(*definition));
	/* Function-like: the parenthesis is right behind the name. */
	if (occ_token_is(body, '(') && !body->space) {
		definition->function = true;
		body = parse_parameters(expander, body->next, definition);
	}
	definition->body = body;
	refuse_extensions(expander, definition);
	return definition;
}

static void add_alternative(struct occ_expander *expander,
			    struct occ_choice *choice, const char *rest,
			    size_t length)
{
	for (size_t i = 0; i < choice->count; i++) {
		const struct occ_alternative *other = &choice->alternatives[i];

		if (!rest && !other->rest)
			return;
		if (rest && other->rest && length == other->length &&
		    !memcmp(rest, other->rest, length))
			return;
	}
	if (choice->count == OCC_EXPANDER_ALTERNATIVES_MAX)
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	choice->alternatives[choice->count++] =
		(struct occ_alternative){rest, length};
}

/* Adds those of the texts. Returns whether one undefines the macro. */
static bool add_of_texts(struct occ_expander *expander,
			 struct occ_choice *choice)
{
	const struct occ_macros *macros = expander->macros;
	bool undefined = false;

	for (size_t s = 0; s < macros->scan_count; s++) {
		const struct occ_scan *scan = macros->scans[s];
		size_t first, count;

		count = occ_scan_find_macro(scan, choice->name, &first);
		occ_expander_spend(expander, 16 + 4 * count);
		for (size_t i = first; i < first + count; i++) {
			const struct occ_directive *directive =
				&scan->directives[scan->macros[i]];

			if (directive->kind == OCC_DIRECTIVE_UNDEFINE)
				undefined = true;
			else
				add_alternative(expander, choice,
						directive->rest,
						directive->rest_length);
		}
	}
	return undefined;
}

/* Adds all that the macro may be. */
static void add_alternatives(struct occ_expander *expander,
			     struct occ_choice *choice)
{
	const struct occ_macros *macros = expander->macros;
	bool defined = false, undefined = false;

	occ_expander_spend(expander, macros->option_count);
	for (size_t i = 0; i < macros->option_count; i++) {
		const struct occ_option_macro *option = &macros->options[i];

		if (strcmp(option->name, choice->name) != 0)
			continue;
		if (!option->rest) {
			undefined = true;
			continue;
		}
		defined = true;
		add_alternative(expander, choice, option->rest,
				option->rest_length);
	}
	undefined |= add_of_texts(expander, choice);
	if (defined && !undefined && !macros->options_uncertain)
		return;
	if (occ_predefined(choice->name))
		occ_expander_fail(expander, OCC_REASON_COMPUTED_PREDEFINED);
	add_alternative(expander, choice, NULL, 0);
}

const struct occ_alternative *occ_definition_choose(
	struct occ_expander *expander, const char *name)
{
	struct occ_choice *choice = expander->choices;
	size_t i;

	for (i = 0; i < expander->choice_count; i++, choice++)
		if (!strcmp(choice->name, name))
			return &choice->alternatives[choice->chosen];
	if (i == OCC_EXPANDER_CHOICES_MAX)
		occ_expander_fail(expander, OCC_REASON_COMPUTED_UNCERTAIN);
	choice->name = name;
	choice->count = 0;
	choice->chosen = 0;
	add_alternatives(expander, choice);
	/* `name` is in memory of this combination. */
	choice->name = strdup(name);
	if (!choice->name)
		occ_expander_fail(expander, OCC_REASON_OUT_OF_MEMORY);
	expander->choice_count++;
	return &choice->alternatives[0];
}
