/* SPDX-License-Identifier: MIT */
/*
 * oclcache list: a line for each entry.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/columns.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/kernels.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/suggestion.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum sort_key {
	AGE,
	SIZE,
	KERNELS,
	DEVICE,
	DRIVER,
	HITS,
	TIME,
};

static const struct {
	const char *name;
	enum sort_key key;
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
		struct occ_span name = occ_kernels_next_name(&names);

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
	occ_json_number(json, "hits", item->file->uses);
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

static int compare_numbers(uint64_t one, uint64_t other)
{
	return one < other ? 1 : one > other ? -1 : 0;
}

/* Before 1970, too. */
static int compare_times(const struct timespec *one,
			 const struct timespec *other)
{
	if (one->tv_sec != other->tv_sec)
		return one->tv_sec < other->tv_sec ? 1 : -1;
	return one->tv_nsec < other->tv_nsec   ? 1
	       : one->tv_nsec > other->tv_nsec ? -1
					       : 0;
}

static int compare_by(enum sort_key key, const struct occ_item *one,
		      const struct occ_item *other)
{
	switch (key) {
	case SIZE:
		return compare_numbers(one->file->size, other->file->size);
	case HITS:
		return compare_numbers(one->file->uses, other->file->uses);
	case TIME:
		/* Not known is least. */
		return compare_numbers(one->compile_time + 1,
				       other->compile_time + 1);
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

/* qsort() hands nothing through. */
static enum sort_key sorted_by;

static int compare_items(const void *one, const void *other)
{
	const struct occ_item *a = one, *b = other;
	int result = compare_by(sorted_by, a, b);

	if (!result)
		result = compare_times(&a->file->used, &b->file->used);
	return result ? result : strcmp(a->file->name, b->file->name);
}

static void sort(struct occ_catalogue *catalogue, enum sort_key by,
		 bool reverse)
{
	sorted_by = by;
	if (catalogue->count)
		qsort(catalogue->items, catalogue->count,
		      sizeof(*catalogue->items), compare_items);
	for (size_t i = 0; reverse && i < catalogue->count / 2; i++) {
		struct occ_item *other =
			&catalogue->items[catalogue->count - 1 - i];
		struct occ_item item = catalogue->items[i];

		catalogue->items[i] = *other;
		*other = item;
	}
}

static bool parse_sort(const char *text, enum sort_key *ret_key)
{
	struct occ_suggestion suggestion;

	*ret_key = AGE;
	if (!text)
		return true;
	occ_suggestion_begin(&suggestion, text);
	for (size_t i = 0; i < COUNT(sort_keys); i++) {
		occ_suggestion_try(&suggestion, sort_keys[i].name);
		if (strcmp(sort_keys[i].name, text) != 0)
			continue;
		*ret_key = sort_keys[i].key;
		return true;
	}
	occ_message_error("list: --sort %s: it can be age, size, name, device, "
			  "driver, hits or time%s%s%s",
			  text, suggestion.best ? "; did you mean " : "",
			  suggestion.best ? suggestion.best : "",
			  suggestion.best ? "?" : "");
	return false;
}

static void print(const struct occ_arguments *arguments,
		  struct occ_store *store,
		  const struct occ_selection *selection,
		  const struct occ_columns *columns,
		  const struct occ_catalogue *catalogue)
{
	if (occ_arguments_has(arguments, "json"))
		print_json(occ_store_directory(store), catalogue);
	else if (catalogue->count)
		occ_columns_print(columns, catalogue);
	else if (occ_selection_is_any(selection))
		occ_message_note("no entry of %s is such",
				 occ_store_directory(store));
	else
		occ_message_note("there is nothing in %s yet; 'oclcache run "
				 "PROGRAM' fills it",
				 occ_store_directory(store));
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_selection selection;
	struct occ_catalogue catalogue;
	struct occ_columns columns;
	struct occ_store *store;
	enum sort_key by;
	bool read;

	if (arguments->operand_count) {
		occ_message_error("list: '%s' is too much; to find programs: "
				  "list --program %s",
				  arguments->operands[0],
				  arguments->operands[0]);
		return OCC_EXIT_USAGE;
	}
	if (!occ_selection_parse(arguments, "list", &selection) ||
	    !parse_sort(occ_arguments_value(arguments, "sort"), &by) ||
	    !occ_columns_parse(occ_arguments_value(arguments, "columns"),
			       &columns))
		return OCC_EXIT_USAGE;
	store = occ_store_path_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	read = occ_catalogue_read(store, &selection, &catalogue);
	if (read) {
		sort(&catalogue, by, occ_arguments_has(arguments, "reverse"));
		print(arguments, store, &selection, &columns, &catalogue);
		occ_catalogue_release(&catalogue);
	}
	occ_store_close(store);
	return read ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "all of it, for programs"},
	{"sort", 0, "KEY", "age, size, name, device, driver, hits or time"},
	{"reverse", 0, NULL, "the other way round"},
	{"columns", 0, "A,B,..",
	 "of hash, age, size, hits, time, device,\n"
	 "                          driver, kernels, options"},
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
	.summary = "the programs in the store",
	.details = "A line for each entry, the last used first. Its hash, or "
		   "the beginning that is\nshown, is what other commands know "
		   "it by. On a terminal long names are cut.",
	.options = options,
	.run = run,
};
