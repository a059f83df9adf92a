/* SPDX-License-Identifier: MIT */
/*
 * oclcache list: a line for each entry. On a terminal long cells are cut so
 * that a line is a line; elsewhere nothing is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/screen.h"
#include "cli/suggestion.h"
#include "cli/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Between two columns. */
#define GAP	     2

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

static const struct {
	const char *name;
	const char *title;
	bool right;	 /* numbers */
	size_t narrowed; /* where a line doesn't fit; 0: never */
} columns[COLUMNS] = {
	[HASH] = {"hash", "HASH", false, 0},
	[AGE] = {"age", "USED", true, 0},
	[SIZE] = {"size", "SIZE", true, 0},
	[HITS] = {"hits", "HITS", true, 0},
	[TIME] = {"time", "COMPILED IN", true, 0},
	[DEVICE] = {"device", "DEVICE", false, 18},
	[DRIVER] = {"driver", "DRIVER", false, 10},
	[KERNELS] = {"kernels", "KERNELS", false, 24},
	[OPTIONS] = {"options", "OPTIONS", false, 16},
};

static const struct {
	const char *name;
	enum column column;
} sort_keys[] = {
	{"age", AGE},	    {"size", SIZE},	{"name", KERNELS},
	{"device", DEVICE}, {"driver", DRIVER}, {"hits", HITS},
	{"time", TIME},
};

struct table {
	const struct occ_catalogue *catalogue;
	enum column shown[COLUMNS];
	size_t shown_count;
	size_t widths[COLUMNS];
	int64_t now;
	bool cut;
};

struct cell {
	const char *text;
	char memory[OCC_UNITS_SIZE > OCC_DIGEST_HEX_SIZE ? OCC_UNITS_SIZE
							 : OCC_DIGEST_HEX_SIZE];
};

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

static void short_hash(const struct table *table, const struct occ_item *item,
		       char *ret_text)
{
	memcpy(ret_text, item->hash, sizeof(item->hash));
	ret_text[table->catalogue->prefix] = '\0';
}

static void make_cell(const struct table *table, const struct occ_item *item,
		      enum column column, struct cell *ret_cell)
{
	ret_cell->text = ret_cell->memory;
	switch (column) {
	case HASH:
		short_hash(table, item, ret_cell->memory);
		return;
	case AGE:
		occ_units_age(table->now - item->file->used.tv_sec,
			      ret_cell->memory);
		return;
	case SIZE:
		occ_units_size(item->file->size, ret_cell->memory);
		return;
	case HITS:
		snprintf(ret_cell->memory, sizeof(ret_cell->memory), "%" PRIu64,
			 item->file->uses);
		return;
	case TIME:
		if (item->compile_time == UINT64_MAX)
			ret_cell->text = "-";
		else
			occ_units_time(item->compile_time, ret_cell->memory);
		return;
	case DEVICE:
		ret_cell->text = or_dash(item->device);
		return;
	case DRIVER:
		ret_cell->text = or_dash(item->driver);
		return;
	case KERNELS:
		ret_cell->text =
			item->fault ? item->fault : or_dash(item->kernels);
		return;
	case OPTIONS:
	case COLUMNS:
		break;
	}
	ret_cell->text = or_dash(item->options);
}

static void measure(struct table *table)
{
	const struct occ_catalogue *catalogue = table->catalogue;
	struct cell cell;

	for (size_t i = 0; i < table->shown_count; i++) {
		enum column column = table->shown[i];
		size_t width = strlen(columns[column].title);

		for (size_t j = 0; j < catalogue->count; j++) {
			size_t needed;

			make_cell(table, &catalogue->items[j], column, &cell);
			needed = occ_screen_columns(cell.text,
						    strlen(cell.text));
			if (needed > width)
				width = needed;
		}
		table->widths[i] = width;
	}
}

static size_t total_width(const struct table *table)
{
	size_t total = 0;

	for (size_t i = 0; i < table->shown_count; i++)
		total += table->widths[i] + (i ? GAP : 0);
	return total;
}

/* The last one gets what is left of the line. */
static void narrow(struct table *table, size_t width)
{
	size_t total, last = table->shown_count - 1;

	if (total_width(table) <= width)
		return;
	table->cut = true;
	for (size_t i = 0; i < table->shown_count; i++) {
		size_t narrowed = columns[table->shown[i]].narrowed;
		size_t over = total_width(table);

		if (!narrowed || table->widths[i] <= narrowed || over <= width)
			continue;
		over -= width;
		table->widths[i] = table->widths[i] - narrowed > over
					   ? table->widths[i] - over
					   : narrowed;
	}
	total = total_width(table) - table->widths[last];
	if (total + table->widths[last] > width)
		table->widths[last] = width > total + 4 ? width - total : 4;
}

static void pad(size_t count)
{
	while (count--)
		putchar(' ');
}

