/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/counters.h"
#include "cache/directory.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cli/command.h"
#include "cli/counts.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/nvidia/nvidia.h"
#include "cli/openmetrics.h"
#include "cli/screen.h"
#include "cli/stats_history.h"
#include "cli/store_path.h"
#include "cli/units.h"

/* What there is to be shown. */
struct stats {
	const char *directory;
	struct occ_counters counters;
	uint64_t entries;
	uint64_t included; /* contents of included files (of `bytes`) */
	uint64_t included_bytes;
	uint64_t bytes;
	uint64_t max_bytes; /* 0: no limit */
	struct occ_nvidia_counts waiting;
};

/* A directory that isn't there is an empty store. False after an error. */
static bool look(struct stats *stats)
{
	struct occ_listing listing;
	int directory, error;

	error = occ_directory_open(stats->directory, OCC_DIRECTORY_READ_ONLY,
				   &directory);
	if (error == OCC_E_NO_DIRECTORY)
		return true;
	if (!error) {
		error = occ_listing_scan(directory, &listing);
		occ_file_close(directory);
	}
	if (error) {
		occ_message_error("%s: %s", stats->directory,
				  occ_error_string(error));
		return false;
	}
	for (size_t i = 0; i < listing.count; i++) {
		const struct occ_listing_file *file = listing.files[i];

		stats->entries += file->kind == OCC_NAME_ENTRY;
		if (file->kind != OCC_NAME_INCLUDED)
			continue;
		stats->included++;
		stats->included_bytes += file->size;
	}
	stats->bytes = listing.total;
	occ_listing_release(&listing);
	return true;
}

static bool gather(struct occ_store *store, struct stats *stats)
{
	int error = occ_counters_read(store, &stats->counters);

	stats->directory = occ_store_directory(store);
	if (error && error != OCC_E_NOT_FOUND)
		occ_message_warning("%s/oclcache.counters: %s; %s",
				    stats->directory, occ_counts_fault(error),
				    occ_counts_advice(error));
	stats->max_bytes = occ_store_path_max_size();
	if (!look(stats))
		return false;
	return !occ_nvidia_may_wait(store) ||
	       occ_nvidia_count(store, false, &stats->waiting);
}

static void show_json(const struct stats *stats)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", stats->directory);
	if (stats->counters.since)
		occ_json_number(&json, "since",
				(uint64_t)stats->counters.since);
	else
		occ_json_null(&json, "since");
	occ_counts_write_json(&json, &stats->counters);
	occ_json_begin(&json, "store", '{');
	occ_json_number(&json, "entries", stats->entries);
	occ_json_number(&json, "included_files", stats->included);
	occ_json_number(&json, "included_bytes", stats->included_bytes);
	occ_json_number(&json, "bytes", stats->bytes);
	occ_json_number(&json, "max_bytes", stats->max_bytes);
	occ_nvidia_write_json(&json, &stats->waiting);
	occ_json_end(&json, '}');
	occ_json_end(&json, '}');
}

static void show_metrics(const struct stats *stats,
			 enum occ_openmetrics_format format)
{
	const struct occ_openmetrics_store store = {stats->entries,
						    stats->bytes,
						    stats->max_bytes};

	occ_openmetrics_write(stdout, format, &stats->counters, &store);
}

/* Columns: where values begin and end, and where what follows them begins. */
#define VALUE_COLUMN 44
#define VALUE_WIDTH  10

/* "  label:      12 (40.0 %)"; `of` 0: no percentage. */
static void show_text(unsigned depth, const char *label, const char *value,
		      uint64_t part, uint64_t of)
{
	size_t length = strlen(label);
	size_t columns =
		(size_t)2 * depth + occ_screen_columns(label, length) + 1;

	printf("%*s", (int)(2 * depth), "");
	occ_screen_write(stdout, label, length, true);
	putchar(':');
	/* A long reason has a line of its own. */
	if (columns > VALUE_COLUMN) {
		putchar('\n');
		columns = 0;
	}
	printf("%*s%*s", (int)(VALUE_COLUMN - columns), "", VALUE_WIDTH, value);
	if (of)
		printf("  (%5.1f %%)", 100.0 * (double)part / (double)of);
	putchar('\n');
}

