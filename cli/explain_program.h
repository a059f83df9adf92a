/* SPDX-License-Identifier: MIT */
/*
 * Why builds of a program, or of a trace, weren't served: `oclcache explain
 * PROGRAM` and `oclcache explain --trace FILE`.
 *
 * From one thread.
 */
#ifndef OCC_CLI_EXPLAIN_PROGRAM_H
#define OCC_CLI_EXPLAIN_PROGRAM_H

#include <stdbool.h>

#include "cli/arguments.h"

/*
 * Is the first operand a program to be run, and no source file and no hash? One
 * in $PATH, unless the store has an entry whose hash begins with that name; an
 * executable file whose name doesn't end as a source's does; or a Python
 * script.
 */
bool occ_explain_program_is(const struct occ_arguments *arguments);

/*
 * Runs the operands under the layer with a trace of their own, and then says on
 * standard error, as JSON on standard output, or in the file of --output, what
 * became of the builds. The exit status, as of occ_program_run().
 */
int occ_explain_program(const struct occ_arguments *arguments);

/*
 * The same of a trace that is there ("-": standard input), on standard output.
 * A file that isn't a trace is an error.
 */
int occ_explain_program_trace(const char *path,
			      const struct occ_arguments *arguments);

#endif
