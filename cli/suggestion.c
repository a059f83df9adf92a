/* SPDX-License-Identifier: MIT */
#include "cli/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cache/settings.h"
#include "cli/message.h"

#define WORD_MAX 32

/* Every third letter may be wrong, and one of less; of three not two. */
#define LETTERS	 3

void occ_suggestion_begin(struct occ_suggestion *suggestion, const char *word)
{
	suggestion->word = word;
	suggestion->best = NULL;
	suggestion->distance =
		strlen(word) > LETTERS ? strlen(word) / LETTERS + 1 : 1;
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
			now[j + 1] = last[j] + (one[i] != other[j]);
			if (last[j + 1] + 1 < now[j + 1])
				now[j + 1] = last[j + 1] + 1;
			if (now[j] + 1 < now[j + 1])
				now[j + 1] = now[j] + 1;
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

const char *occ_suggestion_question(const char *before, const char *meant,
				    char memory[OCC_SUGGESTION_QUESTION])
{
	*memory = '\0';
	if (meant)
		snprintf(memory, OCC_SUGGESTION_QUESTION,
			 "; did you mean %s%s?", before, meant);
	return memory;
}

/* Further names beginning so are mistaken, but for tests' own. */
#define PREFIX	     "OCLCACHE_"
#define TESTS_PREFIX "OCLCACHE_TEST_"

/* What all of ours begin with would make any of them look alike. */
static const char *meant_by_rest(const char *rest)
{
	struct occ_suggestion suggestion;

	occ_suggestion_begin(&suggestion, rest);
	for (size_t id = 0; id < OCC_SETTINGS; id++)
		if (!strncmp(occ_settings_table[id].name, PREFIX,
			     strlen(PREFIX)))
			occ_suggestion_try(&suggestion,
					   occ_settings_table[id].name +
						   strlen(PREFIX));
	return suggestion.best ? suggestion.best - strlen(PREFIX) : NULL;
}

const char *occ_suggestion_setting(const char *name)
{
	const size_t length = strlen(PREFIX);
	struct occ_suggestion suggestion;

	if (occ_settings_is_variable(name))
		return NULL;
	if (!strncmp(name, PREFIX, length))
		return meant_by_rest(name + length);
	occ_suggestion_begin(&suggestion, name);
	for (size_t id = 0; id < OCC_SETTINGS; id++) {
		const struct occ_setting *setting = &occ_settings_table[id];

		if (!strncmp(setting->name, PREFIX, length) &&
		    !strcasecmp(setting->name + length, name))
			return setting->name;
		occ_suggestion_try(&suggestion, setting->name);
		if (setting->intels)
			occ_suggestion_try(&suggestion, setting->intels);
	}
	return suggestion.best ? suggestion.best : meant_by_rest(name);
}

bool occ_suggestion_each_misspelt(void (*report)(const char *name,
						 const char *meant, void *data),
				  void *data)
{
	bool any = false;

	for (char **variable = environ; *variable; variable++) {
		char *name;

		if (strncmp(*variable, PREFIX, strlen(PREFIX)) != 0)
			continue;
		name = occ_message_must(
			strndup(*variable, strcspn(*variable, "=")));
		if (occ_settings_find(name) == OCC_SETTINGS &&
		    !occ_settings_is_variable(name) &&
		    strncmp(name, TESTS_PREFIX, strlen(TESTS_PREFIX)) != 0) {
			any = true;
			report(name, occ_suggestion_setting(name), data);
		}
		free(name);
	}
	return any;
}

static void warn(const char *name, const char *meant, void *data)
{
	char question[OCC_SUGGESTION_QUESTION];

	(void)data;
	occ_message_warning("the environment variable %s isn't a setting%s",
			    name, occ_suggestion_question("", meant, question));
}

bool occ_suggestion_warn_misspelt(void)
{
	return occ_suggestion_each_misspelt(warn, NULL);
}
