/* SPDX-License-Identifier: MIT */
#include "tests/stub/argument.h"

#include <string.h>

#include "tests/stub/macro.h"
#include "tests/stub/object.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *word;
	cl_kernel_arg_address_qualifier address;
	cl_kernel_arg_access_qualifier access;
	cl_kernel_arg_type_qualifier qualifier;
} marks[] = {
	{"global", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0, 0},
	{"local", CL_KERNEL_ARG_ADDRESS_LOCAL, 0, 0},
	{"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT, 0,
	 CL_KERNEL_ARG_TYPE_CONST},
	{"private", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0, 0},
	{"read_only", 0, CL_KERNEL_ARG_ACCESS_READ_ONLY, 0},
	{"write_only", 0, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, 0},
	{"read_write", 0, CL_KERNEL_ARG_ACCESS_READ_WRITE, 0},
	{"const", 0, 0, CL_KERNEL_ARG_TYPE_CONST},
	{"restrict", 0, 0, CL_KERNEL_ARG_TYPE_RESTRICT},
	{"volatile", 0, 0, CL_KERNEL_ARG_TYPE_VOLATILE},
};

static const struct {
	const char *word;
	cl_uint size;
} sizes[] = {
	{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
	{"uint", 4}, {"float", 4}, {"long", 8},	 {"ulong", 8},	{"double", 8},
};

static bool take_mark(struct stub_argument *argument, const char *word)
{
	word += !strncmp(word, "__", 2) ? 2 : 0;
	for (size_t i = 0; i < LENGTH(marks); i++) {
		if (strcmp(marks[i].word, word))
			continue;
		if (marks[i].address)
			argument->address = marks[i].address;
		if (marks[i].access)
			argument->access = marks[i].access;
		argument->qualifiers |= marks[i].qualifier;
		return true;
	}
	return false;
}

static void add_type_word(struct stub_text *type, const char *word)
{
	if (!strcmp(stub_text_string(type), "unsigned")) {
		stub_text_release(type);
		stub_text_add_string(type, "u");
	} else if (type->size) {
		stub_text_add(type, " ", 1);
	}
	stub_text_add_string(type, word);
}

static cl_uint size_of(const char *type)
{
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		size_t length = strlen(sizes[i].word);
		cl_uint width;

		if (strncmp(type, sizes[i].word, length))
			continue;
		width = (cl_uint)strtoul(type + length, NULL, 10);
		if (width == 3)
			width = 4;
		if (width || !type[length])
			return sizes[i].size * (width ? width : 1);
	}
	return 0;
}

static void settle(struct stub_argument *argument, bool pointer)
{
	bool opaque = !strncmp(argument->type, "image", 5) ||
		      !strcmp(argument->type, "sampler_t") ||
		      !strncmp(argument->type, "pipe", 4);

	if (!pointer) {
		argument->passing = opaque ? STUB_OPAQUE : STUB_VALUE;
		argument->size = opaque ? 0 : size_of(argument->type);
		/* Only what pointers point to is said to be const. */
		argument->qualifiers = CL_KERNEL_ARG_TYPE_NONE;
		if (!strncmp(argument->type, "image", 5)) {
			argument->address = CL_KERNEL_ARG_ADDRESS_GLOBAL;
			if (argument->access == CL_KERNEL_ARG_ACCESS_NONE)
				argument->access =
					CL_KERNEL_ARG_ACCESS_READ_ONLY;
		}
	} else if (argument->address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
		argument->passing = STUB_LOCAL;
	} else {
		argument->passing = STUB_BUFFER;
	}
}

static void parse_one(struct stub_function *function,
		      const struct stub_tokens *tokens, size_t first,
		      size_t last)
{
	struct stub_argument *argument = stub_function_add_argument(function);
	struct stub_text type = {NULL, 0, 0};
	bool pointer = false;

	argument->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
	argument->access = CL_KERNEL_ARG_ACCESS_NONE;
	for (size_t i = first; i < last; i++) {
		const struct stub_token *token = &tokens->list[i];
		char *word = stub_copy(token->text, token->length);

		if (*word == '*') {
			pointer = true;
			stub_text_add(&type, "*", 1);
		} else if (stub_is_letter(*word) &&
			   !take_mark(argument, word)) {
			/* The last word is the name. */
			if (i + 1 == last)
				argument->name = stub_copy(word, strlen(word));
			else
				add_type_word(&type, word);
		}
		free(word);
	}
	if (!argument->name)
		argument->name = stub_copy("", 0);
	argument->type = stub_copy(stub_text_string(&type), type.size);
	stub_text_release(&type);
	settle(argument, pointer);
}

void stub_arguments_parse(struct stub_function *function,
			  const struct stub_tokens *tokens, size_t first,
			  size_t last)
{
	size_t start = first, i;

	if (first == last ||
	    (last - first == 1 && stub_token_is(tokens, first, "void")))
		return;
	for (i = first; i <= last; i++) {
		if (i < last && stub_token_is(tokens, i, "("))
			i = stub_token_match(tokens, i);
		if (i < last && !stub_token_is(tokens, i, ","))
			continue;
		parse_one(function, tokens, start, i);
		start = i + 1;
	}
}
