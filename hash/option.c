/* SPDX-License-Identifier: MIT */
#include "hash/option.h"

#include <stdbool.h>
#include <string.h>

enum match {
	WHOLE,	  /* the word itself */
	PREFIX,	  /* anything that starts so */
	ARGUMENT, /* the word itself, and the next one is its argument; or
		     anything that starts so */
};

static const struct {
	const char *word;
	enum match match;
} safe[] = {
	{"-D", ARGUMENT},
	{"-U", ARGUMENT},
	/* Search directories: nothing is searched without an #include. */
	{"-I", ARGUMENT},
	{"-isystem", ARGUMENT},
	{"-iquote", ARGUMENT},
	{"-idirafter", ARGUMENT},
	{"-x", ARGUMENT},
	{"-w", WHOLE},
	{"-Wall", WHOLE},
	{"-Wextra", WHOLE},
	{"-Werror", PREFIX},
	{"-Wno-", PREFIX},
	{"-pedantic", WHOLE},
	{"-O0", WHOLE},
	{"-O1", WHOLE},
	{"-O2", WHOLE},
	{"-O3", WHOLE},
	{"-Os", WHOLE},
	{"-cl-", PREFIX},
	{"-spir-std=", PREFIX},
	{"-ffast-math", WHOLE},
	{"-fno-builtin", PREFIX},
	{"-funroll-loops", WHOLE},
	{"-fno-unroll-loops", WHOLE},
	{"-ffp-contract=", PREFIX},
	/* Of clLinkProgram. */
	{"-create-library", WHOLE},
	{"-enable-link-options", WHOLE},
};

/* Within safe prefixes, words of options that write or read files. */
static const char *const unsafe_parts[] = {"dump", "save-temps", "file", "/"};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' ||
	       c == '\r';
}

static bool part_of(const char *word, size_t length, const char *part)
{
	return memmem(word, length, part, strlen(part)) != NULL;
}

/* Is this word safe? *ret_argument: the next one is its argument. */
static bool is_safe(const char *word, size_t length, bool *ret_argument)
{
	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++) {
		size_t size = strlen(safe[i].word);
		bool whole = length == size;

		if (length < size || memcmp(word, safe[i].word, size))
			continue;
		if (!whole && safe[i].match == WHOLE)
			continue;
		*ret_argument = whole && safe[i].match == ARGUMENT;
		if (safe[i].match != PREFIX)
			return true;
		for (size_t p = 0; p < sizeof(unsafe_parts) / sizeof(char *);
		     p++)
			if (part_of(word, length, unsafe_parts[p]))
				return false;
		return true;
	}
	return false;
}

/* Does the quote state change within this word? */
static bool toggles_quote(const char *word, size_t length)
{
	bool odd = false;

	for (size_t i = 0; i < length; i++)
		if (word[i] == '"' && (!i || word[i - 1] != '\\'))
			odd = !odd;
	return odd;
}

const char *occ_option_unsafe(const char *options, size_t *ret_length)
{
	bool argument = false, quoted = false;

	while (options && *options) {
		const char *word = options;
		size_t length = 0;

		while (word[length] && !is_blank(word[length]))
			length++;
		options = word + (length ? length : 1);
		if (!length)
			continue;
		/*
		 * An argument, or the rest of a quoted one, may be anything
		 * but an option: drivers that don't know quotes would see one.
		 */
		if ((argument || quoted) && *word != '-' && *word != '@')
			argument = false;
		else if (!is_safe(word, length, &argument)) {
			*ret_length = length;
			return word;
		}
		if (toggles_quote(word, length))
			quoted = !quoted;
	}
	return NULL;
}
