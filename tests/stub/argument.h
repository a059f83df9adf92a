/* SPDX-License-Identifier: MIT */
/* A kernel's parameters as clGetKernelArgInfo and clSetKernelArg see them. */
#ifndef TESTS_STUB_ARGUMENT_H
#define TESTS_STUB_ARGUMENT_H

#include "tests/stub/code.h"
#include "tests/stub/token.h"

/* Tokens first to last (not included) are what stands in the parentheses. */
void stub_arguments_parse(struct stub_function *function,
			  const struct stub_tokens *tokens, size_t first,
			  size_t last);

#endif
