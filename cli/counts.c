/* SPDX-License-Identifier: MIT */
#include "cli/counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache/error.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/units.h"
#include "hash/reason.h"

/* Why builds weren't cacheable, in one line. */
#define REASONS_SHOWN 2

struct item {
	enum occ_counter counter;
	const char *name;
};

/* An item for each counter of a table that ends without a name. */
static void write_items(struct occ_json *json,
			const struct occ_counters *counters,
			const struct item *item)
{
	for (; item->name; item++)
		occ_json_number(json, item->name,
				counters->numbers[item->counter]);
}

/* The same by their names. A text of an older version may have none. */
static void write_names(struct occ_json *json,
			const struct occ_counters *counters,
			enum occ_counted kind)
{
	occ_json_begin(json, "names", '{');
	for (size_t i = 0; i < counters->reason_count; i++) {
		enum occ_reason reason =
			occ_reason_of_text(counters->reasons[i].text);

		if (counters->reasons[i].kind == kind && reason)
			occ_json_number(json, occ_reason_name(reason),
					counters->reasons[i].count);
	}
	occ_json_end(json, '}');
}

/* A number and the reasons that it is made of. */
static void write_by_reason(struct occ_json *json,
			    const struct occ_counters *counters,
			    const char *name, enum occ_counter total,
			    enum occ_counted kind)
{
	occ_json_begin(json, name, '{');
	occ_json_number(json, "total", counters->numbers[total]);
	occ_json_begin(json, "reasons", '{');
	for (size_t i = 0; i < counters->reason_count; i++)
		if (counters->reasons[i].kind == kind)
			occ_json_number(json, counters->reasons[i].text,
					counters->reasons[i].count);
	occ_json_end(json, '}');
	write_names(json, counters, kind);
	occ_json_end(json, '}');
}

static const struct item json_tiers[] = {
	{OCC_COUNT_LIVE, "live_program"},
	{OCC_COUNT_MEMORY, "memory"},
	{OCC_COUNT_STORE, "store"},
	{OCC_COUNT_READ_ONLY, "read_only_store"},
	{OCC_COUNT_REMOTE, "remote"},
	{0, NULL},
};
static const struct item prefetch[] = {
	{OCC_COUNT_READ_AHEAD, "entries_read"},
	{OCC_COUNT_READ_AHEAD_USED, "entries_used"},
	{OCC_COUNT_LOADED_AHEAD, "programs_loaded"},
	{OCC_COUNT_LOADED_AHEAD_USED, "programs_used"},
	{0, NULL},
};
static const struct item remote[] = {
	{OCC_COUNT_REMOTE_LOOKUPS, "lookups"},
	{OCC_COUNT_REMOTE_BYTES, "received_bytes"},
	{OCC_COUNT_REMOTE_REFUSED, "not_admitted"},
	{OCC_COUNT_REMOTE_NS, "asking_ns"},
	{OCC_COUNT_REMOTE_PUTS, "puts"},
	{OCC_COUNT_REMOTE_PUT_BYTES, "sent_bytes"},
	{OCC_COUNT_REMOTE_PUT_ERRORS, "put_errors"},
	{OCC_COUNT_LEASE_WAITS, "lease_waits"},
	{OCC_COUNT_LEASE_WAITED_NS, "lease_waited_ns"},
	{0, NULL},
};
static const struct item rest[] = {
	{OCC_COUNT_REFUSED, "refused"},
	{OCC_COUNT_FAILED, "failed"},
	{OCC_COUNT_MATERIALISED, "compiled_after_all"},
	{OCC_COUNT_SAVED_NS, "saved_ns"},
	{OCC_COUNT_SAVED_WITH_OWN_CACHE_NS, "saved_with_own_cache_ns"},
	{OCC_COUNT_COMPILED_NS, "compiled_ns"},
	{OCC_COUNT_LOADED_NS, "loaded_ns"},
	{OCC_COUNT_WAITS, "waits"},
	{OCC_COUNT_WAITED_NS, "waited_ns"},
	{OCC_COUNT_READ_BYTES, "read_bytes"},
	{OCC_COUNT_STORED, "stored"},
	{OCC_COUNT_STORED_BYTES, "stored_bytes"},
	{OCC_COUNT_IMPROVED, "improved"},
	{OCC_COUNT_EVICTED, "evicted"},
	{OCC_COUNT_EVICTED_BYTES, "evicted_bytes"},
	{0, NULL},
};

