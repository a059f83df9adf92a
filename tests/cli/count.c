/* SPDX-License-Identifier: MIT */
/*
 * Adds to a store's counters: each number i by i times a billion and i, so that
 * any two differ, and a few reasons, some of bytes that no driver has.
 *
 *	count DIRECTORY
 */
#include <stdio.h>

#include "cache/counters.h"

#define BILLION UINT64_C(1000000000)

int main(int argc, char **argv)
{
	struct occ_counters counters = {.since = 1};
	struct occ_store *store;
	int error;

	if (argc != 2)
		return 2;
	for (unsigned i = 0; i < OCC_COUNTERS; i++)
		counters.numbers[i] = (i + 1) * (BILLION + 1);
	occ_counters_note(&counters, OCC_COUNTED_MISS, "not found", 5);
	occ_counters_note(&counters, OCC_COUNTED_MISS, "other", 2);
	occ_counters_note(&counters, OCC_COUNTED_MISS, "a \"b\" \\ \n c", 3);
	occ_counters_note(&counters, OCC_COUNTED_ERROR, "cut \xc3", 1);
	occ_counters_note(&counters, OCC_COUNTED_REMOTE, "not signed", 4);
	store = occ_store_open(argv[1], 0, false);
	if (!store)
		return 1;
	error = occ_counters_merge(store, &counters, 1000);
	if (error)
		fprintf(stderr, "%s\n", occ_error_string(error));
	occ_store_close(store);
	return error != OCC_OK;
}
