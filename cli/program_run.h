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
	bool quiet;	       /* say nothing at the end */
	const char *json_path; /* a file for what was done; NULL: none */
	bool needs_counters;   /* in `ended`, also when quiet */
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

/*
 * Has them use the store that --dir names, if it is given
 * (OCC_STORE_PATH_OPTION). False after an error was shown.
 */
bool occ_program_run_set_directory(const struct occ_arguments *arguments);

/* The exit status; of a program that a signal kills it doesn't return. */
int occ_program_run(char *const *command, const struct occ_program_run *run);

#endif