static void show_count(unsigned depth, const char *label, uint64_t count,
		       uint64_t of)
{
	char value[OCC_UNITS_SIZE];

	snprintf(value, sizeof(value), "%" PRIu64, count);
	show_text(depth, label, value, count, of);
}

static void show_time(const char *label, uint64_t ns)
{
	char value[OCC_UNITS_SIZE];

	show_text(1, label, occ_units_time(ns, value), 0, 0);
}

static void show_size(unsigned depth, const char *label, uint64_t bytes)
{
	char value[OCC_UNITS_SIZE];

	show_text(depth, label, occ_units_size(bytes, value), 0, 0);
}

/* Where there are any. */
static void show_if_any(unsigned depth, const char *label, uint64_t count,
			uint64_t of)
{
	if (count)
		show_count(depth, label, count, of);
}

/* Most often first. */
static int compare(const void *left, const void *right)
{
	const struct occ_counted_reason *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void show_reasons(const struct occ_counters *counters,
			 enum occ_counted kind, uint64_t of)
{
	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == kind)
			show_count(2, counters->reasons[i].text,
				   counters->reasons[i].count, of);
}

static void show_builds(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;
	uint64_t builds = occ_counters_builds(counters);
	uint64_t hits = occ_counters_hits(counters);
	uint64_t misses = numbers[OCC_COUNT_MISSES];
	uint64_t others = numbers[OCC_COUNT_UNCACHEABLE];

	show_count(0, "Builds", builds, 0);
	show_count(1, "Hits", hits, builds);
	show_if_any(2, "store", numbers[OCC_COUNT_STORE], hits);
	show_if_any(2, "read-only store", numbers[OCC_COUNT_READ_ONLY], hits);
	show_if_any(2, "memory", numbers[OCC_COUNT_MEMORY], hits);
	show_if_any(2, "loaded before", numbers[OCC_COUNT_LIVE], hits);
	show_if_any(2, "remote storage", numbers[OCC_COUNT_REMOTE], hits);
	show_count(1, "Misses", misses, builds);
	show_reasons(counters, OCC_COUNTED_MISS, misses);
	show_count(1, "Not cacheable", others, builds);
	show_reasons(counters, OCC_COUNTED_UNCACHEABLE, others);
	show_if_any(1, "Refused (OCLCACHE_MODE)", numbers[OCC_COUNT_REFUSED],
		    builds);
	show_if_any(1, "Failed to compile", numbers[OCC_COUNT_FAILED], builds);
	show_if_any(1, "Hits compiled later", numbers[OCC_COUNT_MATERIALISED],
		    hits);
}

static void show_times(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;

	puts("Time");
	show_time("Cold compile time avoided", numbers[OCC_COUNT_SAVED_NS]);
	if (numbers[OCC_COUNT_SAVED_WITH_OWN_CACHE_NS])
		show_time("  where drivers also cache",
			  numbers[OCC_COUNT_SAVED_WITH_OWN_CACHE_NS]);
	show_time("Compile time spent", numbers[OCC_COUNT_COMPILED_NS]);
	show_time("Answering hits", numbers[OCC_COUNT_LOADED_NS]);
	if (numbers[OCC_COUNT_WAITS])
		show_time("Waiting for others", numbers[OCC_COUNT_WAITED_NS]);
}

