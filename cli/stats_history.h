/* SPDX-License-Identifier: MIT */
/*
 * `stats --since` and `stats --by`: what a store's history has
 * (cache/history.h), by program or by day.
 */
#ifndef OCC_CLI_STATS_HISTORY_H
#define OCC_CLI_STATS_HISTORY_H

#include "cache/history.h"
#include "cache/store.h"
#include "cli/arguments.h"

/* For the `options` of the command. */
#define OCC_STATS_HISTORY_OPTIONS                                              \
	{"since", 0, "WHEN", "count only since WHEN: 7d, 2026-11-01"},         \
	{                                                                      \
		"by", 0, "WHAT", "show a table by 'program' or by 'day'"       \
	}

struct occ_stats_history {
	bool is_asked; /* for any of it; else the rest is nothing */
	bool by_day;
	bool has_since;
	int64_t since; /* s since 1970 */
};

/* False after an error was shown: a usage error. */
bool occ_stats_history_parse(const struct occ_arguments *arguments,
			     struct occ_stats_history *ret_wanted);

/* Says on standard error how many rows are damaged; nothing where none is. */
void occ_stats_history_warn(const char *directory,
			    const struct occ_history *history);

/* On standard output. False after an error was shown. */
bool occ_stats_history_show(struct occ_store *store,
			    const struct occ_stats_history *wanted, bool json);

#endif
