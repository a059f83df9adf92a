/* SPDX-License-Identifier: MIT */
/*
 * The included files of recorded builds: which of them are at their paths here,
 * and where the contents of the others are.
 */
#ifndef OCC_CLI_REPLAY_FILES_H
#define OCC_CLI_REPLAY_FILES_H

#include "cli/replay_places.h"

/*
 * Adds to the place what a step needs. NULL; or why it can't be had, static,
 * with *ret_detail, to be freed, or NULL.
 */
const char *occ_replay_files_add(struct occ_replay_places *places,
				 struct occ_span step,
				 struct occ_replay_place *place,
				 char **ret_detail);

/*
 * Has the entry of that hash in the store's directory the included files that
 * the step says? NULL, or the first path that differs, to be freed.
 * (cli/replay_proof.c)
 */
char *occ_replay_files_compare(const char *directory, const char *hash,
			       struct occ_span step);

#endif
