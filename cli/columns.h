/* SPDX-License-Identifier: MIT */
/*
 * Entries as a table, a line for each, of the columns that are asked for. On a
 * terminal long cells are cut so that a line is a line; elsewhere nothing is.
 */
#ifndef OCC_CLI_COLUMNS_H
#define OCC_CLI_COLUMNS_H

#include "cli/catalogue.h"

#define OCC_COLUMNS_MAX 16

struct occ_columns {
	unsigned char shown[OCC_COLUMNS_MAX];
	size_t count;
};

/* Of "hash,age"; NULL: those of `oclcache list`. False after an error. */
bool occ_columns_parse(const char *text, struct occ_columns *ret_columns);

/* Writes titles and entries to standard output. */
void occ_columns_print(const struct occ_columns *columns,
		       const struct occ_catalogue *catalogue);

#endif
