/* SPDX-License-Identifier: MIT */
/*
 * Is it worth compiling stale entries anew (cli/stale.h)? It is if programs
 * that were used lately aren't there for a driver that is here.
 *
 * Not for several threads at once; uses some of its own.
 */
#ifndef OCC_CLI_STALE_WORTH_H
#define OCC_CLI_STALE_WORTH_H

#include "cli/stale.h"

struct occ_stale_worth {
	size_t programs;       /* that would have to be compiled, */
	uint64_t compile_time; /* ns that it took before, where known */
};

/*
 * Of stale entries that were used within so many seconds, and aren't of
 * `gone` drivers. Programs are told by what their keys say but for the driver;
 * what was linked isn't counted, for its inputs are told by drivers' keys.
 * False after an error was shown.
 */
bool occ_stale_worth(struct occ_store *store, const struct occ_stale *stale,
		     int64_t used_within, struct occ_stale_worth *ret_worth);

#endif
