/* SPDX-License-Identifier: MIT */
#include "cli/report_history.h"

#include "cli/stats_history.h"

static void choose_days(const struct occ_gains *gains, int64_t now,
			struct occ_report_history *history)
{
	int64_t last = now / OCC_HISTORY_DAY_S, first, earliest;

	if (gains->count && gains->rows[gains->count - 1].day > last)
		last = gains->rows[gains->count - 1].day;
	first = last - OCC_REPORT_DAYS_MIN + 1;
	earliest = last - OCC_REPORT_DAYS + 1;
	if (gains->count && gains->rows[0].day < first)
		first = gains->rows[0].day;
	history->first_day = first < earliest ? earliest : first;
	history->last_day = last;
}

static void add_days(int64_t now, struct occ_report_history *history)
{
	struct occ_gains gains;

	occ_gains_by_day(&history->rows, INT64_MIN, now, &gains);
	choose_days(&gains, now, history);
	for (size_t i = 0; i < gains.count; i++) {
		int64_t at = gains.rows[i].day - history->first_day;

		occ_history_sum(at < 0 ? history->earlier : history->days[at],
				gains.rows[i].numbers);
	}
	occ_gains_release(&gains);
}

void occ_report_history_read(struct occ_store *store, int64_t now,
			     struct occ_report_history *ret_history)
{
	*ret_history = (struct occ_report_history){0};
	occ_history_read(store, &ret_history->rows);
	occ_stats_history_warn(occ_store_directory(store), &ret_history->rows);
	add_days(now, ret_history);
	occ_gains_by_program(&ret_history->rows, INT64_MIN, now,
			     &ret_history->programs);
}

void occ_report_history_release(struct occ_report_history *history)
{
	occ_gains_release(&history->programs);
	occ_history_release(&history->rows);
}
