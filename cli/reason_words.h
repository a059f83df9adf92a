/* SPDX-License-Identifier: MIT */
/*
 * What reasons (hash/reason.h) mean in words, and what would change them. The
 * same is in doc/limits.md, under the reason's name.
 *
 * Constant; any thread.
 */
#ifndef OCC_CLI_REASON_WORDS_H
#define OCC_CLI_REASON_WORDS_H

#include "hash/reason.h"

struct occ_reason_words {
	const char *meaning; /* a sentence */
	const char *remedy;  /* what to do about it: one or two */
};

/* Each has what the other lacks. */
extern const struct occ_reason_words occ_reason_words_build[OCC_REASON_COUNT];
extern const struct occ_reason_words occ_reason_words_store[OCC_REASON_COUNT];

/* Of any reason but OCC_REASON_NONE. */
const struct occ_reason_words *occ_reason_words(enum occ_reason reason);

/*
 * Where doc/limits.md explains it: the path of the installed file with "#NAME",
 * to be freed. NULL: it isn't installed.
 */
char *occ_reason_words_place(enum occ_reason reason);

#endif
