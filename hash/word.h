/* SPDX-License-Identifier: MIT */
/*
 * Build options as words, in every way that a driver may read them. Drivers
 * agree that blanks separate words, and differ about tabs, quotes and
 * backslashes (doc/drivers.md, "Options"); a reading says which of these mean
 * something.
 *
 * Calling sequence:
 *
 *	struct occ_words words = {.at = options, .reading = reading};
 *	while (occ_word_next(&words, &word))
 *		use word, until the next call
 *	if (words.text.failed)
 *		out of memory: there may be more words
 *	occ_buffer_release(&words.text);
 *
 * Threads: no state; one thread at a time per object.
 */
#ifndef OCC_HASH_WORD_H
#define OCC_HASH_WORD_H

#include "hash/buffer.h"

/* Bits of a reading. */
enum {
	/* Tabs, newlines and the like separate words, as blanks do. */
	OCC_READ_WHITE = 1,
	/* A backslash takes the special meaning from what follows it. */
	OCC_READ_ESCAPES = 2,
	/* Blanks between double quotes belong to the word; they go. */
	OCC_READ_QUOTES = 4,
	/* With OCC_READ_QUOTES: a blank takes the place of each. */
	OCC_READ_QUOTES_BLANK = 8,
	/* With OCC_READ_QUOTES alone: single ones, too. */
	OCC_READ_SINGLE_QUOTES = 16,
	/* All readings are below this. */
	OCC_READINGS = 32,
};

struct occ_words {
	const char *at;
	unsigned reading;
	struct occ_buffer text; /* of the word, where that isn't as written */
};

struct occ_word {
	const char *raw; /* as written, within the options */
	size_t raw_length;
	const char *text; /* as read; no NUL */
	size_t length;
};

/* Bits of readings of which the options have the characters. */
unsigned occ_word_signs(const char *options);

/*
 * Is this a reading, and does it read options with these signs in another way
 * than all readings with fewer bits?
 */
bool occ_word_reading_differs(unsigned signs, unsigned reading);

/* The next word; false at the end or when memory ran out. */
bool occ_word_next(struct occ_words *words, struct occ_word *ret_word);

#endif
