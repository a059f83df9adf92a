/* SPDX-License-Identifier: MIT */
#include "cli/report_history.h"

#include <stdlib.h>
#include <string.h>

#include "cache/history.h"
#include "cli/message.h"
#include "cli/stats_history.h"

uint64_t occ_report_gain_builds(const struct occ_report_gain *gain)
{
	return gain->hits + gain->misses + gain->uncacheable;
}

static void add(struct occ_report_gain *gain, const struct occ_history_row *row)
{
	const uint64_t *numbers = row->numbers;

	gain->hits = occ_counters_plus(gain->hits, occ_history_hits(numbers));
	gain->misses =
		occ_counters_plus(gain->misses, numbers[OCC_HISTORY_MISSES]);
	gain->uncacheable = occ_counters_plus(gain->uncacheable,
					      numbers[OCC_HISTORY_UNCACHEABLE]);
	gain->saved_ns = occ_counters_plus(gain->saved_ns,
					   numbers[OCC_HISTORY_SAVED_NS]);
}

/* Rows come by day. A day after today is a clock's that was wrong. */
static void add_days(const struct occ_history *rows,
		     struct occ_report_history *history)
{
	int64_t earliest = history->last_day - OCC_REPORT_DAYS + 1;

	history->first_day = history->last_day - OCC_REPORT_DAYS_MIN + 1;
	if (rows->count && rows->rows[0].day < history->first_day)
		history->first_day = rows->rows[0].day;
	if (history->first_day < earliest)
		history->first_day = earliest;
	for (size_t i = 0; i < rows->count; i++) {
		const struct occ_history_row *row = &rows->rows[i];

		if (row->day > history->last_day)
			continue;
		add(row->day < history->first_day
			    ? &history->earlier
			    : &history->days[row->day - history->first_day],
		    row);
	}
}

static int compare_names(const void *one, const void *other)
{
	return strcmp((*(const struct occ_history_row *const *)one)->name,
		      (*(const struct occ_history_row *const *)other)->name);
}

static int compare_programs(const void *one, const void *other)
{
	const struct occ_report_program *a = one, *b = other;

	if (a->gain.saved_ns != b->gain.saved_ns)
		return a->gain.saved_ns < b->gain.saved_ns ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void add_programs(const struct occ_history *rows,
			 struct occ_report_history *history)
{
	const struct occ_history_row **order =
		occ_message_must(calloc(rows->count + 1, sizeof(*order)));
	struct occ_report_program *program;
	size_t count = 0;

	history->programs = program = occ_message_must(
		calloc(rows->count + 1, sizeof(*history->programs)));
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].day <= history->last_day)
			order[count++] = &rows->rows[i];
	qsort(order, count, sizeof(*order), compare_names);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_names(&order[i - 1], &order[i])) {
			program = &history->programs[history->program_count++];
			program->name =
				occ_message_must(strdup(order[i]->name));
		}
		add(&program->gain, order[i]);
	}
	qsort(history->programs, history->program_count,
	      sizeof(*history->programs), compare_programs);
	free(order);
}

void occ_report_history_read(struct occ_store *store, int64_t now,
			     struct occ_report_history *ret_history)
{
	struct occ_history rows;

	*ret_history = (struct occ_report_history){
		.last_day = now / OCC_HISTORY_DAY_S};
	if (occ_history_read(store, &rows) == OCC_OK && rows.count) {
		ret_history->any = true;
		add_days(&rows, ret_history);
		add_programs(&rows, ret_history);
	}
	occ_stats_history_warn(occ_store_directory(store), &rows);
	occ_history_release(&rows);
}

void occ_report_history_release(struct occ_report_history *history)
{
	for (size_t i = 0; i < history->program_count; i++)
		free(history->programs[i].name);
	free(history->programs);
}
