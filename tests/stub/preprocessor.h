/* SPDX-License-Identifier: MIT */
/*
 * A C preprocessor as far as tests need it, for macros name kernels and choose
 * what is built, and files and headers change it: macros with and without
 * parameters, #ifdef and its like, #if of a number, #include of embedded
 * headers and files, #error and #warning. No "#" and "##", no __FILE__ or
 * __LINE__.
 */
#ifndef TESTS_STUB_PREPROCESSOR_H
#define TESTS_STUB_PREPROCESSOR_H

#include <stdbool.h>

#include "tests/stub/options.h"
#include "tests/stub/text.h"

/* A header that the application gave: its include name and its text. */
struct stub_header {
	const char *name;
	const char *text;
};

struct stub_preprocessor {
	const struct stub_options *options;
	const struct stub_header *headers;
	size_t header_count;
	struct stub_text out;
	struct stub_text log;
	unsigned errors;
	unsigned warnings;

	/* its own */
	struct stub_macro *macros;
	unsigned depth;
};

/* Fills out, log and the numbers; release them and it afterwards. */
void stub_preprocess(struct stub_preprocessor *state, const char *text);
void stub_preprocessor_release(struct stub_preprocessor *state);

#endif
