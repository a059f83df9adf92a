/* SPDX-License-Identifier: MIT */
/*
 * What programs gained, by day and by executable, for `oclcache report`.
 *
 * One thread.
 */
#ifndef OCC_CLI_REPORT_HISTORY_H
#define OCC_CLI_REPORT_HISTORY_H

#include "cli/gains.h"

/* Days that are told apart; what is earlier isn't shown by day. */
#define OCC_REPORT_DAYS	    90
/* A shorter history is shown at the end of so many. */
#define OCC_REPORT_DAYS_MIN 14

struct occ_report_history {
	struct occ_history rows; /* none: nothing was noted yet */
	/* Days since 1970, UTC. */
	int64_t first_day, last_day;
	/* The numbers of each day from the first on, and of all before it. */
	uint64_t days[OCC_REPORT_DAYS][OCC_HISTORY_NUMBERS];
	uint64_t earlier[OCC_HISTORY_NUMBERS];
	struct occ_gains programs; /* of all days */
};

/* `now`: s since 1970. */
void occ_report_history_read(struct occ_store *store, int64_t now,
			     struct occ_report_history *ret_history);
void occ_report_history_release(struct occ_report_history *history);

#endif
