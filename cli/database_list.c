/* SPDX-License-Identifier: MIT */
/*
 * oclcache database list: a line for each build, and sums.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/build_summary.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fields.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/units.h"

enum column {
	BUILD,
	OPERATION,
	SOURCE,
	FILES,
	AGE,
	DEVICES,
	APPLICATIONS,
	KERNELS,
	OPTIONS,
	COLUMNS,
};

static const struct occ_table_column columns[COLUMNS] = {
	[BUILD] = {"build", "BUILD", false, 0},
	[OPERATION] = {"operation", "MADE BY", false, 0, 5},
	[SOURCE] = {"source", "SOURCE", true, 0, 4},
	[FILES] = {"files", "FILES", true, 0, 6},
	[AGE] = {"age", "USED", true, 0, 1},
	[DEVICES] = {"devices", "DEVICES", false, 10, 2},
	[APPLICATIONS] = {"applications", "APPLICATIONS", false, 12, 7},
	[KERNELS] = {"kernels", "KERNELS", false, 16},
	[OPTIONS] = {"options", "OPTIONS", false, 10, 3},
};

struct listed {
	const struct occ_build_summaries *summaries;
	size_t prefix;
	int64_t now;
};

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static const char *source_text(const struct occ_build_summary *item,
			       char memory[OCC_TABLE_CELL])
{
	if (item->view.has_source)
		return occ_units_size(item->view.source.size, memory);
	if (!item->view.inputs)
		return "-";
	snprintf(memory, OCC_TABLE_CELL, "%zu input%s", item->view.inputs,
		 plural(item->view.inputs));
	return memory;
}

/* Days are all that is known, of the calendar of UTC. */
static const char *age_text(const struct listed *listed, int64_t used,
			    char memory[OCC_TABLE_CELL])
{
	int64_t days = listed->now / 86400 - used / 86400;

	if (used < 0)
		return "-";
	return days > 0 ? occ_units_age(days * 86400, memory) : "today";
}

static const char *cell_text(void *data, size_t row, unsigned column,
			     char memory[OCC_TABLE_CELL])
{
	const struct listed *listed = data;
	const struct occ_build_summary *item = &listed->summaries->items[row];
	const char *text = item->options;

	if (column == BUILD) {
		occ_digest_hex(&item->record->name, memory);
		memory[listed->prefix] = '\0';
		return memory;
	}
	if (column == OPERATION) {
		snprintf(memory, OCC_TABLE_CELL, "%.*s%s",
			 (int)item->view.operation.size,
			 (const char *)item->view.operation.data,
			 item->view.is_il ? " of IL" : "");
		return *memory ? memory : "-";
	}
	if (column == SOURCE)
		return source_text(item, memory);
	if (column == FILES) {
		snprintf(memory, OCC_TABLE_CELL, "%zu",
			 item->view.files + item->view.headers);
		return memory;
	}
	if (column == AGE)
		return age_text(listed, item->used, memory);
	if (column == DEVICES)
		text = item->devices;
	else if (column == APPLICATIONS)
		text = item->applications;
	else if (column == KERNELS)
		text = item->fault ? item->fault : item->kernels;
	return *text ? text : "-";
}

static bool is_bad(void *data, size_t row)
{
	const struct listed *listed = data;

	return listed->summaries->items[row].fault != NULL;
}

static void print_table(const struct occ_build_summaries *summaries,
			const struct occ_records *records, bool whole)
{
	static const unsigned shown[] = {BUILD,	  OPERATION,	SOURCE,
					 FILES,	  AGE,		DEVICES,
					 KERNELS, APPLICATIONS, OPTIONS};
	struct listed listed = {summaries, occ_records_prefix(records),
				occ_file_now()};
	const struct occ_table table = {.columns = columns,
					.shown = shown,
					.shown_count = COLUMNS,
					.rows = summaries->count,
					.cell = cell_text,
					.is_bad = is_bad,
					.data = &listed,
					.whole = whole};

	occ_table_print(&table);
}

/* Reasons and how often; few. */
struct reasons {
	struct reason {
		struct occ_span text;
		size_t count;
	} * items;
	size_t count, total;
};

static int compare_reasons(const void *one, const void *other)
{
	const struct reason *a = one, *b = other;
	size_t size = a->text.size < b->text.size ? a->text.size : b->text.size;
	int result = memcmp(a->text.data, b->text.data, size);

	return result ? result
		      : (a->text.size > b->text.size) -
				(a->text.size < b->text.size);
}

static void join_reasons(struct reasons *reasons)
{
	size_t kept = 0;

	if (reasons->total)
		qsort(reasons->items, reasons->total, sizeof(*reasons->items),
		      compare_reasons);
	for (size_t i = 0; i < reasons->total; i++) {
		if (kept && !compare_reasons(&reasons->items[kept - 1],
					     &reasons->items[i]))
			reasons->items[kept - 1].count++;
		else
			reasons->items[kept++] = reasons->items[i];
	}
	reasons->count = kept;
}

/* Builds that the layer couldn't record. */
static void read_reasons(const struct occ_records *records,
			 struct reasons *ret_reasons)
{
	const struct occ_record *first;
	size_t count = occ_records_of(records, OCC_FRAME_REFUSAL, &first);
	struct occ_refusal_view view;

	memset(ret_reasons, 0, sizeof(*ret_reasons));
	ret_reasons->items = occ_message_must(
		calloc(count + 1, sizeof(*ret_reasons->items)));
	for (size_t i = 0; i < count; i++)
		if (first[i].bytes.data &&
		    occ_refusal_view(first[i].bytes, &view))
			ret_reasons->items[ret_reasons->total++] =
				(struct reason){view.reason, 1};
	join_reasons(ret_reasons);
}

