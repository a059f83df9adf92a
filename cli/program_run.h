/* SPDX-License-Identifier: MIT */
/*
 * Runs a program under the layer, and says what its processes did: what `run`
 * and `record` have in common. The program has our streams, signals and place,
 * as of cli/follow.h.
 *
 * Calling sequence: whatever is to be set of the environment, then
 * occ_program_run(), once.
 */
#ifndef OCC_CLI_PROGRAM_RUN_H
#define OCC_CLI_PROGRAM_RUN_H

#include "cache/counters.h"
#include "cli/arguments.h"

struct occ_program_run {
	bool quiet; /* say nothing at the end */
	/* A file for what was done; "-": standard output; NULL: none. */
	const char *json_path;
	bool needs_counters; /* in `ended`, also when quiet */
	bool tells_builds;   /* `ended` does: no line says what was built */
	/*
	 * Called when it has ended, after what is said of it; NULL: nothing
	 * is. `counters` NULL: they aren't known. Not if it couldn't be
	 * started.
	 */
	void (*ended)(const struct occ_counters *counters, void *data);
	void *data;
};

/* For the program and all that it starts. */
void occ_program_run_set(const char *name, const char *value);

/* Has the layer write its trace to the file of that absolute path. */
void occ_program_run_set_trace(const char *path);

/*
 * Has them use the store that --dir names, if it is given
 * (OCC_STORE_PATH_OPTION). False after an error was shown.
 */
bool occ_program_run_set_directory(const struct occ_arguments *arguments);

/* The exit status; of a program that a signal kills it doesn't return. */
int occ_program_run(char *const *command, const struct occ_program_run *run);

#endif
