/* SPDX-License-Identifier: MIT */
#include "tests/stub/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/macro.h"
#include "tests/stub/object.h"

#define DEPTH_MAX 256

static void add(struct stub_tokens *tokens, const char *text, size_t length)
{
	/* Doubled at each power of two. */
	if (!(tokens->count & (tokens->count - 1)) || !tokens->count) {
		size_t room = tokens->count ? 2 * tokens->count : 1;
		void *list =
			realloc(tokens->list, room * sizeof(*tokens->list));

		if (!list)
			stub_die("out of memory");
		tokens->list = list;
	}
	tokens->list[tokens->count++] = (struct stub_token){text, length, 0};
}

/* Fills in `match`. */
static bool match_all(struct stub_tokens *tokens)
{
	size_t open[DEPTH_MAX], depth = 0;

	for (size_t i = 0; i < tokens->count; i++) {
		const char *pair = "()[]{}", *at;

		if (tokens->list[i].length != 1)
			continue;
		at = strchr(pair, *tokens->list[i].text);
		if (!at || !*at)
			continue;
		if ((at - pair) % 2 == 0) {
			if (depth == DEPTH_MAX)
				return false;
			open[depth++] = i;
		} else {
			if (!depth ||
			    *tokens->list[open[depth - 1]].text != at[-1])
				return false;
			tokens->list[open[--depth]].match = i;
		}
	}
	return depth == 0;
}

bool stub_tokens_make(struct stub_tokens *tokens, const char *text)
{
	const char *end = text + strlen(text);

	tokens->list = NULL;
	tokens->count = 0;
	while (text < end) {
		size_t length = stub_word_length(text, end);

		if (isspace((unsigned char)*text)) {
			text++;
			continue;
		}
		if (!length)
			length = *text == '"' || *text == '\''
					 ? stub_quoted_length(text, end)
					 : 1;
		add(tokens, text, length);
		text += length;
	}
	return match_all(tokens);
}

void stub_tokens_release(struct stub_tokens *tokens)
{
	free(tokens->list);
	tokens->list = NULL;
	tokens->count = 0;
}

bool stub_token_is(const struct stub_tokens *tokens, size_t i, const char *text)
{
	return i < tokens->count && tokens->list[i].length == strlen(text) &&
	       !strncmp(tokens->list[i].text, text, tokens->list[i].length);
}

size_t stub_token_match(const struct stub_tokens *tokens, size_t i)
{
	return tokens->list[i].match > i ? tokens->list[i].match : i;
}