struct sums {
	size_t builds, faults, contents, devices;
	uint64_t content_bytes;
	struct reasons refusals;
};

static void add_up(const struct occ_records *records,
		   const struct occ_build_summaries *summaries,
		   struct sums *ret_sums)
{
	const struct occ_record *first;

	memset(ret_sums, 0, sizeof(*ret_sums));
	ret_sums->builds = summaries->count;
	for (size_t i = 0; i < summaries->count; i++)
		ret_sums->faults += summaries->items[i].fault != NULL;
	ret_sums->contents = occ_records_of(records, OCC_FRAME_CONTENT, &first);
	for (size_t i = 0; i < ret_sums->contents; i++)
		ret_sums->content_bytes += first[i].size;
	ret_sums->devices = occ_records_of(records, OCC_FRAME_DEVICE, &first);
	read_reasons(records, &ret_sums->refusals);
}

static void print_sums(const struct occ_records *records,
		       const struct sums *sums)
{
	char bytes[OCC_UNITS_SIZE], size[OCC_UNITS_SIZE];

	printf("%s%zu build%s for %zu device%s; %zu content%s of %s, in %s\n",
	       sums->builds ? "\n" : "", sums->builds, plural(sums->builds),
	       sums->devices, plural(sums->devices), sums->contents,
	       plural(sums->contents),
	       occ_units_size(sums->content_bytes, bytes),
	       occ_units_size(records->size, size));
	if (sums->faults)
		printf("%zu of them can't be replayed: see KERNELS\n",
		       sums->faults);
	for (size_t i = 0; i < sums->refusals.count; i++) {
		printf("not recorded, %zu time%s: ",
		       sums->refusals.items[i].count,
		       plural(sums->refusals.items[i].count));
		occ_fields_show(sums->refusals.items[i].text, true);
		putchar('\n');
	}
	if (records->bad)
		printf("damaged: %s\n", occ_units_size(records->bad, size));
}

static void json_list(struct occ_json *json, const char *name, const char *text,
		      const char *separator)
{
	size_t length = strlen(separator);
	const char *end;

	occ_json_begin(json, name, '[');
	while (*text) {
		end = strstr(text, separator);
		occ_json_text(json, NULL, text,
			      end ? (size_t)(end - text) : strlen(text));
		text = end ? end + length : text + strlen(text);
	}
	occ_json_end(json, ']');
}

static void print_item(struct occ_json *json,
		       const struct occ_build_summary *item)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_json_begin(json, NULL, '{');
	occ_digest_hex(&item->record->name, hex);
	occ_json_string(json, "build", hex);
	occ_json_text(json, "operation",
		      (const char *)item->view.operation.data,
		      item->view.operation.size);
	if (item->fault)
		occ_json_string(json, "fault", item->fault);
	occ_json_bool(json, "il", item->view.is_il);
	occ_json_number(json, "source_size",
			item->view.has_source ? item->view.source.size : 0);
	occ_json_number(json, "headers", item->view.headers);
	occ_json_number(json, "files", item->view.files);
	occ_json_number(json, "inputs", item->view.inputs);
	if (item->view.has_options)
		occ_json_string(json, "options", item->options);
	else
		occ_json_null(json, "options");
	json_list(json, "kernels", item->kernels, ";");
	json_list(json, "applications", item->applications, ", ");
	json_list(json, "devices", item->devices, ", ");
	occ_json_number(json, "uses", item->uses);
	if (item->used >= 0)
		occ_json_signed(json, "used", item->used);
	else
		occ_json_null(json, "used");
	occ_json_seconds(json, "compile_seconds", item->compile_time);
	occ_json_end(json, '}');
}

static void print_json(const struct occ_records *records,
		       const struct occ_build_summaries *summaries,
		       const struct sums *sums)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_begin(&json, "builds", '[');
	for (size_t i = 0; i < summaries->count; i++)
		print_item(&json, &summaries->items[i]);
	occ_json_end(&json, ']');
	occ_json_number(&json, "devices", sums->devices);
	occ_json_number(&json, "contents", sums->contents);
	occ_json_number(&json, "content_bytes", sums->content_bytes);
	occ_json_number(&json, "size", records->size);
	occ_json_number(&json, "damaged", records->bad);
	occ_json_begin(&json, "refusals", '[');
	for (size_t i = 0; i < sums->refusals.count; i++) {
		occ_json_begin(&json, NULL, '{');
		occ_fields_write_json(&json, "reason",
				      sums->refusals.items[i].text);
		occ_json_number(&json, "count", sums->refusals.items[i].count);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

int occ_database_command_list(const struct occ_arguments *arguments,
			      char *const *operands, size_t count)
{
	struct occ_build_summaries summaries;
	struct occ_records records;
	struct sums sums;
	bool opened =
		occ_records_open("database list", operands, count, &records);

	if (opened) {
		occ_build_summaries_make(&records, &summaries);
		add_up(&records, &summaries, &sums);
		if (occ_arguments_has(arguments, "json")) {
			print_json(&records, &summaries, &sums);
		} else {
			if (summaries.count)
				print_table(&summaries, &records,
					    occ_arguments_has(arguments,
							      "wide"));
			print_sums(&records, &sums);
		}
		free(sums.refusals.items);
		occ_build_summaries_release(&summaries);
	}
	occ_records_release(&records);
	return opened ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}
