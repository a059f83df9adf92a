/* SPDX-License-Identifier: MIT */
/* Words, strings and single characters of a text, which they point into. */
#ifndef TESTS_STUB_TOKEN_H
#define TESTS_STUB_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

struct stub_token {
	const char *text;
	size_t length;
	size_t match; /* of an opening bracket: the closing one */
};

struct stub_tokens {
	struct stub_token *list;
	size_t count;
};

/* False when brackets don't match; release in either case. */
bool stub_tokens_make(struct stub_tokens *tokens, const char *text);
void stub_tokens_release(struct stub_tokens *tokens);

bool stub_token_is(const struct stub_tokens *tokens, size_t i,
		   const char *text);
size_t stub_token_match(const struct stub_tokens *tokens, size_t i);

#endif
