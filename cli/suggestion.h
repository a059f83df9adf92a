/* SPDX-License-Identifier: MIT */
/*
 * Of known words the one that was probably meant:
 *
 *	occ_suggestion_begin(&suggestion, "lsit");
 *	occ_suggestion_try(&suggestion, "list");     any number of them
 *	if (suggestion.best) ...
 */
#ifndef OCC_CLI_SUGGESTION_H
#define OCC_CLI_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>

struct occ_suggestion {
	const char *word; /* borrowed */
	const char *best; /* borrowed; NULL: none is near enough */
	size_t distance;
};

void occ_suggestion_begin(struct occ_suggestion *suggestion, const char *word);
void occ_suggestion_try(struct occ_suggestion *suggestion, const char *known);

/* Room for the question. */
#define OCC_SUGGESTION_QUESTION 64

/*
 * "; did you mean list?", for the end of a message, in `memory`; "" where
 * `meant` is NULL. `before` stands in front of the word, such as "--". Long
 * words are cut.
 */
const char *occ_suggestion_question(const char *before, const char *meant,
				    char memory[OCC_SUGGESTION_QUESTION]);

/*
 * Names of settings that nobody heeds: OCLCACHE_DISABEL in the environment, or
 * in a configuration file.
 */

/* The setting that was probably meant by that name; static. NULL: none, or it
 * is a variable that is heeded in the environment. */
const char *occ_suggestion_setting(const char *name);

/*
 * Calls `report` for each variable of the environment that is named as settings
 * are and is none, with the setting that was probably meant, or NULL. True:
 * there are any.
 */
bool occ_suggestion_each_misspelt(void (*report)(const char *name,
						 const char *meant, void *data),
				  void *data);

/* A warning on standard error for each. True: there are any. */
bool occ_suggestion_warn_misspelt(void);

#endif