static void show_traffic(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;
	uint64_t kept_out = numbers[OCC_COUNT_NOT_STORED];
	uint64_t errors = numbers[OCC_COUNT_ERRORS];

	puts("Entries");
	show_size(1, "Read", numbers[OCC_COUNT_READ_BYTES]);
	show_count(1, "Stored", numbers[OCC_COUNT_STORED], 0);
	show_size(1, "Binaries stored", numbers[OCC_COUNT_STORED_BYTES]);
	show_if_any(1, "Completed later", numbers[OCC_COUNT_IMPROVED], 0);
	show_if_any(1, "Left out", kept_out, 0);
	show_reasons(counters, OCC_COUNTED_NOT_STORED, kept_out);
	show_if_any(1, "Evicted", numbers[OCC_COUNT_EVICTED], 0);
	show_count(1, "Errors", errors, 0);
	show_reasons(counters, OCC_COUNTED_ERROR, errors);
}

/* Where one was asked, or told, at all. */
static void show_remote(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;
	uint64_t lookups = numbers[OCC_COUNT_REMOTE_LOOKUPS];
	uint64_t errors = numbers[OCC_COUNT_REMOTE_ERRORS];
	uint64_t refused = numbers[OCC_COUNT_REMOTE_REFUSED];
	uint64_t failed_puts = numbers[OCC_COUNT_REMOTE_PUT_ERRORS];

	if (!lookups && !errors && !failed_puts &&
	    !numbers[OCC_COUNT_REMOTE_PUTS])
		return;
	puts("Remote storage");
	show_count(1, "Entries requested", lookups, 0);
	show_if_any(2, "served", numbers[OCC_COUNT_REMOTE], lookups);
	show_if_any(2, "refused", refused, lookups);
	/* Of all questions: a put or a lease may have failed, too. */
	show_count(1, "Failed", errors, 0);
	show_reasons(counters, OCC_COUNTED_REMOTE,
		     errors + refused + failed_puts);
	show_time("Time spent asking", numbers[OCC_COUNT_REMOTE_NS]);
	show_size(1, "Received", numbers[OCC_COUNT_REMOTE_BYTES]);
	show_count(1, "Entries handed to the helper",
		   numbers[OCC_COUNT_REMOTE_PUTS], 0);
	show_size(1, "Their size", numbers[OCC_COUNT_REMOTE_PUT_BYTES]);
	show_if_any(1, "Entries it didn't accept", failed_puts, 0);
	if (numbers[OCC_COUNT_LEASE_WAITS]) {
		show_count(1, "Waits for other machines",
			   numbers[OCC_COUNT_LEASE_WAITS], 0);
		show_time("Time spent waiting",
			  numbers[OCC_COUNT_LEASE_WAITED_NS]);
	}
}

/* What was used is said before what wasn't. */
static void show_ahead(unsigned depth, const char *label, uint64_t all,
		       uint64_t used)
{
	show_count(depth, label, all, 0);
	show_count(depth + 1, "used", used, all);
	show_count(depth + 1, "wasted", all > used ? all - used : 0, all);
}

static void show_prefetch(const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;

	if (!numbers[OCC_COUNT_READ_AHEAD])
		return;
	puts("Loaded ahead");
	show_ahead(1, "Entries read", numbers[OCC_COUNT_READ_AHEAD],
		   numbers[OCC_COUNT_READ_AHEAD_USED]);
	show_ahead(1, "Programs loaded", numbers[OCC_COUNT_LOADED_AHEAD],
		   numbers[OCC_COUNT_LOADED_AHEAD_USED]);
}

static void show_store(const struct stats *stats)
{
	char value[OCC_UNITS_SIZE];

	puts("Store");
	show_count(1, "Entries", stats->entries, 0);
	show_if_any(1, "Included files kept for replay", stats->included, 0);
	show_text(1, "Size", occ_units_size(stats->bytes, value), stats->bytes,
		  stats->max_bytes);
	if (stats->max_bytes)
		show_size(1, "Maximum", stats->max_bytes);
	else
		show_text(1, "Maximum", "none", 0, 0);
}

