/* SPDX-License-Identifier: MIT */
/*
 * Counts, for a store, what a program is to have gained today:
 *
 *	gain DIRECTORY PROGRAM HITS MISSES UNCACHEABLE SAVED_NS
 *[KIND=REASON=COUNT]...
 *
 * KIND is a number of enum occ_counted. Under faketime it is another day.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/history.h"

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static void add_reason(struct occ_counters *counters, char *text)
{
	char *reason = strchr(text, '='), *count = strrchr(text, '=');

	if (!reason || reason == count)
		return;
	*count = '\0';
	occ_counters_note(counters, (enum occ_counted)number(text), reason + 1,
			  number(count + 1));
}

int main(int argc, char **argv)
{
	struct occ_history_program program = {.day = 0};
	struct occ_counters counters = {.since = time(NULL)};
	struct occ_store *store;
	int error;

	if (argc < 7) {
		fputs("gain DIRECTORY PROGRAM HITS MISSES UNCACHEABLE SAVED_NS "
		      "[KIND=REASON=COUNT]...\n",
		      stderr);
		return 2;
	}
	snprintf(program.name, sizeof(program.name), "%s", argv[2]);
	counters.numbers[OCC_COUNT_PROCESSES] = 1;
	counters.numbers[OCC_COUNT_STORE] = number(argv[3]);
	counters.numbers[OCC_COUNT_MISSES] = number(argv[4]);
	counters.numbers[OCC_COUNT_UNCACHEABLE] = number(argv[5]);
	counters.numbers[OCC_COUNT_SAVED_NS] = number(argv[6]);
	for (int i = 7; i < argc; i++)
		add_reason(&counters, argv[i]);
	store = occ_store_open(argv[1], 0, true);
	error = store ? occ_history_merge(store, &counters, &program, 10000)
		      : OCC_E_MEMORY;
	if (error)
		fprintf(stderr, "gain: %s\n", occ_error_string(error));
	occ_store_close(store);
	return error ? 1 : 0;
}
