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

#include <stddef.h>

struct occ_suggestion {
	const char *word; /* borrowed */
	const char *best; /* borrowed; NULL: none is near enough */
	size_t distance;
};

void occ_suggestion_begin(struct occ_suggestion *suggestion, const char *word);
void occ_suggestion_try(struct occ_suggestion *suggestion, const char *known);

#endif