/* Of entries of NVIDIA's driver, where there are any. */
static void show_waiting(const struct occ_nvidia_counts *waiting)
{
	size_t all = waiting->done + waiting->waiting + waiting->left;

	if (!all)
		return;
	puts("Device code for NVIDIA's driver");
	show_count(1, "Entries with device code", waiting->done, all);
	show_count(1, "Waiting for 'oclcache upgrade'", waiting->waiting, all);
	show_if_any(1, "Left without it", waiting->left, all);
	for (size_t i = 0; i < waiting->reason_count; i++)
		show_count(2, waiting->reasons[i].text,
			   waiting->reasons[i].count, waiting->left);
}

static void show(struct stats *stats)
{
	struct occ_counters *counters = &stats->counters;
	char moment[OCC_UNITS_SIZE], age[OCC_UNITS_SIZE];

	qsort(counters->reasons, counters->reason_count,
	      sizeof(*counters->reasons), compare);
	occ_screen_line("Directory: %s", stats->directory);
	if (counters->since) {
		printf("Counted since %s (%s)\n",
		       occ_units_moment(counters->since, moment),
		       occ_units_age((int64_t)time(NULL) - counters->since,
				     age));
		show_builds(counters);
		show_times(counters);
		show_traffic(counters);
		show_remote(counters);
		show_prefetch(counters);
	} else {
		puts("Nothing has been counted yet; try 'oclcache run "
		     "PROGRAM'");
	}
	show_store(stats);
	show_waiting(&stats->waiting);
}

/* One that isn't there has nothing to forget, and isn't made. */
static int zero(const struct occ_arguments *arguments)
{
	struct occ_store *store = occ_store_path_open(arguments, true);
	uint64_t size;
	int error;

	if (!store)
		return OCC_EXIT_FAILED;
	error = occ_store_measure(store, &size);
	if (!error)
		error = occ_counters_reset(store);
	else if (error == OCC_E_NO_DIRECTORY)
		error = OCC_OK;
	if (error)
		occ_message_error(
			"%s/oclcache.counters: %s; the counters were not reset",
			occ_store_directory(store), occ_counts_fault(error));
	occ_store_close(store);
	return error ? OCC_EXIT_FAILED : OCC_EXIT_OK;
}

static int run(const struct occ_arguments *arguments)
{
	struct stats stats = {.entries = 0};
	struct occ_stats_history history;
	struct occ_store *store;
	int status = OCC_EXIT_FAILED;

	if (!occ_arguments_expect(arguments, "stats", 0,
				  "to name a store, type --dir DIR"))
		return OCC_EXIT_USAGE;
	if (!occ_stats_history_parse(arguments, &history))
		return OCC_EXIT_USAGE;
	if (occ_arguments_has(arguments, "zero"))
		return zero(arguments);
	store = occ_store_path_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	if (history.is_asked) {
		if (occ_stats_history_show(store, &history,
					   occ_arguments_has(arguments,
							     "json")))
			status = OCC_EXIT_OK;
	} else if (gather(store, &stats)) {
		if (occ_arguments_has(arguments, "json"))
			show_json(&stats);
		else if (occ_arguments_has(arguments, "openmetrics"))
			show_metrics(&stats, OCC_OPENMETRICS);
		else if (occ_arguments_has(arguments, "prometheus"))
			show_metrics(&stats, OCC_PROMETHEUS_TEXT);
		else
			show(&stats);
		status = OCC_EXIT_OK;
	}
	occ_nvidia_release(&stats.waiting);
	occ_store_close(store);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print JSON; times are in nanoseconds"},
	{"openmetrics", 0, NULL, "print OpenMetrics 1.0"},
	{"prometheus", 0, NULL,
	 "print what node_exporter's textfile collector reads"},
	{"zero", 'z', NULL, "reset the counters"},
	OCC_STATS_HISTORY_OPTIONS,
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_stats = {
	.name = "stats",
	.summary = "show what the cache has done so far",
	.details =
		"Shows a store's counters, summed over all programs that used\n"
		"it. Programs write their counts every few seconds and when\n"
		"they exit. Time saved is the original compile time minus the\n"
		"time that loading from the cache took.",
	.options = options,
	.run = run,
};
