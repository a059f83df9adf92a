/* SPDX-License-Identifier: MIT */
#include "cli/suggestion.h"

#include <string.h>

#define WORD_MAX 32

/* Every third letter may be wrong. */
#define LETTERS	 3

void occ_suggestion_begin(struct occ_suggestion *suggestion, const char *word)
{
	suggestion->word = word;
	suggestion->best = NULL;
	suggestion->distance = strlen(word) / LETTERS + 1;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

/*
 * Insertions, deletions, changes and swaps of neighbours that make one of the
 * other (Damerau and Levenshtein). `rows` are the last two and this one.
 */
static size_t distance(const char *one, const char *other)
{
	size_t rows[3][WORD_MAX + 1], length = strlen(other);
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= length; j++)
		before[j] = last[j] = j;
	for (size_t i = 0; one[i]; i++) {
		size_t *free_row = before;

		now[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			now[j + 1] = least(last[j + 1] + 1, now[j] + 1,
					   last[j] + (one[i] != other[j]));
			if (i && j && one[i] == other[j - 1] &&
			    one[i - 1] == other[j] &&
			    before[j - 1] + 1 < now[j + 1])
				now[j + 1] = before[j - 1] + 1;
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[length];
}

void occ_suggestion_try(struct occ_suggestion *suggestion, const char *known)
{
	size_t far;

	if (strlen(suggestion->word) > WORD_MAX || strlen(known) > WORD_MAX)
		return;
	far = distance(suggestion->word, known);
	/* What shares no letter isn't meant. */
	if (far > suggestion->distance || far >= strlen(known) ||
	    (suggestion->best && far == suggestion->distance))
		return;
	suggestion->distance = far;
	suggestion->best = known;
}
