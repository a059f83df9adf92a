/* SPDX-License-Identifier: MIT */
/*
 * "Compiling": finds the functions, kernels and variables of a text, and
 * makes a digest of everything that went in. What the stub calls an error:
 * #error, braces that don't match, kernels defined twice, and names that
 * begin with "undeclared".
 *
 * Pure functions of their inputs and of the files that these name; no locks.
 */
#ifndef TESTS_STUB_COMPILER_H
#define TESTS_STUB_COMPILER_H

#include "tests/stub/code.h"
#include "tests/stub/preprocessor.h"

struct stub_constant {
	cl_uint id;
	cl_uint size;
	unsigned char value[8];
};

struct stub_source {
	const char *text; /* OpenCL C, or SPIR-V words */
	size_t size;
	bool is_il;
	const char *raw_options;
	const struct stub_options *options;
	const struct stub_header *headers;
	size_t header_count;
	const struct stub_constant *constants; /* of IL, by id */
	size_t constant_count;
};

/* A compiled object, or NULL after an error; both write to the log. */
struct stub_code *stub_compile(const struct stub_source *source,
			       struct stub_text *log);

/* The expanded text's functions and variables; false after an error. */
bool stub_parse(struct stub_code *code, const char *text, bool argument_info,
		struct stub_text *log);

/* Is it a SPIR-V module? */
bool stub_il_valid(const void *words, size_t size);
/* The module's kernels. */
void stub_il_parse(struct stub_code *code, const void *words, size_t size);
/* The size of the specialization constant `id`; 0: there is none. */
cl_uint stub_il_constant_size(const void *words, size_t size, cl_uint id);

#endif
