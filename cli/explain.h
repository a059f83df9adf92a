/* SPDX-License-Identifier: MIT */
/*
 * The parts of `oclcache explain`: of a source file, and what is said of all
 * builds. All is written to standard output.
 *
 * From one thread.
 */
#ifndef OCC_CLI_EXPLAIN_H
#define OCC_CLI_EXPLAIN_H

#include "cache/entry_file.h"
#include "cli/catalogue.h"
#include "cli/entry_diff.h"

/* What says it of every build, also of those that aren't looked up. */
#define OCC_EXPLAIN_HOW_TO_KNOW                                                \
	"'oclcache explain PROGRAM ARGS' runs a program and explains each of " \
	"its builds"

/* Why the file isn't served: the exit status. Options may be NULL: any. */
int occ_explain_source(struct occ_store *store,
		       const struct occ_catalogue *catalogue, const char *path,
		       const char *options);

/* Reads an entry of the store; false: it is gone or bad. */
bool occ_explain_read(struct occ_store *store, const char *name,
		      struct occ_entry_file *whole);

/* "HASH: kernels, for device, options" */
void occ_explain_say_entry(const struct occ_entry_file *whole);

/* Where sources differ. */
void occ_explain_say_lines(const struct occ_lines *lines);

/* Builds that were never looked up have no trace, but were counted. */
void occ_explain_say_uncacheable(struct occ_store *store);

#endif
