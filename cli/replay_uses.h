/* SPDX-License-Identifier: MIT */
/*
 * The uses of databases (cli/records.h) that count for a replay, by their
 * build.
 */
#ifndef OCC_CLI_REPLAY_USES_H
#define OCC_CLI_REPLAY_USES_H

#include "cli/record_view.h"
#include "cli/records.h"

struct occ_replay_use {
	struct occ_use_view view;
	struct occ_span record;
};

struct occ_replay_uses {
	struct occ_replay_use *items; /* by build, the latest first */
	size_t count;
};

/* Those by applications with that text in their name; NULL: all. */
void occ_replay_uses_make(const struct occ_records *records,
			  const char *application,
			  struct occ_replay_uses *ret_uses);
void occ_replay_uses_release(struct occ_replay_uses *uses);

/* The uses of a build; how many. */
size_t occ_replay_uses_of(const struct occ_replay_uses *uses,
			  const struct occ_digest *build,
			  const struct occ_replay_use **ret_first);

#endif
