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
	{"json", 0, NULL, "list: print everything as JSON"},
	{"wide", 0, NULL, "list: print whole names, however long"},
	{"source", 0, NULL, "show: write only the source, or IL"},
	{"file", 0, "PATH", "show: write only this included file"},
	{"output", 'o', "FILE", "merge: the database to create or add to"},
	{"application", 0, "TEXT",
	 "merge: only builds of applications with TEXT in\n"
	 "                          their path"},
	{"device", 0, "TEXT",
	 "merge: only builds for devices with TEXT in their\n"
	 "                          name, vendor or platform"},
	{"used-within", 0, "AGE",
	 "merge: only builds used within AGE: 12h, 30d, 2w"},
	{"strip-paths", 0, NULL, "merge: leave out private paths"},
	{NULL},
};

const struct occ_command occ_command_database = {
	.name = "database",
	.summary = "show, merge and compare databases of builds",
	.operands = "list|show|merge|diff FILE...",
	.details = "list FILE...            list the builds, one per line, and "
		   "totals\n"
		   "show FILE BUILD         show everything about one build\n"
		   "merge -o OUT FILE...    merge databases, or make a smaller "
		   "one\n"
		   "diff A B                show which builds are in only one "
		   "of the two\n"
		   "\n"
		   "'oclcache record' writes databases, and 'oclcache replay' "
		   "compiles what is in\n"
		   "them. BUILD is a build's name as 'list' shows it, or the "
		   "beginning of that name.",
	.options = options,
	.run = run,
};
