/* SPDX-License-Identifier: MIT */
/*
 * What a process must be before it builds what an application has built: its
 * environment, the name of its executable, its current directory, and the files
 * that are found at certain paths. Each differs from this command's only where
 * it must.
 */
#ifndef OCC_CLI_WORKER_PLACE_H
#define OCC_CLI_WORKER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/placed_files.h"

struct occ_worker_place {
	/* NAME=value NUL ... NUL, NAME alone: not set; NULL: as it is. */
	char *environment;
	char *executable; /* the name of its file; NULL: this command's */
	char *directory;  /* the current one; NULL: as it is */
	struct occ_placed_files files;
};

bool occ_worker_place_equal(const struct occ_worker_place *one,
			    const struct occ_worker_place *other);

void occ_worker_place_release(struct occ_worker_place *place);

/*
 * In a child: becomes so, but for the executable. NULL: it has; else why not, a
 * text that is never freed.
 */
const char *occ_worker_place_enter(const struct occ_worker_place *place,
				   const char *scratch);

#endif
