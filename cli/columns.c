/* SPDX-License-Identifier: MIT */
#include "cli/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/units.h"

/* Between two columns. */
#define GAP 2

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

struct table {
	const struct occ_catalogue *catalogue;
	const struct occ_columns *columns;
	size_t widths[COLUMNS];
	int64_t now;
	bool cut;
};

_Static_assert(COLUMNS <= OCC_COLUMNS_MAX, "there is room for all columns");

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

	for (size_t i = 0; i < table->columns->count; i++) {
		enum column column = (enum column)table->columns->shown[i];
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

	for (size_t i = 0; i < table->columns->count; i++)
		total += table->widths[i] + (i ? GAP : 0);
	return total;
}

/* The last one gets what is left of the line. */
static void narrow(struct table *table, size_t width)
{
	size_t total, last = table->columns->count - 1;

	if (total_width(table) <= width)
		return;
	table->cut = true;
	for (size_t i = 0; i < table->columns->count; i++) {
		size_t narrowed = columns[table->columns->shown[i]].narrowed;
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
	bool last = index + 1 == table->columns->count;
	bool right = columns[table->columns->shown[index]].right;
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

static bool add(struct occ_columns *result, const char *name, size_t length)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (strlen(columns[i].name) != length ||
		    memcmp(columns[i].name, name, length) != 0)
			continue;
		for (size_t j = 0; j < result->count; j++)
			if (result->shown[j] == i)
				return true;
		result->shown[result->count++] = (unsigned char)i;
		return true;
	}
	occ_message_error(
		"list: there is no column '%.*s'; there are hash, "
		"age, size, hits, time, device, driver, kernels and options",
		(int)length, name);
	return false;
}

bool occ_columns_parse(const char *text, struct occ_columns *ret_columns)
{
	ret_columns->count = 0;
	if (!text)
		text = "hash,age,size,time,device,driver,kernels,options";
	while (*text) {
		size_t length = strcspn(text, ",");

		if (!add(ret_columns, text, length))
			return false;
		text += length + (text[length] == ',');
	}
	if (!ret_columns->count)
		occ_message_error("list: --columns names none");
	return ret_columns->count > 0;
}

void occ_columns_print(const struct occ_columns *asked,
		       const struct occ_catalogue *catalogue)
{
	struct table table = {.catalogue = catalogue,
			      .columns = asked,
			      .now = occ_file_now()};
	struct cell cell;

	measure(&table);
	if (occ_screen_is_terminal(STDOUT_FILENO))
		narrow(&table, occ_screen_width(STDOUT_FILENO));
	fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD), stdout);
	for (size_t i = 0; i < asked->count; i++)
		print_cell(&table, i, columns[asked->shown[i]].title);
	fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE), stdout);
	putchar('\n');
	for (size_t i = 0; i < catalogue->count; i++) {
		const struct occ_item *item = &catalogue->items[i];

		if (item->fault)
			fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_RED),
			      stdout);
		for (size_t j = 0; j < asked->count; j++) {
			make_cell(&table, item, (enum column)asked->shown[j],
				  &cell);
			print_cell(&table, j, cell.text);
		}
		if (item->fault)
			fputs(occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE),
			      stdout);
		putchar('\n');
	}
}
