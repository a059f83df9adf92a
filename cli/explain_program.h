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
 * Is the operand a program to be run, and no source file and no hash? One in
 * $PATH, or an executable file whose name doesn't end as a source's does.
 */
bool occ_explain_program_is(const char *operand);

/*
 * Runs the operands under the layer with a trace of their own, and then says on
 * standard error, or as JSON on standard output, what became of the builds. The
 * exit status, as of occ_program_run().
 */
int occ_explain_program(const struct occ_arguments *arguments);

/* The same of a trace that is there, on standard output. */
int occ_explain_program_trace(const char *path, bool json);

#endif
