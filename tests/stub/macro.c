/* SPDX-License-Identifier: MIT */
#include "tests/stub/macro.h"

#include <ctype.h>
#include <string.h>

#include "tests/stub/object.h"

bool stub_is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t stub_word_length(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && stub_is_letter(*at))
		at++;
	return (size_t)(at - text);
}

size_t stub_quoted_length(const char *text, const char *end)
{
	const char *at = text + 1;

	while (at < end && *at != *text && *at != '\n')
		at += *at == '\\' && at + 1 < end ? 2 : 1;
	return (size_t)((at < end ? at + 1 : end) - text);
}

struct stub_macro *stub_macro_find(struct stub_macro *list, const char *name,
				   size_t length)
{
	for (struct stub_macro *macro = list; macro; macro = macro->next)
		if (strlen(macro->name) == length &&
		    !strncmp(macro->name, name, length))
			return macro;
	return NULL;
}

static void release_macro(struct stub_macro *macro)
{
	stub_names_release(&macro->parameters);
	free(macro->name);
	free(macro->body);
	free(macro);
}

void stub_macro_undefine(struct stub_macro **list, const char *name)
{
	for (struct stub_macro **at = list; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, name)) {
			struct stub_macro *gone = *at;

			*at = gone->next;
			release_macro(gone);
			return;
		}
}

void stub_macros_release(struct stub_macro **list)
{
	while (*list) {
		struct stub_macro *gone = *list;

		*list = gone->next;
		release_macro(gone);
	}
}

static const char *skip_blanks(const char *text, const char *end)
{
	while (text < end && isspace((unsigned char)*text))
		text++;
	return text;
}

/* After '('; returns what follows ')'. */
static const char *take_parameters(struct stub_macro *macro, const char *text,
				   const char *end)
{
	macro->has_parameters = true;
	while (text < end && *text != ')') {
		size_t length = stub_word_length(text, end);
		char *name;

		if (!length) {
			text++;
			continue;
		}
		name = stub_copy(text, length);
		stub_names_add(&macro->parameters, name);
		free(name);
		text += length;
	}
	return text < end ? text + 1 : end;
}

bool stub_macro_define(struct stub_macro **list, const char *text)
{
	const char *end = text + strlen(text);
	struct stub_macro *macro;
	size_t length;

	text = skip_blanks(text, end);
	length = stub_word_length(text, end);
	if (!length)
		return false;
	macro = stub_allocate(1, sizeof(*macro));
	macro->name = stub_copy(text, length);
	text += length;
	if (*text == '(')
		text = take_parameters(macro, text + 1, end);
	text = skip_blanks(text, end);
	macro->body = stub_copy(text, (size_t)(end - text));
	stub_macro_undefine(list, macro->name);
	macro->next = *list;
	*list = macro;
	return true;
}

/* From after '(' to the end of one argument: a ',' or ')' of its own. */
static const char *argument_end(const char *text, const char *end)
{
	int depth = 0;

	while (text < end) {
		if (*text == '"' || *text == '\'') {
			text += stub_quoted_length(text, end);
			continue;
		}
		if (depth == 0 && (*text == ',' || *text == ')'))
			return text;
		depth += (*text == '(') - (*text == ')');
		text++;
	}
	return end;
}

/* The parameter's argument, replaced, or NULL when it isn't one. */
static const struct stub_text *argument_for(const struct stub_macro *macro,
					    const struct stub_text *arguments,
					    size_t count, const char *word,
					    size_t length)
{
	for (size_t i = 0; i < macro->parameters.count && i < count; i++) {
		const char *name = macro->parameters.names[i];

		if (strlen(name) == length && !strncmp(name, word, length))
			return &arguments[i];
	}
	return NULL;
}

/* The body with the arguments in it. */
static void fill_in(const struct stub_macro *macro,
		    const struct stub_text *arguments, size_t count,
		    struct stub_text *out)
{
	const char *at = macro->body, *end = at + strlen(at);

	while (at < end) {
		size_t length = stub_word_length(at, end);
		const struct stub_text *argument;

		if (!length) {
			stub_text_add(out, at++, 1);
			continue;
		}
		argument = argument_for(macro, arguments, count, at, length);
		if (argument)
			stub_text_add(out, stub_text_string(argument),
				      argument->size);
		else
			stub_text_add(out, at, length);
		at += length;
	}
}

#define ARGUMENTS_MAX 32

/* Reads "(...)" at `text`; what follows it, or NULL when there is none. */
static const char *read_arguments(struct stub_macro *list, const char *text,
				  const char *end, struct stub_text *arguments,
				  size_t *ret_count)
{
	*ret_count = 0;
	text = skip_blanks(text, end);
	if (text == end || *text != '(')
		return NULL;
	do {
		const char *stop = argument_end(++text, end);

		if (stop == end || *ret_count == ARGUMENTS_MAX)
			return NULL;
		text = skip_blanks(text, stop);
		stub_macros_replace(list, text, (size_t)(stop - text),
				    &arguments[(*ret_count)++]);
		text = stop;
	} while (*text == ',');
	return text + 1;
}

/* Replaces the macro whose name ends at `text`; what follows the whole. */
static const char *replace_one(struct stub_macro *list,
			       struct stub_macro *macro, const char *text,
			       const char *end, struct stub_text *out)
{
	struct stub_text arguments[ARGUMENTS_MAX] = {{NULL, 0, 0}};
	struct stub_text body = {NULL, 0, 0};
	const char *rest = text;
	size_t count = 0;

	if (macro->has_parameters)
		rest = read_arguments(list, text, end, arguments, &count);
	if (rest) {
		fill_in(macro, arguments, count, &body);
		macro->busy = true;
		stub_macros_replace(list, stub_text_string(&body), body.size,
				    out);
		macro->busy = false;
	} else {
		stub_text_add_string(out, macro->name);
	}
	stub_text_release(&body);
	for (size_t i = 0; i < count; i++)
		stub_text_release(&arguments[i]);
	return rest ? rest : text;
}

void stub_macros_replace(struct stub_macro *list, const char *text, size_t size,
			 struct stub_text *out)
{
	const char *end = text + size;

	while (text < end) {
		size_t length = stub_word_length(text, end);
		struct stub_macro *macro = NULL;

		if (length && !isdigit((unsigned char)*text))
			macro = stub_macro_find(list, text, length);
		if (macro && !macro->busy) {
			text = replace_one(list, macro, text + length, end,
					   out);
			continue;
		}
		if (!length)
			length = *text == '"' || *text == '\''
					 ? stub_quoted_length(text, end)
					 : 1;
		stub_text_add(out, text, length);
		text += length;
	}
}
