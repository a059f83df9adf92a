/* SPDX-License-Identifier: MIT */
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/screen.h"
#include "cli/text.h"

/* Between two columns. */
#define GAP 2

struct layout {
	const struct occ_table *table;
	unsigned shown[OCC_TABLE_COLUMNS];
	size_t shown_count;
	size_t widths[OCC_TABLE_COLUMNS];
	bool cut;
};

static const struct occ_table_column *column_at(const struct layout *layout,
						size_t index)
{
	return &layout->table->columns[layout->shown[index]];
}

/* What the cells of a column take; `bad_only`: of the rows that are bad. */
static size_t widest_cell(const struct occ_table *table, unsigned column,
			  bool bad_only)
{
	char memory[OCC_TABLE_CELL];
	size_t width = 0;

	for (size_t i = 0; i < table->rows; i++) {
		const char *text;
		size_t needed;

		if (bad_only &&
		    !(table->is_bad && table->is_bad(table->data, i)))
			continue;
		text = table->cell(table->data, i, column, memory);
		needed = occ_screen_columns(text, strlen(text));
		if (needed > width)
			width = needed;
	}
	return width;
}

static void measure(struct layout *layout)
{
	const struct occ_table *table = layout->table;

	memcpy(layout->shown, table->shown,
	       table->shown_count * sizeof(*table->shown));
	layout->shown_count = table->shown_count;
	for (size_t i = 0; i < table->shown_count; i++) {
		size_t title = strlen(column_at(layout, i)->title);
		size_t cells = widest_cell(table, table->shown[i], false);

		layout->widths[i] = cells > title ? cells : title;
	}
}

static size_t total_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->shown_count; i++)
		total += layout->widths[i] + (i ? GAP : 0);
	return total;
}

/* When all is narrowed that can be. */
static size_t least_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->shown_count; i++) {
		size_t narrowed = column_at(layout, i)->narrowed;
		size_t width = layout->widths[i];

		total += narrowed && narrowed < width ? narrowed : width;
		total += i ? GAP : 0;
	}
	return total;
}

/* False: there is none. */
static bool leave_one_out(struct layout *layout)
{
	size_t chosen = 0, after;
	unsigned rank = 0;

	for (size_t i = 0; i < layout->shown_count; i++)
		if (column_at(layout, i)->dispensable > rank) {
			chosen = i;
			rank = column_at(layout, i)->dispensable;
		}
	if (!rank)
		return false;
	after = --layout->shown_count - chosen;
	memmove(&layout->shown[chosen], &layout->shown[chosen + 1],
		after * sizeof(*layout->shown));
	memmove(&layout->widths[chosen], &layout->widths[chosen + 1],
		after * sizeof(*layout->widths));
	return true;
}

static void leave_out(struct layout *layout, size_t width)
{
	while (least_width(layout) > width && leave_one_out(layout))
		;
}

/* Which were left out, below the table. */
static void tell_left_out(const struct layout *layout)
{
	const struct occ_table *table = layout->table;
	char *names = NULL;

	for (size_t i = 0, j = 0; i < table->shown_count; i++) {
		char *longer;

		if (j < layout->shown_count &&
		    layout->shown[j] == table->shown[i]) {
			j++;
			continue;
		}
		longer = occ_text("%s%s%s", names ? names : "",
				  names ? ", " : "",
				  table->columns[table->shown[i]].title);
		free(names);
		names = longer;
	}
	if (names) {
		fflush(stdout);
		occ_message_note("no room for %s; %s shows everything", names,
				 table->remedy ? table->remedy : "--wide");
	}
	free(names);
}

/* The last one gets what is left of the line. */
static void narrow(struct layout *layout, size_t width)
{
	size_t total, last = layout->shown_count - 1;

	if (total_width(layout) <= width)
		return;
	layout->cut = true;
	for (size_t i = 0; i < layout->shown_count; i++) {
		size_t narrowed = column_at(layout, i)->narrowed;
		size_t over = total_width(layout);

		if (!narrowed || layout->widths[i] <= narrowed || over <= width)
			continue;
		over -= width;
		layout->widths[i] = layout->widths[i] - narrowed > over
					    ? layout->widths[i] - over
					    : narrowed;
	}
	total = total_width(layout) - layout->widths[last];
	if (total + layout->widths[last] > width)
		layout->widths[last] = width > total + 4 ? width - total : 4;
}

/* Where nobody knows the width. What is wrong with an entry is shown whole. */
static void limit(struct layout *layout)
{
	for (size_t i = 0; i < layout->shown_count; i++) {
		size_t most = OCC_TABLE_WIDEST, bad;

		if (!column_at(layout, i)->narrowed ||
		    layout->widths[i] <= most)
			continue;
		bad = widest_cell(layout->table, layout->shown[i], true);
		if (bad > most)
			most = bad;
		layout->cut |= layout->widths[i] > most;
		layout->widths[i] =
			most < layout->widths[i] ? most : layout->widths[i];
	}
}

static void fit(struct layout *layout)
{
	size_t width = occ_screen_width(STDOUT_FILENO);

	if (layout->table->whole)
		return;
	if (!occ_screen_is_terminal(STDOUT_FILENO)) {
		limit(layout);
		return;
	}
	if (!layout->table->all_asked)
		leave_out(layout, width);
	narrow(layout, width);
}

static void print_cell(const struct layout *layout, size_t index,
		       const char *text)
{
	bool last = index + 1 == layout->shown_count;
	bool right = column_at(layout, index)->right;
	size_t width = layout->widths[index], size = strlen(text);
	size_t taken = occ_screen_columns(text, size);
	bool cut = layout->cut && taken > width;

	if (cut) {
		size = occ_screen_fitting(text, size, width - 3, &taken);
		taken += 3;
	}
	if (right)
		printf("%*s", (int)(width - taken), "");
	occ_screen_write(stdout, text, size, true);
	if (cut)
		fputs("...", stdout);
	if (!right && !last && taken < width)
		printf("%*s", (int)(width - taken), "");
	if (!last)
		printf("%*s", GAP, "");
}

static void print_row(const struct layout *layout, size_t row)
{
	const struct occ_table *table = layout->table;
	bool bad = table->is_bad && table->is_bad(table->data, row);
	char memory[OCC_TABLE_CELL];

	if (bad)
		occ_screen_set(OCC_COLOUR_RED);
	for (size_t i = 0; i < layout->shown_count; i++)
		print_cell(layout, i,
			   table->cell(table->data, row, layout->shown[i],
				       memory));
	if (bad)
		occ_screen_set(OCC_COLOUR_NONE);
	putchar('\n');
}

void occ_table_print(const struct occ_table *table)
{
	struct layout layout = {.table = table};

	measure(&layout);
	fit(&layout);
	occ_screen_set(OCC_COLOUR_BOLD);
	for (size_t i = 0; i < layout.shown_count; i++)
		print_cell(&layout, i, column_at(&layout, i)->title);
	occ_screen_set(OCC_COLOUR_NONE);
	putchar('\n');
	for (size_t i = 0; i < table->rows; i++)
		print_row(&layout, i);
	tell_left_out(&layout);
}