void occ_counts_write_json(struct occ_json *json,
			   const struct occ_counters *counters)
{
	occ_json_number(json, "processes",
			counters->numbers[OCC_COUNT_PROCESSES]);
	occ_json_number(json, "builds", occ_counters_builds(counters));
	occ_json_begin(json, "hits", '{');
	occ_json_number(json, "total", occ_counters_hits(counters));
	write_items(json, counters, json_tiers);
	occ_json_end(json, '}');
	write_by_reason(json, counters, "misses", OCC_COUNT_MISSES,
			OCC_COUNTED_MISS);
	write_by_reason(json, counters, "not_cacheable", OCC_COUNT_UNCACHEABLE,
			OCC_COUNTED_UNCACHEABLE);
	write_items(json, counters, rest);
	occ_json_begin(json, "prefetch", '{');
	write_items(json, counters, prefetch);
	occ_json_end(json, '}');
	occ_json_begin(json, "remote", '{');
	write_items(json, counters, remote);
	write_by_reason(json, counters, "errors", OCC_COUNT_REMOTE_ERRORS,
			OCC_COUNTED_REMOTE);
	occ_json_end(json, '}');
	write_by_reason(json, counters, "not_stored", OCC_COUNT_NOT_STORED,
			OCC_COUNTED_NOT_STORED);
	write_by_reason(json, counters, "errors", OCC_COUNT_ERRORS,
			OCC_COUNTED_ERROR);
}

static void add_count(FILE *line, const char *before, uint64_t count,
		      const char *one, const char *many)
{
	fprintf(line, "%s%" PRIu64 " %s", before, count,
		count == 1 ? one : many);
}

/* " (8 store, 2 memory)", of those that there are; "": all are the store's. */
static void add_tiers(FILE *line, const struct occ_counters *counters)
{
	static const struct item tiers[] = {
		{OCC_COUNT_STORE, "store"},
		{OCC_COUNT_READ_ONLY, "read-only store"},
		{OCC_COUNT_MEMORY, "memory"},
		{OCC_COUNT_LIVE, "loaded before"},
		{OCC_COUNT_REMOTE, "remote storage"},
	};
	const char *before = " (";

	if (counters->numbers[OCC_COUNT_STORE] == occ_counters_hits(counters))
		return;
	for (size_t i = 0; i < sizeof(tiers) / sizeof(*tiers); i++) {
		uint64_t count = counters->numbers[tiers[i].counter];

		if (!count)
			continue;
		add_count(line, before, count, tiers[i].name, tiers[i].name);
		before = ", ";
	}
	putc(')', line);
}

/* Of builds that aren't cacheable, the next in number behind `last`. */
static const struct occ_counted_reason *next_reason(
	const struct occ_counters *counters,
	const struct occ_counted_reason *last)
{
	const struct occ_counted_reason *next = NULL;

	for (size_t i = 0; i < counters->reason_count; i++) {
		const struct occ_counted_reason *reason = &counters->reasons[i];

		if (reason->kind != OCC_COUNTED_UNCACHEABLE ||
		    (last &&
		     (reason->count > last->count ||
		      (reason->count == last->count && reason <= last))))
			continue;
		if (!next || reason->count > next->count)
			next = reason;
	}
	return next;
}

/* " (one reason; another; and 2 other reasons: ...)" */
static void add_uncacheable(FILE *line, const struct occ_counters *counters)
{
	const struct occ_counted_reason *reason = NULL;
	size_t count = 0;

	while ((reason = next_reason(counters, reason))) {
		if (count < REASONS_SHOWN) {
			fputs(count ? "; " : " (", line);
			occ_screen_write(line, reason->text,
					 strlen(reason->text), true);
		}
		count++;
	}
	if (count > REASONS_SHOWN)
		fprintf(line, "; and %zu other %s: see 'oclcache explain'",
			count - REASONS_SHOWN,
			count - REASONS_SHOWN == 1 ? "reason" : "reasons");
	if (count)
		putc(')', line);
}

static void add_builds(FILE *line, const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;

	add_count(line, "", occ_counters_builds(counters), "build", "builds");
	add_count(line, ": ", occ_counters_hits(counters), "hit", "hits");
	add_tiers(line, counters);
	add_count(line, ", ", numbers[OCC_COUNT_MISSES], "miss", "misses");
	if (numbers[OCC_COUNT_UNCACHEABLE])
		add_count(line, ", ", numbers[OCC_COUNT_UNCACHEABLE],
			  "not cacheable", "not cacheable");
	add_uncacheable(line, counters);
	if (numbers[OCC_COUNT_REFUSED])
		add_count(line, ", ", numbers[OCC_COUNT_REFUSED], "refused",
			  "refused");
}

