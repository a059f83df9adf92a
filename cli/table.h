/* SPDX-License-Identifier: MIT */
/*
 * A table on standard output: a line of titles, then a line for each row, whose
 * cells are text of any kind (cli/screen.h).
 *
 * On a terminal lines fit its width: columns are narrowed, from the left, and
 * where that isn't enough some are left out, which a note names. Elsewhere
 * nobody knows how wide lines may be; there, columns that can be narrowed have
 * OCC_TABLE_WIDEST characters at most, or what a bad row needs. What is cut
 * ends with "...".
 */
#ifndef OCC_CLI_TABLE_H
#define OCC_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/units.h"
#include "hash/digest.h"

/* At most so many columns. */
#define OCC_TABLE_COLUMNS 16

/* Of a column that can be narrowed, where the output is no terminal. */
#define OCC_TABLE_WIDEST  40

/* Room for the text of a cell that isn't anybody's. */
#define OCC_TABLE_CELL                                                         \
	(OCC_UNITS_SIZE > OCC_DIGEST_HEX_SIZE ? OCC_UNITS_SIZE                 \
					      : OCC_DIGEST_HEX_SIZE)

struct occ_table_column {
	const char *name; /* by which a command knows it */
	const char *title;
	bool right;	 /* numbers */
	size_t narrowed; /* where a line doesn't fit; 0: never */
	/* The highest is left out first, where narrowing isn't enough; 0:
	 * never.
	 */
	unsigned dispensable;
};

struct occ_table {
	const struct occ_table_column *columns;
	const unsigned *shown; /* which of these, in which order */
	size_t shown_count;    /* at most OCC_TABLE_COLUMNS */
	size_t rows;
	/* What a cell shows: a text that stays, or in `memory`. */
	const char *(*cell)(void *data, size_t row, unsigned column,
			    char memory[OCC_TABLE_CELL]);
	bool (*is_bad)(void *data, size_t row); /* shown in red; or NULL */
	void *data;
	/* What shows columns that were left out; NULL: "--wide". */
	const char *remedy;
	bool whole;	/* nothing is cut or left out */
	bool all_asked; /* somebody has named the columns: none is left out */
};

/* `cell` is called up to three times for each. */
void occ_table_print(const struct occ_table *table);

#endif
