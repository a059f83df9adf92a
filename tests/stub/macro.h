/* SPDX-License-Identifier: MIT */
/* The preprocessor's macros: a list, and what becomes of a text under it. */
#ifndef TESTS_STUB_MACRO_H
#define TESTS_STUB_MACRO_H

#include <stdbool.h>

#include "tests/stub/code.h"
#include "tests/stub/text.h"

struct stub_macro {
	char *name;
	char *body;
	bool has_parameters;
	bool busy; /* being replaced: not again inside */
	struct stub_names parameters;
	struct stub_macro *next;
};

/* `text` is what follows #define. False when it is none. */
bool stub_macro_define(struct stub_macro **list, const char *text);
void stub_macro_undefine(struct stub_macro **list, const char *name);
struct stub_macro *stub_macro_find(struct stub_macro *list, const char *name,
				   size_t length);
void stub_macros_release(struct stub_macro **list);

/* Appends `size` bytes of `text` to `out` with all macros replaced. */
void stub_macros_replace(struct stub_macro *list, const char *text, size_t size,
			 struct stub_text *out);

/* What identifiers are made of. */
bool stub_is_letter(char c);
size_t stub_word_length(const char *text, const char *end);
/* The length of the string or character that starts at `text`. */
size_t stub_quoted_length(const char *text, const char *end);

#endif
