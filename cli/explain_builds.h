/* SPDX-License-Identifier: MIT */
/*
 * What became of the builds of a trace, in words: grouped by outcome and
 * reason, with what would change it.
 *
 * From one thread.
 */
#ifndef OCC_CLI_EXPLAIN_BUILDS_H
#define OCC_CLI_EXPLAIN_BUILDS_H

#include <stdio.h>

#include "cli/trace_builds.h"
#include "hash/reason.h"

/*
 * A paragraph for each group, with five of its builds; what was served has only
 * its number, in the first line. Sorts nothing of what it is given.
 */
void occ_explain_builds_show(FILE *stream,
			     const struct occ_trace_builds *builds);

/* The same as an object, with all builds. */
void occ_explain_builds_write_json(FILE *stream,
				   const struct occ_trace_builds *builds);

/* What a reason means, what would change it, and where more is said. */
void occ_explain_builds_show_reason(FILE *stream, enum occ_reason reason);

#endif
