/* SPDX-License-Identifier: MIT */
#include "hash/option.h"

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

/* Of those above, the ones that are followed by a search directory. */
static const char *const folders[] = {"-I", "-isystem", "-iquote",
				      "-idirafter"};

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

/* The next blank-separated word, NULL at the end; *at moves behind it. */
static const char *next_word(const char **at, size_t *ret_length)
{
	const char *word = *at;
	size_t length = 0;

	while (is_blank(*word))
		word++;
	while (word[length] && !is_blank(word[length]))
		length++;
	*at = word + length;
	*ret_length = length;
	return length ? word : NULL;
}

const char *occ_option_unsafe(const char *options, size_t *ret_length)
{
	bool argument = false, quoted = false;
	const char *at = options ? options : "", *word;
	size_t length;

	while ((word = next_word(&at, &length))) {
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

/* Length of the option that a folder follows, 0 for other words. */
static size_t folder_option(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t size = strlen(folders[i]);

		if (length >= size && !memcmp(word, folders[i], size))
			return size;
	}
	return 0;
}

bool occ_option_folders(const char *options, occ_option_visit visit, void *data)
{
	const char *at = options ? options : "", *word;
	size_t length, prefix;

	while ((word = next_word(&at, &length))) {
		prefix = folder_option(word, length);
		if (!prefix)
			continue;
		if (strpbrk(options, "\"'\\"))
			return false;
		word += prefix;
		length -= prefix;
		/* The next word is it, and may be an option, too. */
		if (!length) {
			const char *behind = at;

			word = next_word(&behind, &length);
		}
		/* No folder; one below a root that drivers choose; -I-. */
		if (!word || *word == '=' || *word == '-' ||
		    !visit(word, length, data))
			return false;
	}
	return true;
}
