/* SPDX-License-Identifier: MIT */
/*
 * oclcache list: a line for each entry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/fields.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/suggestion.h"
#include "cli/table.h"
#include "cli/units.h"

enum column {
	HASH,
	AGE,
	SIZE,
	HITS,
	TIME,
	DEVICE,
	DRIVER,
	KERNELS,
	OPTIONS,
	COLUMNS,
};

static const struct occ_table_column columns[COLUMNS] = {
	[HASH] = {"hash", "HASH", false, 0},
	[AGE] = {"age", "USED", true, 0, 1},
	[SIZE] = {"size", "SIZE", true, 0, 2},
	[HITS] = {"hits", "HITS", true, 0},
	[TIME] = {"time", "COMPILED IN", true, 0, 4},
	[DEVICE] = {"device", "DEVICE", false, 10, 3},
	[DRIVER] = {"driver", "DRIVER", false, 7, 6},
	[KERNELS] = {"kernels", "KERNELS", false, 16},
	[OPTIONS] = {"options", "OPTIONS", false, 10, 5},
};

struct shown {
	unsigned columns[COLUMNS];
	size_t count;
	bool all_asked; /* named in --columns */
	bool whole;
};

/* What is shown. */
struct listed {
	const struct occ_catalogue *catalogue;
	int64_t now;
};

static const char *cell_text(void *data, size_t row, unsigned column,
			     char memory[OCC_TABLE_CELL])
{
	const struct listed *listed = data;
	const struct occ_item *item = &listed->catalogue->items[row];
	const char *text = item->options;

	if (column == HASH) {
		memcpy(memory, item->hash, sizeof(item->hash));
		memory[listed->catalogue->prefix] = '\0';
		return memory;
	}
	if (column == AGE)
		return occ_units_age(listed->now - item->file->used.tv_sec,
				     memory);
	if (column == SIZE)
		return occ_units_size(item->file->size, memory);
	if (column == HITS)
		return occ_fields_hits(item->file->uses, memory);
	if (column == TIME)
		return item->compile_time == UINT64_MAX
			       ? "-"
			       : occ_units_time(item->compile_time, memory);
	if (column == DEVICE)
		text = item->device;
	else if (column == DRIVER)
		text = item->driver;
	else if (column == KERNELS)
		text = item->fault ? item->fault : item->kernels;
	return *text ? text : "-";
}

static bool is_bad(void *data, size_t row)
{
	const struct listed *listed = data;

	return listed->catalogue->items[row].fault != NULL;
}

static bool add(struct shown *result, const char *name, size_t length)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (strlen(columns[i].name) != length ||
		    memcmp(columns[i].name, name, length) != 0)
			continue;
		for (size_t j = 0; j < result->count; j++)
			if (result->columns[j] == i)
				return true;
		result->columns[result->count++] = (unsigned)i;
		return true;
	}
	occ_message_error(
		"list: there is no column '%.*s'; the columns are hash, age, "
		"size, hits, time, device, driver, kernels and options",
		(int)length, name);
	return false;
}

/* Of "hash,age"; NULL: those of `oclcache list`. False after an error. */
static bool parse_columns(const char *text, struct shown *ret_shown)
{
	ret_shown->count = 0;
	ret_shown->all_asked = text;
	if (!text)
		text = "hash,age,size,time,device,driver,kernels,options";
	while (*text) {
		size_t length = strcspn(text, ",");

		if (!add(ret_shown, text, length))
			return false;
		text += length + (text[length] == ',');
	}
	if (!ret_shown->count)
		occ_message_error("list: --columns needs at least one column");
	return ret_shown->count > 0;
}

static void print_table(const struct shown *asked,
			const struct occ_catalogue *catalogue)
{
	struct listed listed = {catalogue, occ_file_now()};
	const struct occ_table table = {.columns = columns,
					.shown = asked->columns,
					.shown_count = asked->count,
					.rows = catalogue->count,
					.cell = cell_text,
					.is_bad = is_bad,
					.data = &listed,
					.whole = asked->whole,
					.all_asked = asked->all_asked};

	occ_table_print(&table);
}

static const struct {
	const char *name;
	enum column key;
} sort_keys[] = {
	{"age", AGE},	    {"size", SIZE},	{"name", KERNELS},
	{"device", DEVICE}, {"driver", DRIVER}, {"hits", HITS},
	{"time", TIME},
};

static void print_kernels(struct occ_json *json, const char *text)
{
	struct occ_span names = {(const unsigned char *)text, strlen(text)};

	occ_json_begin(json, "kernels", '[');
	while (names.size) {
		struct occ_span name = occ_fields_next_kernel(&names);

		if (name.size)
			occ_json_text(json, NULL, (const char *)name.data,
				      name.size);
	}
	occ_json_end(json, ']');
}

static void print_item(struct occ_json *json, const struct occ_item *item)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "hash", item->hash);
	occ_json_string(json, "file", item->file->name);
	occ_json_number(json, "size", item->file->size);
	occ_fields_write_hits(json, item->file->uses);
	occ_json_signed(json, "used", item->file->used.tv_sec);
	if (item->fault) {
		occ_json_string(json, "fault", item->fault);
		occ_json_end(json, '}');
		return;
	}
	occ_json_string(json, "device", item->device);
	occ_json_string(json, "platform", item->platform);
	occ_json_string(json, "driver", item->driver);
	print_kernels(json, item->kernels);
	occ_json_string(json, "options", item->options);
	occ_json_seconds(json, "compile_seconds", item->compile_time);
	occ_json_number(json, "created", item->created);
	occ_json_number(json, "binary_size", item->binary_size);
	occ_json_end(json, '}');
}