static void print_cell(const struct table *table, size_t index,
		       const char *text)
{
	bool last = index + 1 == table->shown_count;
	bool right = columns[table->shown[index]].right;
	size_t width = table->widths[index], size = strlen(text);
	size_t taken = occ_screen_columns(text, size);
	bool cut = table->cut && taken > width;

	if (cut) {
		size = occ_screen_fitting(text, size, width - 3, &taken);
		taken += 3;
	}
	if (right)
		pad(width - taken);
	occ_screen_write(stdout, text, size, true);
	if (cut)
		fputs("...", stdout);
	if (!right && !last && taken < width)
		pad(width - taken);
	if (!last)
		pad(GAP);
}

static void print_table(struct table *table)
{
	struct cell cell;

	measure(table);
	if (occ_screen_is_terminal(STDOUT_FILENO))
		narrow(table, occ_screen_width(STDOUT_FILENO));
	fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD), stdout);
	for (size_t i = 0; i < table->shown_count; i++)
		print_cell(table, i, columns[table->shown[i]].title);
	fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE), stdout);
	putchar('\n');
	for (size_t i = 0; i < table->catalogue->count; i++) {
		const struct occ_item *item = &table->catalogue->items[i];

		if (item->fault)
			fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_RED),
			      stdout);
		for (size_t j = 0; j < table->shown_count; j++) {
			make_cell(table, item, table->shown[j], &cell);
			print_cell(table, j, cell.text);
		}
		if (item->fault)
			fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE),
			      stdout);
		putchar('\n');
	}
}

static void print_kernels(struct occ_json *json, const char *names)
{
	occ_json_begin(json, "kernels", '[');
	while (*names) {
		size_t length = strcspn(names, ";");

		if (length)
			occ_json_text(json, NULL, names, length);
		names += length + (names[length] == ';');
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
	if (item->compile_time == UINT64_MAX)
		occ_json_null(json, "compile_seconds");
	else
		occ_json_real(json, "compile_seconds",
			      (double)item->compile_time / 1e9);
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

static int compare_by(enum column column, const struct occ_item *one,
		      const struct occ_item *other)
{
	switch (column) {
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
static enum column sorted_by;

static int compare_items(const void *one, const void *other)
{
	const struct occ_item *a = one, *b = other;
	int result = compare_by(sorted_by, a, b);

	if (!result)
		result = compare_times(&a->file->used, &b->file->used);
	return result ? result : strcmp(a->file->name, b->file->name);
}

static void sort(struct occ_catalogue *catalogue, enum column by, bool reverse)
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

static bool parse_sort(const char *text, enum column *ret_column)
{
	struct occ_suggestion suggestion;

	*ret_column = AGE;
	if (!text)
		return true;
	occ_suggestion_begin(&suggestion, text);
	for (size_t i = 0; i < COUNT(sort_keys); i++) {
		occ_suggestion_try(&suggestion, sort_keys[i].name);
		if (strcmp(sort_keys[i].name, text) != 0)
			continue;
		*ret_column = sort_keys[i].column;
		return true;
	}
	occ_message_error("list: --sort %s: it can be age, size, name, device, "
			  "driver, hits or time%s%s%s",
			  text, suggestion.best ? "; did you mean " : "",
			  suggestion.best ? suggestion.best : "",
			  suggestion.best ? "?" : "");
	return false;
}

static bool add_column(struct table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (strlen(columns[i].name) != length ||
		    memcmp(columns[i].name, name, length) != 0)
			continue;
		for (size_t j = 0; j < table->shown_count; j++)
			if (table->shown[j] == i)
				return true;
		table->shown[table->shown_count++] = (enum column)i;
		return true;
	}
	occ_message_error(
		"list: there is no column '%.*s'; there are hash, "
		"age, size, hits, time, device, driver, kernels and options",
		(int)length, name);
	return false;
}

static bool parse_columns(const char *text, struct table *table)
{
	if (!text)
		text = "hash,age,size,time,device,driver,kernels,options";
	while (*text) {
		size_t length = strcspn(text, ",");

		if (!add_column(table, text, length))
			return false;
		text += length + (text[length] == ',');
	}
	if (!table->shown_count)
		occ_message_error("list: --columns names none");
	return table->shown_count > 0;
}

static void print(const struct occ_arguments *arguments,
		  struct occ_store *store,
		  const struct occ_selection *selection, struct table *table)
{
	const struct occ_catalogue *catalogue = table->catalogue;

	if (occ_arguments_has(arguments, "json"))
		print_json(occ_store_directory(store), catalogue);
	else if (catalogue->count)
		print_table(table);
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
	struct table table = {.catalogue = &catalogue, .now = occ_file_now()};
	struct occ_store *store;
	enum column by;
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
	    !parse_columns(occ_arguments_value(arguments, "columns"), &table))
		return OCC_EXIT_USAGE;
	store = occ_place_open(arguments, false);
	if (!store)
		return OCC_EXIT_FAILED;
	read = occ_catalogue_read(store, &selection, &catalogue);
	if (read) {
		sort(&catalogue, by, occ_arguments_has(arguments, "reverse"));
		print(arguments, store, &selection, &table);
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
	OCC_PLACE_OPTION,
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
