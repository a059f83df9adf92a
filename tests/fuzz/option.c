/* SPDX-License-Identifier: MIT */
/*
 * hash/option.h and hash/word.h: a byte that chooses the driver, and any others
 * as build options. What is unsafe is one of their words, and nothing that is
 * safe stops a walk.
 */
#include "tests/fuzz/fuzz.h"

#include "hash/option.h"
#include "hash/word.h"

static bool count(enum occ_option_kind kind, const char *argument,
		  size_t length, bool certain, void *data)
{
	size_t *bytes = data;

	(void)kind;
	(void)certain;
	/* Each byte is looked at. */
	for (size_t i = 0; i < length; i++)
		*bytes += argument[i] != 0;
	return true;
}

static void read_words(const char *options)
{
	unsigned signs = occ_word_signs(options);
	size_t size = strlen(options);

	for (unsigned reading = 0; reading < OCC_READINGS; reading++) {
		struct occ_words words = {.at = options, .reading = reading};
		struct occ_word word;

		if (!occ_word_reading_differs(signs, reading))
			continue;
		while (occ_word_next(&words, &word))
			fuzz_expect(word.raw >= options &&
					    word.raw + word.raw_length <=
						    options + size &&
					    word.raw_length &&
					    word.length <= size,
				    "a word within the options");
		fuzz_expect(!words.text.failed && !*words.at, "all words");
		occ_buffer_release(&words.text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct occ_option_dialect *dialect =
		fuzz_dialect(size ? *data : 0);
	char *options =
		fuzz_string(size ? data + 1 : NULL, size ? size - 1 : 0);
	size_t length = 0, bytes = 0;
	const char *unsafe = occ_option_unsafe(options, dialect, &length);
	bool walked = occ_option_walk(options, dialect, count, &bytes);

	fuzz_expect(!unsafe || (unsafe >= options &&
				unsafe + length <= options + strlen(options)),
		    "an unsafe word within the options");
	/* A thousand arguments may be too many. */
	fuzz_expect(walked || unsafe || size > 1024, "a reason why not");
	read_words(options);
	free(options);
	return 0;
}
