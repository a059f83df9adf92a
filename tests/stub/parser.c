/* SPDX-License-Identifier: MIT */
/* The declarations of a preprocessed text: stub_parse() of compiler.h. */
#include <ctype.h>
#include <string.h>

#include "tests/stub/argument.h"
#include "tests/stub/compiler.h"
#include "tests/stub/macro.h"
#include "tests/stub/object.h"
#include "tests/stub/token.h"

struct parser {
	struct stub_code *code;
	struct stub_text *log;
	struct stub_tokens tokens;
	struct stub_names prototypes;
	struct stub_names used; /* words in bodies */
	bool argument_info;
	unsigned errors;
};

/* One declaration: tokens first to last, and the body's, if it has one. */
struct declaration {
	size_t first, last; /* last: not included */
	size_t body, body_end;
	bool has_body;
};

static void complain(struct parser *parser, const char *what,
		     const struct stub_token *token)
{
	stub_text_print(parser->log, "source: error: %s%.*s\n", what,
			token ? (int)token->length : 0,
			token ? token->text : "");
	parser->errors++;
}

static bool is(const struct parser *parser, size_t i, const char *text)
{
	return stub_token_is(&parser->tokens, i, text);
}

/* A word at the top level of the declaration. */
static bool has_word(const struct parser *parser,
		     const struct declaration *declaration, const char *word)
{
	for (size_t i = declaration->first; i < declaration->last; i++) {
		if (is(parser, i, "(") || is(parser, i, "{")) {
			i = stub_token_match(&parser->tokens, i);
			continue;
		}
		if (is(parser, i, word))
			return true;
	}
	return false;
}

static bool is_kernel(const struct parser *parser,
		      const struct declaration *declaration)
{
	return has_word(parser, declaration, "kernel") ||
	       has_word(parser, declaration, "__kernel");
}

/* The '(' of the function's parameters, or last when it is none. */
static size_t parameters_of(const struct parser *parser,
			    const struct declaration *declaration)
{
	for (size_t i = declaration->first; i < declaration->last; i++) {
		if (is(parser, i, "=") || is(parser, i, "typedef"))
			return declaration->last;
		if (!is(parser, i, "("))
			continue;
		if (i > declaration->first &&
		    !is(parser, i - 1, "__attribute__"))
			return i;
		i = stub_token_match(&parser->tokens, i);
	}
	return declaration->last;
}

/*
 * From `first` to what ends the declaration: ';' or a function's body. False
 * at the end of the text in the middle of one.
 */
static bool find_declaration(struct parser *parser, size_t first,
			     struct declaration *declaration)
{
	const struct stub_tokens *tokens = &parser->tokens;
	bool parameters = false, value = false;
	size_t i;

	*declaration = (struct declaration){.first = first};
	for (i = first; i < tokens->count; i++) {
		declaration->last = i;
		if (is(parser, i, ";"))
			return true;
		value |= is(parser, i, "=") || is(parser, i, "typedef");
		if (is(parser, i, "(")) {
			parameters |= i > first &&
				      !is(parser, i - 1, "__attribute__");
			i = stub_token_match(tokens, i);
		} else if (is(parser, i, "{")) {
			declaration->body = i + 1;
			i = stub_token_match(tokens, i);
			declaration->body_end = i;
			declaration->has_body = parameters && !value;
			if (declaration->has_body && i < tokens->count)
				return true;
		} else if (is(parser, i, ")") || is(parser, i, "}")) {
			break;
		}
	}
	complain(parser, "declaration without an end", NULL);
	return false;
}

static void add_attributes(const struct parser *parser,
			   const struct declaration *declaration,
			   struct stub_function *function)
{
	struct stub_text text = {NULL, 0, 0};

	for (size_t i = declaration->first; i + 2 < declaration->last; i++) {
		const struct stub_token *from;
		size_t inner, end;

		if (!is(parser, i, "__attribute__") || !is(parser, i + 1, "("))
			continue;
		inner = i + 2;
		end = stub_token_match(&parser->tokens, inner);
		from = &parser->tokens.list[inner];
		if (text.size)
			stub_text_add(&text, " ", 1);
		stub_text_add(&text, from->text + 1,
			      (size_t)(parser->tokens.list[end].text -
				       from->text - 1));
		if (is(parser, inner + 1, "reqd_work_group_size"))
			for (size_t n = 0; n < 3; n++)
				function->group[n] = (cl_uint)strtoul(
					parser->tokens.list[inner + 3 + 2 * n]
						.text,
					NULL, 10);
	}
	if (text.bytes) {
		free(function->attributes);
		function->attributes = text.bytes;
	}
}

