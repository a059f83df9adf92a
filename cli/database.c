/* SPDX-License-Identifier: MIT */
/*
 * oclcache database: what is in databases of builds, and making one of several.
 */
#include "cli/database.h"

#include <stdint.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/verb.h"

enum { LIST, SHOW, MERGE, DIFF, VERBS };

static const struct occ_verb verbs[VERBS] = {
	[LIST] = {"list", "FILE...", 1, SIZE_MAX, {"json", "wide"}},
	[SHOW] = {"show", "FILE BUILD", 2, 2, {"source", "file"}},
	[MERGE] = {"merge",
		   "-o OUT FILE...",
		   1,
		   SIZE_MAX,
		   {"output", "application", "device", "used-within",
		    "strip-paths"}},
	[DIFF] = {"diff", "A B", 2, 2, {NULL}},
};

static int (*const actions[VERBS])(const struct occ_arguments *arguments,
				   char *const *operands, size_t count) = {
	[LIST] = occ_database_command_list,
	[SHOW] = occ_database_command_show,
	[MERGE] = occ_database_command_merge,
	[DIFF] = occ_database_command_diff,
};

static int run(const struct occ_arguments *arguments)
{
	size_t chosen = occ_verb_choose("database", verbs, VERBS, arguments);

	if (chosen == VERBS)
		return OCC_EXIT_USAGE;
	return actions[chosen](arguments, arguments->operands + 1,
			       arguments->operand_count - 1);
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "list: all of it, for programs"},
	{"wide", 0, NULL, "list: whole names, however long the lines are"},
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