static void print_json(const char *directory,
		       const struct occ_catalogue *catalogue)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "directory", directory);
	occ_json_begin(&json, "entries", '[');
	for (size_t i = 0; i < catalogue->count; i++)
		print_item(&json, &catalogue->items[i]);
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

/* The larger first. */
#define COMPARE(one, other) (((one) < (other)) - ((one) > (other)))

static int compare_by(enum column key, const struct occ_item *one,
		      const struct occ_item *other)
{
	switch (key) {
	case SIZE:
		return COMPARE(one->file->size, other->file->size);
	case HITS:
		/* Not known is least. */
		return COMPARE(one->file->uses + 1, other->file->uses + 1);
	case TIME:
		return COMPARE(one->compile_time + 1, other->compile_time + 1);
	case DEVICE:
		return strcmp(one->device, other->device);
	case DRIVER:
		return strcmp(one->driver, other->driver);
	case KERNELS:
		return strcmp(one->kernels, other->kernels);
	default:
		return 0;
	}
}

struct order {
	enum column by;
	bool reverse;
};

static int compare_items(const void *one, const void *other, void *data)
{
	const struct occ_item *a = one, *b = other;
	const struct order *order = data;
	int result = compare_by(order->by, a, b);

	if (!result)
		result = COMPARE(a->file->used.tv_sec, b->file->used.tv_sec);
	if (!result)
		result = COMPARE(a->file->used.tv_nsec, b->file->used.tv_nsec);
	if (!result)
		result = strcmp(a->file->name, b->file->name);
	return order->reverse ? -result : result;
}

static bool parse_sort(const char *text, enum column *ret_key)
{
	char question[OCC_SUGGESTION_QUESTION];
	struct occ_suggestion suggestion;

	*ret_key = AGE;
	if (!text)
		return true;
	occ_suggestion_begin(&suggestion, text);
	for (size_t i = 0; i < sizeof(sort_keys) / sizeof(*sort_keys); i++) {
		occ_suggestion_try(&suggestion, sort_keys[i].name);
		if (strcmp(sort_keys[i].name, text) != 0)
			continue;
		*ret_key = sort_keys[i].key;
		return true;
	}
	occ_message_error("list: --sort %s: use age, size, name, device, "
			  "driver, hits or time%s",
			  text,
			  occ_suggestion_question("", suggestion.best,
						  question));
	return false;
}

static int run(const struct occ_arguments *arguments)
{
	struct order order = {.reverse =
				      occ_arguments_has(arguments, "reverse")};
	struct occ_selection selection;
	struct occ_catalogue catalogue;
	struct shown shown;
	struct occ_store *store;
	const char *directory;
	bool read;

	if (arguments->operand_count) {
		occ_message_error("list: unexpected argument '%s'; to find a "
				  "program, run 'oclcache list --program "
				  "%s'",
				  arguments->operands[0],
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	if (!occ_selection_parse(arguments, "list", &selection) ||
	    !parse_sort(occ_arguments_value(arguments, "sort"), &order.by) ||
	    !parse_columns(occ_arguments_value(arguments, "columns"), &shown))
		return OCC_EXIT_USAGE;
	shown.whole = occ_arguments_has(arguments, "wide");
	store = occ_store_path_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	directory = occ_store_directory(store);
	read = occ_catalogue_read(store, &selection, &catalogue);
	if (read) {
		if (catalogue.count)
			qsort_r(catalogue.items, catalogue.count,
				sizeof(*catalogue.items), compare_items,
				&order);
		if (occ_arguments_has(arguments, "json"))
			print_json(directory, &catalogue);
		else if (catalogue.count)
			print_table(&shown, &catalogue);
		else if (occ_selection_is_any(&selection))
			occ_message_note("no entry in %s matches", directory);
		else
			occ_message_note("%s is empty; to fill it, run "
					 "'oclcache run PROGRAM'",
					 directory);
		occ_catalogue_release(&catalogue);
	}
	occ_store_close(store);
	return read ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print everything as JSON"},
	{"sort", 0, "KEY", "age, size, name, device, driver, hits or time"},
	{"reverse", 0, NULL, "reverse the order"},
	{"columns", 0, "A,B,..",
	 "of hash, age, size, hits, time, device,\n"
	 "                          driver, kernels, options"},
	{"wide", 0, NULL, "show whole names, however long the lines get"},
	OCC_SELECTION_PROGRAM,
	OCC_SELECTION_DEVICE,
	OCC_SELECTION_DRIVER,
	OCC_SELECTION_OLDER,
	OCC_SELECTION_NEWER,
	OCC_SELECTION_LARGER,
	OCC_SELECTION_SMALLER,
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_list = {
	.name = "list",
	.summary = "list the entries in the store",
	.details =
		"Prints one line per entry, most recently used first. "
		"Other commands accept\n"
		"the hash as it is shown here. Long names are cut to fit the "
		"terminal, or to 40\n"
		"characters elsewhere; --wide and --json show them in full.",
	.options = options,
	.run = run,
};
