/* SPDX-License-Identifier: MIT */
/*
 * The first operand of commands that do several things: `oclcache key list`.
 */
#ifndef OCC_CLI_VERB_H
#define OCC_CLI_VERB_H

#include <stddef.h>

#include "cli/arguments.h"

/* A verb takes at most so many of the command's options. */
#define OCC_VERB_OPTIONS 6

struct occ_verb {
	const char *name;
	const char *operands; /* as usage shows them: "FILE BUILD"; "": none */
	size_t least, most;   /* how many operands */
	/* Those of the command's options that it takes; NULL at the end. */
	const char *options[OCC_VERB_OPTIONS];
};

/*
 * Finds the verb that `arguments` begins with, and checks that its operands are
 * as many as it takes and that each option is one of its own. Gives its index;
 * `count` after an error was shown: end with OCC_EXIT_USAGE.
 */
size_t occ_verb_choose(const char *command, const struct occ_verb *verbs,
		       size_t count, const struct occ_arguments *arguments);

#endif
