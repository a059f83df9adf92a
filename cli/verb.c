/* SPDX-License-Identifier: MIT */
#include "cli/verb.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/suggestion.h"
#include "cli/text.h"

/* "list, show or merge", to be freed. */
static char *names_of(const struct occ_verb *verbs, size_t count)
{
	char *names = occ_text("%s", verbs[0].name);

	for (size_t i = 1; i < count; i++) {
		char *longer =
			occ_text("%s%s%s", names, i + 1 < count ? ", " : " or ",
				 verbs[i].name);

		free(names);
		names = longer;
	}
	return names;
}

/* Of no verb, or one that isn't known: `word` NULL, or what stands there. */
static void complain(const char *command, const struct occ_verb *verbs,
		     size_t count, const char *word, const char *meant)
{
	char *names = names_of(verbs, count);
	char question[OCC_SUGGESTION_QUESTION];

	if (word)
		occ_message_error("%s: use %s, not '%s'%s", command, names,
				  word,
				  occ_suggestion_question("", meant, question));
	else
		occ_message_error("%s: use %s; see 'oclcache %s --help'",
				  command, names, command);
	free(names);
}

static size_t find(const char *command, const struct occ_verb *verbs,
		   size_t count, const char *word)
{
	struct occ_suggestion suggestion;

	occ_suggestion_begin(&suggestion, word);
	for (size_t i = 0; i < count; i++) {
		occ_suggestion_try(&suggestion, verbs[i].name);
		if (!strcmp(verbs[i].name, word))
			return i;
	}
	complain(command, verbs, count, word, suggestion.best);
	return count;
}

static bool takes(const struct occ_verb *verb, const char *option)
{
	for (size_t i = 0; i < OCC_VERB_OPTIONS && verb->options[i]; i++)
		if (!strcmp(verb->options[i], option))
			return true;
	return false;
}

/* Options are the command's: of a verb that has no use for one, say so. */
static bool are_options_its(const char *command, const struct occ_verb *verb,
			    const struct occ_arguments *arguments)
{
	for (size_t i = 0; i < arguments->given_count; i++) {
		const char *name = arguments->given[i].option->name;

		if (takes(verb, name))
			continue;
		occ_message_error("%s %s: --%s can't be used here", command,
				  verb->name, name);
		return false;
	}
	return true;
}

static bool are_operands_its(const char *command, const struct occ_verb *verb,
			     const struct occ_arguments *arguments)
{
	/* The first is the verb. */
	size_t count = arguments->operand_count - 1;
	const char *blank = *verb->operands ? " " : "";

	if (count > verb->most)
		occ_message_error("%s %s: unexpected argument '%s'; usage: "
				  "oclcache %s %s%s%s",
				  command, verb->name,
				  arguments->operands[verb->most + 1], command,
				  verb->name, blank, verb->operands);
	else if (count < verb->least)
		occ_message_error("%s %s: an argument is missing; usage: "
				  "oclcache %s %s%s%s",
				  command, verb->name, command, verb->name,
				  blank, verb->operands);
	return count >= verb->least && count <= verb->most;
}

size_t occ_verb_choose(const char *command, const struct occ_verb *verbs,
		       size_t count, const struct occ_arguments *arguments)
{
	size_t index;

	if (!arguments->operand_count) {
		complain(command, verbs, count, NULL, NULL);
		return count;
	}
	index = find(command, verbs, count, arguments->operands[0]);
	if (index < count &&
	    (!are_options_its(command, &verbs[index], arguments) ||
	     !are_operands_its(command, &verbs[index], arguments)))
		return count;
	return index;
}
