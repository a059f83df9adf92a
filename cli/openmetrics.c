/* SPDX-License-Identifier: MIT */
#include "cli/openmetrics.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cache/version.h"
#include "hash/utf8.h"

#define NS_PER_S UINT64_C(1000000000)

struct writer {
	FILE *stream;
	enum occ_openmetrics_format format;
	const struct occ_counters *counters;
};

enum unit { PLAIN, BYTES, SECONDS };

static const char *const units[] = {
	[PLAIN] = "",
	[BYTES] = "bytes",
	[SECONDS] = "seconds",
};

/* What is a counter as it is. */
struct simple {
	enum occ_counter counter;
	enum unit unit;
	const char *name; /* without "oclcache_" and "_total" */
	const char *help;
};

static const struct simple simples[] = {
	{OCC_COUNT_PROCESSES, PLAIN, "processes",
	 "Processes that used the store."},
	{OCC_COUNT_REFUSED, PLAIN, "refused",
	 "Builds that OCLCACHE_MODE=require made fail."},
	{OCC_COUNT_FAILED, PLAIN, "failed", "Builds that failed to compile."},
	{OCC_COUNT_MATERIALISED, PLAIN, "compiled_after_all",
	 "Hits that were compiled later after all."},
	{OCC_COUNT_SAVED_NS, SECONDS, "saved_seconds",
	 "Cold compile time avoided by hits."},
	{OCC_COUNT_COMPILED_NS, SECONDS, "compiled_seconds",
	 "Time that drivers spent compiling."},
	{OCC_COUNT_LOADED_NS, SECONDS, "loaded_seconds",
	 "Time spent answering hits."},
	{OCC_COUNT_WAITS, PLAIN, "waits",
	 "Builds that waited for another thread or process that compiled the "
	 "same program."},
	{OCC_COUNT_WAITED_NS, SECONDS, "waited_seconds",
	 "Time that builds waited for another thread or process."},
	{OCC_COUNT_READ_BYTES, BYTES, "read_bytes",
	 "Bytes of entries read from stores."},
	{OCC_COUNT_STORED, PLAIN, "stored", "Entries stored."},
	{OCC_COUNT_STORED_BYTES, BYTES, "stored_bytes",
	 "Bytes of binaries in stored entries."},
	{OCC_COUNT_EVICTED, PLAIN, "evicted", "Files evicted to make room."},
	{OCC_COUNT_EVICTED_BYTES, BYTES, "evicted_bytes",
	 "Bytes of evicted files."},
	{OCC_COUNT_REMOTE_LOOKUPS, PLAIN, "remote_lookups",
	 "Entries requested from the remote storage."},
	{OCC_COUNT_REMOTE_NS, SECONDS, "remote_seconds",
	 "Time spent on requests to the remote storage."},
	{OCC_COUNT_REMOTE_BYTES, BYTES, "remote_received_bytes",
	 "Bytes of entries received from the remote storage."},
	{OCC_COUNT_REMOTE_ERRORS, PLAIN, "remote_errors",
	 "Requests to the remote storage that failed."},
	{OCC_COUNT_REMOTE_REFUSED, PLAIN, "remote_refused",
	 "Entries from the remote storage that were refused."},
	{OCC_COUNT_REMOTE_PUTS, PLAIN, "remote_puts",
	 "Entries handed to the remote storage's helper."},
	{OCC_COUNT_REMOTE_PUT_BYTES, BYTES, "remote_sent_bytes",
	 "Bytes of entries handed to the remote storage's helper."},
	{OCC_COUNT_REMOTE_PUT_ERRORS, PLAIN, "remote_put_errors",
	 "Entries that the remote storage's helper didn't accept."},
	{OCC_COUNT_LEASE_WAITS, PLAIN, "lease_waits",
	 "Builds that waited for another machine that compiled the same "
	 "program."},
	{OCC_COUNT_LEASE_WAITED_NS, SECONDS, "lease_waited_seconds",
	 "Time that builds waited for another machine."},
};

