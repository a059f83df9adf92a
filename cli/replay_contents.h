/* SPDX-License-Identifier: MIT */
/*
 * The contents of recorded included files: are they at their paths, and if not,
 * files of this command that have them, in the places' scratch directory.
 */
#ifndef OCC_CLI_REPLAY_CONTENTS_H
#define OCC_CLI_REPLAY_CONTENTS_H

#include "cli/record_view.h"
#include "cli/replay_places.h"

/*
 * Is it the file at that path? Only files of bytes are opened, and each once in
 * the life of the places.
 */
bool occ_replay_contents_are_here(struct occ_replay_places *places,
				  const char *path,
				  const struct occ_recorded_file *file);

/*
 * A file that has it, to be freed. NULL with *ret_fault, static: it isn't in
 * the databases, or no source.
 */
char *occ_replay_contents_file(struct occ_replay_places *places,
			       const struct occ_digest *name, uint64_t size,
			       const char **ret_fault);

/* One of no bytes, to be freed. */
char *occ_replay_contents_none(struct occ_replay_places *places);

#endif
