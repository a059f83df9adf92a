/* SPDX-License-Identifier: MIT */
/*
 * oclcache database: what is in databases of builds, and making one of several.
 */
#include "cli/database.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/suggestion.h"

static const struct verb {
	const char *name;
	const char *operands;
	size_t least, most; /* operands; 0: any number */
	int (*run)(const struct occ_arguments *arguments, char *const *operands,
		   size_t count);
	const char *options[6]; /* which of the command's it takes */
} verbs[] = {
	{"list", "FILE...", 1, 0, occ_database_command_list, {"json"}},
	{"show",
	 "FILE BUILD",
	 2,
	 2,
	 occ_database_command_show,
	 {"source", "file"}},
	{"merge",
	 "-o OUT FILE...",
	 1,
	 0,
	 occ_database_command_merge,
	 {"output", "application", "device", "used-within", "strip-paths"}},
	{"diff", "A B", 2, 2, occ_database_command_diff, {NULL}},
};

#define VERBS (sizeof(verbs) / sizeof(*verbs))

static const struct verb *find_verb(const char *name)
{
	struct occ_suggestion suggestion;

	occ_suggestion_begin(&suggestion, name);
	for (size_t i = 0; i < VERBS; i++) {
		occ_suggestion_try(&suggestion, verbs[i].name);
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	}
	occ_message_error("database: it can list, show, merge or diff, not "
			  "'%s'%s%s%s",
			  name, suggestion.best ? "; did you mean " : "",
			  suggestion.best ? suggestion.best : "",
			  suggestion.best ? "?" : "");
	return NULL;
}

static bool takes(const struct verb *verb, const char *option)
{
	for (size_t i = 0; i < sizeof(verb->options) / sizeof(*verb->options) &&
			   verb->options[i];
	     i++)
		if (!strcmp(verb->options[i], option))
			return true;
	return false;
}

/* Options are the command's: of a verb that has no use for one, say so. */
static bool are_options_its(const struct verb *verb,
			    const struct occ_arguments *arguments)
{
	for (size_t i = 0; i < arguments->given_count; i++) {
		const char *name = arguments->given[i].option->name;

		if (takes(verb, name))
			continue;
		occ_message_error("database %s: takes no --%s", verb->name,
				  name);
		return false;
	}
	return true;
}

static int run(const struct occ_arguments *arguments)
{
	const struct verb *verb;
	size_t count = arguments->operand_count;

	if (!count) {
		occ_message_error("database: list, show, merge or diff? See "
				  "'oclcache database --help'");
		return OCC_EXIT_USAGE;
	}
	verb = find_verb(arguments->operands[0]);
	if (!verb || !are_options_its(verb, arguments))
		return OCC_EXIT_USAGE;
	count--;
	if (count < verb->least || (verb->most && count > verb->most)) {
		occ_message_error("database %s: of what? oclcache database %s "
				  "%s",
				  verb->name, verb->name, verb->operands);
		return OCC_EXIT_USAGE;
	}
	return verb->run(arguments, arguments->operands + 1, count);
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "list: all of it, for programs"},
	{"source", 0, NULL, "show: write the source, or IL, and nothing else"},
	{"file", 0, "PATH", "show: write this included file"},
	{"output", 'o', "FILE", "merge: the database to make, or to add to"},
	{"application", 0, "TEXT", "merge: only of such applications"},
	{"device", 0, "TEXT",
	 "merge: only for devices of such a name,\n"
	 "                          vendor or platform"},
	{"used-within", 0, "AGE",
	 "merge: only used within that time: 12h, 30d, 2w"},
	{"strip-paths", 0, NULL, "merge: nothing that says who and where"},
	{NULL},
};

const struct occ_command occ_command_database = {
	.name = "database",
	.summary = "see, join and compare databases of builds",
	.operands = "list|show|merge|diff FILE...",
	.details =
		"list FILE...            a line for each build, and sums\n"
		"show FILE BUILD         everything of one build\n"
		"merge -o OUT FILE...    make one of them, or a smaller one\n"
		"diff A B                which builds are in one of them only\n"
		"\n"
		"Databases are what 'oclcache record' writes and 'oclcache "
		"replay' compiles.\nBUILD is the beginning of a name that list "
		"shows.",
	.options = options,
	.run = run,
};
