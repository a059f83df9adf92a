/* SPDX-License-Identifier: MIT */
#include "tests/stub/options.h"

#include <string.h>

#include "tests/stub/object.h"

/* Those that change nothing but the digest. */
static const char *const plain[] = {
	"-cl-single-precision-constant",
	"-cl-denorms-are-zero",
	"-cl-fp32-correctly-rounded-divide-sqrt",
	"-cl-opt-disable",
	"-cl-strict-aliasing",
	"-cl-uniform-work-group-size",
	"-cl-no-subgroup-ifp",
	"-cl-mad-enable",
	"-cl-no-signed-zeros",
	"-cl-unsafe-math-optimizations",
	"-cl-finite-math-only",
	"-cl-fast-relaxed-math",
	"-g",
};

static const char *const for_links[] = {
	"-cl-denorms-are-zero",		 "-cl-no-signed-zeros",
	"-cl-unsafe-math-optimizations", "-cl-finite-math-only",
	"-cl-fast-relaxed-math",	 "-cl-no-subgroup-ifp",
	"-enable-link-options",
};

static bool among(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/* Options that are a word of their own. */
static bool take_word(struct stub_options *options, const char *word)
{
	if (!strcmp(word, "-cl-kernel-arg-info"))
		options->argument_info = true;
	else if (!strcmp(word, "-Werror"))
		options->warnings_are_errors = true;
	else if (!strcmp(word, "-w"))
		options->no_warnings = true;
	else if (strncmp(word, "-cl-std=CL", 10) &&
		 strncmp(word, "-spir-std=", 10))
		return among(word, plain, sizeof(plain) / sizeof(plain[0]));
	return true;
}

static bool take_link_word(struct stub_options *options, const char *word)
{
	if (!strcmp(word, "-create-library")) {
		options->create_library = true;
		return true;
	}
	return among(word, for_links, sizeof(for_links) / sizeof(for_links[0]));
}

/* Where the values of options with one go: "-DX", "-D X"; NULL: nowhere. */
static struct stub_names *list_of(struct stub_options *options,
				  const char *word)
{
	if (word[0] != '-')
		return NULL;
	switch (word[1]) {
	case 'D':
		return &options->defines;
	case 'U':
		return &options->undefines;
	case 'I':
		return &options->directories;
	default:
		return NULL;
	}
}

static char *next_word(char **rest)
{
	char *word;

	do {
		word = strsep(rest, " ");
	} while (word && !*word);
	return word;
}

static bool take(struct stub_options *options, char *word, char **rest,
		 enum stub_operation operation)
{
	struct stub_names *list;

	if (operation == STUB_LINK)
		return take_link_word(options, word);
	if (!strcmp(word, "-x")) {
		word = next_word(rest);
		return word && !strcmp(word, "spir");
	}
	list = list_of(options, word);
	if (!list)
		return take_word(options, word);
	word = word[2] ? word + 2 : next_word(rest);
	if (!word)
		return false;
	stub_names_add(list, word);
	return true;
}

bool stub_options_parse(struct stub_options *options, const char *text,
			enum stub_operation operation)
{
	char *copy = stub_copy(text, text ? strlen(text) : 0);
	char *rest = copy, *word;
	bool good = true;

	memset(options, 0, sizeof(*options));
	while (good && (word = next_word(&rest)))
		good = take(options, word, &rest, operation);
	free(copy);
	return good;
}

void stub_options_release(struct stub_options *options)
{
	stub_names_release(&options->defines);
	stub_names_release(&options->undefines);
	stub_names_release(&options->directories);
}
