/* SPDX-License-Identifier: MIT */
#include "cli/stats_history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/file.h"
#include "cli/gains.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/units.h"

#define DATE_SIZE sizeof("2026-11-01")

struct view {
	const struct occ_stats_history *wanted;
	struct occ_history history;
	struct occ_gains gains;
	int64_t counted; /* the day on which the counters began */
};

bool occ_stats_history_parse(const struct occ_arguments *arguments,
			     struct occ_stats_history *ret_wanted)
{
	static const char *const others[] = {"openmetrics", "prometheus",
					     "zero"};
	const char *since = occ_arguments_value(arguments, "since");
	const char *by = occ_arguments_value(arguments, "by");

	*ret_wanted = (struct occ_stats_history){
		.is_asked = since || by,
		.by_day = by && !strcmp(by, "day"),
		.has_since = since,
	};
	if (by && !ret_wanted->by_day && strcmp(by, "program") != 0) {
		occ_message_error("stats: --by %s: use program or day", by);
		return false;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (ret_wanted->is_asked &&
		    occ_arguments_has(arguments, others[i])) {
			occ_message_error("stats: --%s can't be used together "
					  "with --%s",
					  others[i], since ? "since" : "by");
			return false;
		}
	if (since && !occ_units_parse_moment(since, &ret_wanted->since)) {
		occ_message_error("stats: --since %s: use a number of days or "
				  "weeks, such as 7d or 2w, or a date, such as "
				  "2026-11-01",
				  since);
		return false;
	}
	return true;
}

static const char *date_of(int64_t day, char ret_date[DATE_SIZE])
{
	time_t seconds = (time_t)(day * OCC_HISTORY_DAY_S);
	struct tm parts;

	if (!gmtime_r(&seconds, &parts) ||
	    !strftime(ret_date, DATE_SIZE, "%Y-%m-%d", &parts))
		snprintf(ret_date, DATE_SIZE, "?");
	return ret_date;
}

static int64_t first_wanted_day(const struct occ_stats_history *wanted)
{
	return wanted->since / OCC_HISTORY_DAY_S;
}

static void group(struct view *view)
{
	const struct occ_stats_history *wanted = view->wanted;
	int64_t first =
		wanted->has_since ? first_wanted_day(wanted) : INT64_MIN;
	int64_t now = occ_file_now();

	if (wanted->by_day)
		occ_gains_by_day(&view->history, first, now, &view->gains);
	else
		occ_gains_by_program(&view->history, first, now, &view->gains);
}

static void write_numbers(struct occ_json *json,
			  const uint64_t numbers[OCC_HISTORY_NUMBERS])
{
	static const struct {
		const char *name;
		enum occ_history_number number;
	} rest[] = {
		{"misses", OCC_HISTORY_MISSES},
		{"not_cacheable", OCC_HISTORY_UNCACHEABLE},
		{"failed", OCC_HISTORY_FAILED},
		{"saved_ns", OCC_HISTORY_SAVED_NS},
		{"compiled_ns", OCC_HISTORY_COMPILED_NS},
		{"loaded_ns", OCC_HISTORY_LOADED_NS},
		{"stored", OCC_HISTORY_STORED},
		{"stored_bytes", OCC_HISTORY_STORED_BYTES},
	};

	occ_json_number(json, "processes", numbers[OCC_HISTORY_PROCESSES]);
	occ_json_number(json, "builds", occ_history_builds(numbers));
	occ_json_begin(json, "hits", '{');
	occ_json_number(json, "total", occ_history_hits(numbers));
	occ_json_number(json, "local", numbers[OCC_HISTORY_LOCAL]);
	occ_json_number(json, "remote", numbers[OCC_HISTORY_REMOTE]);
	occ_json_end(json, '}');
	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
		occ_json_number(json, rest[i].name, numbers[rest[i].number]);
}

static void write_date(struct occ_json *json, const char *name, bool is_known,
		       int64_t day)
{
	char date[DATE_SIZE];

	if (is_known)
		occ_json_string(json, name, date_of(day, date));
	else
		occ_json_null(json, name);
}

static void show_json(const struct view *view, const char *directory)
{
	struct occ_json json = OCC_JSON_INIT(stdout);
	const struct occ_stats_history *wanted = view->wanted;
	char date[DATE_SIZE];

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", directory);
	write_date(&json, "since", wanted->has_since, first_wanted_day(wanted));
	write_date(&json, "history_begins", view->history.count,
		   view->history.count ? view->history.rows[0].day : 0);
	occ_json_begin(&json, "total", '{');
	write_numbers(&json, view->gains.total);
	occ_json_end(&json, '}');
	occ_json_begin(&json, wanted->by_day ? "days" : "programs", '[');
	for (size_t i = 0; i < view->gains.count; i++) {
		const struct occ_gain *one = &view->gains.rows[i];

		occ_json_begin(&json, NULL, '{');
		if (wanted->by_day)
			occ_json_string(&json, "day", date_of(one->day, date));
		else
			occ_json_string(&json, "program", one->name);
		write_numbers(&json, one->numbers);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

enum column { PROGRAM, DAY, BUILDS, HITS, RATE, SAVED, COMPILED, STORED };

static const struct occ_table_column columns[] = {
	[PROGRAM] = {"program", "PROGRAM", false, 12},
	[DAY] = {"day", "DAY", false, 0},
	[BUILDS] = {"builds", "BUILDS", true, 0, 1},
	[HITS] = {"hits", "HITS", true, 0},
	[RATE] = {"rate", "HIT RATE", true, 0, 2},
	[SAVED] = {"saved", "TIME SAVED", true, 0},
	[COMPILED] = {"compiled", "COMPILED", true, 0, 3},
	[STORED] = {"stored", "STORED", true, 0, 4},
};

static const char *rate_of(const uint64_t numbers[OCC_HISTORY_NUMBERS],
			   char memory[OCC_TABLE_CELL])
{
	uint64_t builds = occ_history_builds(numbers);

	if (!builds)
		return "-";
	snprintf(memory, OCC_TABLE_CELL, "%.1f %%",
		 100.0 * (double)occ_history_hits(numbers) / (double)builds);
	return memory;
}

static const char *cell(void *data, size_t row, unsigned column,
			char memory[OCC_TABLE_CELL])
{
	const struct view *view = data;
	const struct occ_gain *one = &view->gains.rows[row];
	const uint64_t *numbers = one->numbers;

	switch ((enum column)column) {
	case PROGRAM:
		return one->name;
	case DAY:
		return date_of(one->day, memory);
	case BUILDS:
		snprintf(memory, OCC_TABLE_CELL, "%" PRIu64,
			 occ_history_builds(numbers));
		return memory;
	case HITS:
		snprintf(memory, OCC_TABLE_CELL, "%" PRIu64,
			 occ_history_hits(numbers));
		return memory;
	case RATE:
		return rate_of(numbers, memory);
	case SAVED:
		return occ_units_time(numbers[OCC_HISTORY_SAVED_NS], memory);
	case COMPILED:
		return occ_units_time(numbers[OCC_HISTORY_COMPILED_NS], memory);
	case STORED:
		return occ_units_size(numbers[OCC_HISTORY_STORED_BYTES],
				      memory);
	}
	return "";
}

/* From when on, and what comes before the history. */
static void show_begin(const struct view *view)
{
	const struct occ_stats_history *wanted = view->wanted;
	int64_t begins = view->history.count ? view->history.rows[0].day : 0;
	char date[DATE_SIZE];

	if (!view->history.count) {
		puts("No history yet; it starts when a program next "
		     "builds something");
		return;
	}
	if (wanted->has_since)
		printf("Since %s 00:00 UTC (the history is kept by day)\n",
		       date_of(first_wanted_day(wanted), date));
	if (!wanted->has_since)
		printf("Since the history began, on %s (days are in UTC)\n",
		       date_of(begins, date));
	else if (first_wanted_day(wanted) < begins)
		printf("The history begins on %s%s\n", date_of(begins, date),
		       view->counted < begins
			       ? "; 'oclcache stats' without --since also "
				 "counts what came before"
			       : "");
}

static void show_table(struct view *view)
{
	const unsigned shown[] = {view->wanted->by_day ? DAY : PROGRAM,
				  BUILDS,
				  HITS,
				  RATE,
				  SAVED,
				  COMPILED,
				  STORED};
	const struct occ_table table = {
		.columns = columns,
		.shown = shown,
		.shown_count = sizeof(shown) / sizeof(*shown),
		.rows = view->gains.count,
		.cell = cell,
		.remedy = "--json",
		.data = view,
	};

	occ_table_print(&table);
}

static void show(struct view *view, const char *directory)
{
	uint64_t builds = occ_history_builds(view->gains.total);
	char saved[OCC_UNITS_SIZE], rate[OCC_TABLE_CELL];

	occ_screen_line("Directory: %s", directory);
	show_begin(view);
	if (!view->gains.count) {
		if (view->history.count)
			puts("Nothing was built in that time");
		return;
	}
	printf("%" PRIu64 " %s, %s hits; %s of compile time saved\n\n", builds,
	       builds == 1 ? "build" : "builds",
	       rate_of(view->gains.total, rate),
	       occ_units_time(view->gains.total[OCC_HISTORY_SAVED_NS], saved));
	show_table(view);
}

void occ_stats_history_warn(const char *directory,
			    const struct occ_history *history)
{
	if (history->damaged)
		occ_message_warning("%s/oclcache.history: %zu damaged %s left "
				    "out",
				    directory, history->damaged,
				    history->damaged == 1 ? "row is"
							  : "rows are");
}

static int64_t first_counted_day(struct occ_store *store)
{
	struct occ_counters counters;

	if (occ_counters_read(store, &counters) || !counters.since)
		return INT64_MAX;
	return counters.since / OCC_HISTORY_DAY_S;
}

bool occ_stats_history_show(struct occ_store *store,
			    const struct occ_stats_history *wanted, bool json)
{
	struct view view = {.wanted = wanted};
	const char *directory = occ_store_directory(store);
	int error = occ_history_read(store, &view.history);
	int read_errno = errno;

	if (error && error != OCC_E_NOT_FOUND) {
		occ_message_error("%s/oclcache.history: %s", directory,
				  error == OCC_E_FORBIDDEN ||
						  (error == OCC_E_IO &&
						   read_errno == ELOOP)
					  ? "it isn't a regular file, or "
					    "belongs to another user; remove it"
					  : occ_error_string(error));
		return false;
	}
	occ_stats_history_warn(directory, &view.history);
	view.counted = first_counted_day(store);
	group(&view);
	if (view.gains.future)
		occ_message_warning("%s/oclcache.history: %zu %s left out: a "
				    "clock was wrong",
				    directory, view.gains.future,
				    view.gains.future == 1
					    ? "row of days to come is"
					    : "rows of days to come are");
	if (json)
		show_json(&view, directory);
	else
		show(&view, directory);
	occ_gains_release(&view.gains);
	occ_history_release(&view.history);
	return true;
}