static void add_kernel(struct parser *parser,
		       const struct declaration *declaration, size_t parameters,
		       const char *name)
{
	struct stub_function *function;

	function = stub_code_add_function(parser->code, name);
	function->has_info = parser->argument_info;
	add_attributes(parser, declaration, function);
	stub_arguments_parse(function, &parser->tokens, parameters + 1,
			     stub_token_match(&parser->tokens, parameters));
}

static void take_body(struct parser *parser,
		      const struct declaration *declaration)
{
	for (size_t i = declaration->body; i < declaration->body_end; i++) {
		const struct stub_token *token = &parser->tokens.list[i];
		char *word;

		if (!stub_is_letter(*token->text))
			continue;
		if (!strncmp(token->text, "undeclared", 10))
			complain(parser, "use of an undeclared name: ", token);
		word = stub_copy(token->text, token->length);
		stub_names_add(&parser->used, word);
		free(word);
	}
}

static void take_function(struct parser *parser,
			  const struct declaration *declaration,
			  size_t parameters)
{
	const struct stub_token *token = &parser->tokens.list[parameters - 1];
	char *name = stub_copy(token->text, token->length);

	if (!declaration->has_body) {
		stub_names_add(&parser->prototypes, name);
	} else if (stub_names_have(&parser->code->defined, name)) {
		complain(parser, "defined twice: ", token);
	} else {
		stub_names_add(&parser->code->defined, name);
		if (is_kernel(parser, declaration))
			add_kernel(parser, declaration, parameters, name);
		take_body(parser, declaration);
	}
	free(name);
}

/* A program-scope variable, if it is one. */
static void take_variable(struct parser *parser,
			  const struct declaration *declaration)
{
	size_t i, count = 1, end = declaration->last;
	const struct stub_token *token;
	char *name;

	if ((!has_word(parser, declaration, "global") &&
	     !has_word(parser, declaration, "__global")) ||
	    has_word(parser, declaration, "typedef"))
		return;
	for (i = declaration->first + 1; i < end; i++)
		if (is(parser, i, "=") || is(parser, i, "["))
			break;
	if (i < end && is(parser, i, "["))
		count = strtoul(parser->tokens.list[i + 1].text, NULL, 10);
	token = &parser->tokens.list[i - 1];
	name = stub_copy(token->text, token->length);
	stub_names_add(&parser->code->variables, name);
	free(name);
	parser->code->variable_size += 4 * (count ? count : 1);
}

static void take_all(struct parser *parser)
{
	struct declaration declaration;
	size_t at = 0, parameters;

	while (at < parser->tokens.count) {
		if (!find_declaration(parser, at, &declaration))
			return;
		parameters = parameters_of(parser, &declaration);
		if (parameters < declaration.last)
			take_function(parser, &declaration, parameters);
		else if (declaration.last > declaration.first)
			take_variable(parser, &declaration);
		at = declaration.has_body ? declaration.body_end + 1
					  : declaration.last + 1;
	}
}

bool stub_parse(struct stub_code *code, const char *text, bool argument_info,
		struct stub_text *log)
{
	struct parser parser = {.code = code,
				.log = log,
				.argument_info = argument_info};

	if (!stub_tokens_make(&parser.tokens, text))
		complain(&parser, "braces that don't match", NULL);
	else
		take_all(&parser);
	for (size_t i = 0; i < parser.prototypes.count; i++) {
		const char *name = parser.prototypes.names[i];

		if (!stub_names_have(&code->defined, name) &&
		    stub_names_have(&parser.used, name))
			stub_names_add(&code->wanted, name);
	}
	stub_names_release(&parser.prototypes);
	stub_names_release(&parser.used);
	stub_tokens_release(&parser.tokens);
	return !parser.errors;
}
