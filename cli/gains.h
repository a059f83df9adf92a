/* SPDX-License-Identifier: MIT */
/*
 * The rows of a store's history (cache/history.h) added up, by program or by
 * day.
 *
 * One thread. The command's memory: without it the process ends with an error.
 */
#ifndef OCC_CLI_GAINS_H
#define OCC_CLI_GAINS_H

#include "cache/history.h"

struct occ_gain {
	int64_t day;	  /* by day; since 1970, UTC */
	const char *name; /* by program; the history's */
	uint64_t numbers[OCC_HISTORY_NUMBERS];
};

struct occ_gains {
	struct occ_gain *rows;
	size_t count;
	uint64_t total[OCC_HISTORY_NUMBERS];
	size_t future; /* rows of days to come, by a wrong clock: left out */
};

/*
 * Of days from `first_day` on, `now` being s since 1970; a day of tomorrow is
 * taken, for another machine's clock may be ahead. By program, whichever gained
 * most comes first; by day, the earliest. To be released before the history.
 */
void occ_gains_by_program(const struct occ_history *history, int64_t first_day,
			  int64_t now, struct occ_gains *ret_gains);
void occ_gains_by_day(const struct occ_history *history, int64_t first_day,
		      int64_t now, struct occ_gains *ret_gains);
void occ_gains_release(struct occ_gains *gains);

#endif