/* Counters whose reasons are labels. */
static const struct {
	enum occ_counted kind;
	const char *name, *label, *help;
} by_reasons[] = {
	{OCC_COUNTED_MISS, "misses", "reason",
	 "Builds that were looked up, not found and compiled."},
	{OCC_COUNTED_UNCACHEABLE, "not_cacheable", "reason",
	 "Builds that weren't looked up."},
	{OCC_COUNTED_NOT_STORED, "not_stored", "reason",
	 "Programs that were deliberately not stored."},
	{OCC_COUNTED_ERROR, "errors", "cause",
	 "Entries that couldn't be stored."},
	{OCC_COUNTED_REMOTE, "remote_failures", "cause",
	 "Requests to the remote storage that failed, and entries from it that "
	 "were refused."},
};

/* ---- the two formats ---- */

/* In the older format a counter is called as its sample is. */
static void describe(const struct writer *writer, const char *name,
		     const char *type, enum unit unit, const char *help)
{
	bool is_old = writer->format == OCC_PROMETHEUS_TEXT;
	const char *end = is_old && !strcmp(type, "counter") ? "_total" : "";

	fprintf(writer->stream, "# HELP oclcache_%s%s %s\n", name, end, help);
	fprintf(writer->stream, "# TYPE oclcache_%s%s %s\n", name, end, type);
	if (unit != PLAIN && !is_old)
		fprintf(writer->stream, "# UNIT oclcache_%s %s\n", name,
			units[unit]);
}

static void write_number(const struct writer *writer, enum unit unit,
			 uint64_t number)
{
	if (unit == SECONDS)
		fprintf(writer->stream, " %" PRIu64 ".%09" PRIu64 "\n",
			number / NS_PER_S, number % NS_PER_S);
	else
		fprintf(writer->stream, " %" PRIu64 "\n", number);
}

/* As both formats have it; what is no UTF-8 as \xNN. */
static void write_label(FILE *stream, const char *text)
{
	size_t left = strlen(text), length;

	for (; left; text += length, left -= length) {
		length = occ_utf8_length(text, left);
		if (!length) {
			fprintf(stream, "\\\\x%02x", (unsigned char)*text);
			length = 1;
		} else if (*text == '\n') {
			fputs("\\n", stream);
		} else if (*text == '"' || *text == '\\') {
			fprintf(stream, "\\%c", *text);
		} else {
			fwrite(text, 1, length, stream);
		}
	}
}

static void write_labelled(const struct writer *writer, const char *name,
			   const char *label, const char *value,
			   uint64_t number)
{
	fprintf(writer->stream, "oclcache_%s_total{%s=\"", name, label);
	write_label(writer->stream, value);
	fputs("\"}", writer->stream);
	write_number(writer, PLAIN, number);
}

static void write_counter(const struct writer *writer, const char *name,
			  enum unit unit, const char *help, uint64_t number)
{
	describe(writer, name, "counter", unit, help);
	fprintf(writer->stream, "oclcache_%s_total", name);
	write_number(writer, unit, number);
}

static void write_gauge(const struct writer *writer, const char *name,
			enum unit unit, const char *help, uint64_t number)
{
	describe(writer, name, "gauge", unit, help);
	fprintf(writer->stream, "oclcache_%s %" PRIu64 "\n", name, number);
}

/* ---- what there is ---- */

static void write_version(const struct writer *writer)
{
	if (writer->format == OCC_PROMETHEUS_TEXT)
		describe(writer, "build_info", "gauge", PLAIN,
			 "The version of oclcache.");
	else
		describe(writer, "build", "info", PLAIN,
			 "The version of oclcache.");
	fputs("oclcache_build_info{version=\"" OCC_VERSION "\"} 1\n",
	      writer->stream);
}

