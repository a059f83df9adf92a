/* SPDX-License-Identifier: MIT */
/*
 * What programs gained, by day and by executable, for `oclcache report`.
 *
 * One thread.
 */
#ifndef OCC_CLI_REPORT_HISTORY_H
#define OCC_CLI_REPORT_HISTORY_H

#include "cache/store.h"

struct occ_report_gain {
	uint64_t hits, misses, uncacheable; /* builds */
	uint64_t saved_ns;
};

/* Days that are told apart; what is earlier isn't shown by day. */
#define OCC_REPORT_DAYS	    90
/* A shorter history is shown at the end of so many. */
#define OCC_REPORT_DAYS_MIN 14

struct occ_report_program {
	char *name;
	struct occ_report_gain gain;
};

struct occ_report_history {
	bool any; /* else nothing was noted yet */
	/* Days since 1970, UTC; `last` is today. */
	int64_t first_day, last_day;
	struct occ_report_gain days[OCC_REPORT_DAYS]; /* from the first */
	struct occ_report_gain earlier;
	/* Of all days, by time saved, most first. */
	struct occ_report_program *programs;
	size_t program_count;
};

/* `now`: s since 1970. */
void occ_report_history_read(struct occ_store *store, int64_t now,
			     struct occ_report_history *ret_history);
void occ_report_history_release(struct occ_report_history *history);

uint64_t occ_report_gain_builds(const struct occ_report_gain *gain);

#endif
