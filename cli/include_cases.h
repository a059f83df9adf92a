/* SPDX-License-Identifier: MIT */
/*
 * Programs that show where a driver looks for included files: the name of a
 * program's kernel comes from the file that was read. Each is a case that has
 * one right answer; a driver that gives all of them looks where the layer does
 * (OCC_SEARCH_USUAL, cache/traits.h).
 *
 * Calling sequence: occ_include_cases_write() in the command, then the rest in
 * children of it (cli/child.h), for it changes the current directory.
 */
#ifndef OCC_CLI_INCLUDE_CASES_H
#define OCC_CLI_INCLUDE_CASES_H

#include <stdbool.h>

#include "cli/opencl.h"

/* The same for all children of one trial. */
struct occ_include_cases {
	const char
		*root; /* a directory of ours, with nothing odd in its path */
	const char *name; /* no program of anybody has it; of letters, digits */
	/* In the child. */
	const struct occ_opencl_device *device;
	void *context;
};

/* Writes the files that are included. False: they can't be written. */
bool occ_include_cases_write(const struct occ_include_cases *cases);

/*
 * Every way to name a file, and a name that there is nowhere. NULL: the driver
 * gives the right answers; else what it was asked first that it doesn't.
 */
const char *occ_include_cases_places(struct occ_include_cases *cases);

/*
 * Does a build have what the file says now? It is written before each; `first`
 * and others: a number for each build in all of the children. The program takes
 * so long to compile that a cache would keep it.
 */
const char *occ_include_cases_change(struct occ_include_cases *cases,
				     int number);

/*
 * Puts a file into the directory, and into all those below it, that must not be
 * found there. To be called where drivers write sources or headers.
 */
void occ_include_cases_plant(const struct occ_include_cases *cases,
			     const char *directory, bool below);
/* Must be called for the first one in the end. */
void occ_include_cases_unplant(const struct occ_include_cases *cases,
			       const char *directory);
const char *occ_include_cases_planted(struct occ_include_cases *cases);

#endif
