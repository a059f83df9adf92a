/* SPDX-License-Identifier: MIT */
#include "cli/table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/screen.h"

/* Between two columns. */
#define GAP 2

struct layout {
	const struct occ_table *table;
	size_t widths[OCC_TABLE_COLUMNS];
	bool cut;
};

static const struct occ_table_column *column_at(const struct layout *layout,
						size_t index)
{
	return &layout->table->columns[layout->table->shown[index]];
}

static void measure(struct layout *layout)
{
	const struct occ_table *table = layout->table;
	char memory[OCC_TABLE_CELL];

	for (size_t i = 0; i < table->shown_count; i++) {
		size_t width = strlen(column_at(layout, i)->title);

		for (size_t j = 0; j < table->rows; j++) {
			const char *text = table->cell(table->data, j,
						       table->shown[i], memory);
			size_t needed = occ_screen_columns(text, strlen(text));

			if (needed > width)
				width = needed;
		}
		layout->widths[i] = width;
	}
}

static size_t total_width(const struct layout *layout)
{
	size_t total = 0;

	for (size_t i = 0; i < layout->table->shown_count; i++)
		total += layout->widths[i] + (i ? GAP : 0);
	return total;
}

/* The last one gets what is left of the line. */
static void narrow(struct layout *layout, size_t width)
{
	size_t total, last = layout->table->shown_count - 1;

	if (total_width(layout) <= width)
		return;
	layout->cut = true;
	for (size_t i = 0; i < layout->table->shown_count; i++) {
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

static void print_cell(const struct layout *layout, size_t index,
		       const char *text)
{
	bool last = index + 1 == layout->table->shown_count;
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
	for (size_t i = 0; i < table->shown_count; i++)
		print_cell(layout, i,
			   table->cell(table->data, row, table->shown[i],
				       memory));
	if (bad)
		occ_screen_set(OCC_COLOUR_NONE);
	putchar('\n');
}

void occ_table_print(const struct occ_table *table)
{
	struct layout layout = {.table = table};

	measure(&layout);
	if (occ_screen_is_terminal(STDOUT_FILENO))
		narrow(&layout, occ_screen_width(STDOUT_FILENO));
	occ_screen_set(OCC_COLOUR_BOLD);
	for (size_t i = 0; i < table->shown_count; i++)
		print_cell(&layout, i, column_at(&layout, i)->title);
	occ_screen_set(OCC_COLOUR_NONE);
	putchar('\n');
	for (size_t i = 0; i < table->rows; i++)
		print_row(&layout, i);
}