/*
 * Who always misses wants to know why: the fault, or the reason that most was
 * left out for, or couldn't be stored.
 */
static void add_reason(FILE *line, const struct occ_counters *counters,
		       const char *fault)
{
	const struct occ_counted_reason *found = NULL;

	for (size_t i = 0; !fault && i < counters->reason_count; i++) {
		const struct occ_counted_reason *reason = &counters->reasons[i];

		if ((reason->kind == OCC_COUNTED_NOT_STORED ||
		     reason->kind == OCC_COUNTED_ERROR) &&
		    (!found || reason->count > found->count))
			found = reason;
	}
	if (found)
		fault = found->text;
	if (!fault || !counters->numbers[OCC_COUNT_MISSES] ||
	    counters->numbers[OCC_COUNT_STORED])
		return;
	fputs("; not stored (", line);
	occ_screen_write(line, fault, strlen(fault), true);
	putc(')', line);
}

/* "; saved 3.0 s of compiling" */
static void add_saved(FILE *line, const struct occ_counters *counters)
{
	uint64_t saved = counters->numbers[OCC_COUNT_SAVED_NS];
	uint64_t twice = counters->numbers[OCC_COUNT_SAVED_WITH_OWN_CACHE_NS];
	char time[OCC_UNITS_SIZE];

	if (!occ_counters_hits(counters))
		return;
	fprintf(line, "; saved %s of compiling", occ_units_time(saved, time));
	/* What a warm cache of the driver's would have avoided isn't ours. */
	if (twice)
		fputs(twice < saved ? " (partly on drivers with caches of "
				      "their own)"
				    : " (the driver's own cache, if on, would "
				      "save some of it)",
		      line);
}

/* "; 3.0 s spent compiling; 49 kB stored", of those that aren't 0. */
static void add_spent(FILE *line, const struct occ_counters *counters)
{
	uint64_t spent = counters->numbers[OCC_COUNT_COMPILED_NS];
	uint64_t stored = counters->numbers[OCC_COUNT_STORED_BYTES];
	char text[OCC_UNITS_SIZE];

	if (spent)
		fprintf(line, "; %s spent compiling",
			occ_units_time(spent, text));
	if (stored)
		fprintf(line, "; %s stored", occ_units_size(stored, text));
}

/* Errors aren't misses, and don't look like such. */
static void add_remote_errors(FILE *line, const struct occ_counters *counters)
{
	const uint64_t *numbers = counters->numbers;
	uint64_t errors = numbers[OCC_COUNT_REMOTE_ERRORS] +
			  numbers[OCC_COUNT_REMOTE_REFUSED] +
			  numbers[OCC_COUNT_REMOTE_PUT_ERRORS];
	const struct occ_counted_reason *found = NULL;

	if (!errors)
		return;
	add_count(line, "; remote storage: ", errors, "failure", "failures");
	for (size_t i = 0; i < counters->reason_count; i++) {
		const struct occ_counted_reason *reason = &counters->reasons[i];

		if (reason->kind == OCC_COUNTED_REMOTE &&
		    (!found || reason->count > found->count))
			found = reason;
	}
	if (!found)
		return;
	fputs(" (", line);
	occ_screen_write(line, found->text, strlen(found->text), true);
	putc(')', line);
}

char *occ_counts_line(const struct occ_counters *counters, const char *fault)
{
	char *text = NULL;
	size_t size;
	FILE *line = occ_message_must(open_memstream(&text, &size));

	add_builds(line, counters);
	add_saved(line, counters);
	add_spent(line, counters);
	add_reason(line, counters, fault);
	add_remote_errors(line, counters);
	if (fclose(line))
		occ_message_no_memory();
	return text;
}

const char *occ_counts_fault(int error)
{
	switch (error) {
	case OCC_E_CORRUPT:
	case OCC_E_TOO_LARGE:
		return "it is damaged";
	case OCC_E_FORBIDDEN:
		return "it isn't a regular file, or belongs to another user";
	case OCC_E_IO:
		return errno == ELOOP ? "it is a symbolic link"
				      : strerror(errno);
	default:
		return occ_error_string(error);
	}
}

/* What can't be read, but isn't a file, stays so. */
const char *occ_counts_advice(int error)
{
	if (error == OCC_E_CORRUPT || error == OCC_E_TOO_LARGE)
		return "counting starts again with the next program";
	if (error == OCC_E_FORBIDDEN || (error == OCC_E_IO && errno == ELOOP))
		return "remove it; until then, nothing is counted";
	return "can't tell what was counted";
}