static void write_hits(const struct writer *writer)
{
	static const struct {
		enum occ_counter counter;
		const char *tier;
	} tiers[] = {
		{OCC_COUNT_LIVE, "live_program"},
		{OCC_COUNT_MEMORY, "memory"},
		{OCC_COUNT_STORE, "store"},
		{OCC_COUNT_READ_ONLY, "read_only_store"},
		{OCC_COUNT_REMOTE, "remote"},
	};
	const struct occ_counters *counters = writer->counters;

	write_counter(writer, "lookups", PLAIN,
		      "Builds that were looked up: hits and misses.",
		      occ_counters_hits(counters) +
			      counters->numbers[OCC_COUNT_MISSES]);
	describe(writer, "hits", "counter", PLAIN,
		 "Builds that were served, by source.");
	for (size_t i = 0; i < sizeof(tiers) / sizeof(*tiers); i++)
		write_labelled(writer, "hits", "tier", tiers[i].tier,
			       counters->numbers[tiers[i].counter]);
}

static uint64_t total_of(const struct occ_counters *counters,
			 enum occ_counted kind)
{
	const uint64_t *numbers = counters->numbers;

	switch (kind) {
	case OCC_COUNTED_MISS:
		return numbers[OCC_COUNT_MISSES];
	case OCC_COUNTED_UNCACHEABLE:
		return numbers[OCC_COUNT_UNCACHEABLE];
	case OCC_COUNTED_NOT_STORED:
		return numbers[OCC_COUNT_NOT_STORED];
	case OCC_COUNTED_ERROR:
		return numbers[OCC_COUNT_ERRORS];
	case OCC_COUNTED_REMOTE:
		return numbers[OCC_COUNT_REMOTE_ERRORS] +
		       numbers[OCC_COUNT_REMOTE_REFUSED];
	case OCC_COUNTED_KINDS:
		break;
	}
	return 0;
}

/*
 * The labels' sum is the total: what has no reason, or one of too many, is
 * "other", which is there from the beginning, so that a rate is right.
 */
static void write_by_reason(const struct writer *writer, size_t which)
{
	const struct occ_counters *counters = writer->counters;
	const char *name = by_reasons[which].name;
	const char *label = by_reasons[which].label;
	uint64_t left = total_of(counters, by_reasons[which].kind);

	describe(writer, name, "counter", PLAIN, by_reasons[which].help);
	for (size_t i = 0; i < counters->reason_count; i++) {
		const struct occ_counted_reason *reason = &counters->reasons[i];

		if (reason->kind != by_reasons[which].kind ||
		    !strcmp(reason->text, "other"))
			continue;
		write_labelled(writer, name, label, reason->text,
			       reason->count);
		left -= reason->count < left ? reason->count : left;
	}
	write_labelled(writer, name, label, "other", left);
}

static void write_store(const struct writer *writer,
			const struct occ_openmetrics_store *store)
{
	write_gauge(writer, "store_entries", PLAIN, "Entries in the store.",
		    store->entries);
	write_gauge(writer, "store_bytes", BYTES,
		    "Size of the store's files in bytes.", store->bytes);
	if (store->max_bytes)
		write_gauge(writer, "store_max_bytes", BYTES,
			    "Maximum size of the store's files in bytes.",
			    store->max_bytes);
	if (writer->counters->since)
		write_gauge(writer, "counted_since_timestamp_seconds", SECONDS,
			    "Time when counting began.",
			    (uint64_t)writer->counters->since);
}

void occ_openmetrics_write(FILE *stream, enum occ_openmetrics_format format,
			   const struct occ_counters *counters,
			   const struct occ_openmetrics_store *store)
{
	const struct writer writer = {stream, format, counters};

	write_version(&writer);
	write_hits(&writer);
	for (size_t i = 0; i < sizeof(by_reasons) / sizeof(*by_reasons); i++)
		write_by_reason(&writer, i);
	for (size_t i = 0; i < sizeof(simples) / sizeof(*simples); i++)
		write_counter(&writer, simples[i].name, simples[i].unit,
			      simples[i].help,
			      counters->numbers[simples[i].counter]);
	write_store(&writer, store);
	if (format == OCC_OPENMETRICS)
		fputs("# EOF\n", stream);
}
