/* SPDX-License-Identifier: MIT */
/*
 * Counters (cache/counters.h) as `stats` and `run` show them.
 */
#ifndef OCC_CLI_COUNTS_H
#define OCC_CLI_COUNTS_H

#include "cache/counters.h"
#include "cli/json.h"

/* Every counter as an item of the object that is open. Times are in ns. */
void occ_counts_write_json(struct occ_json *json,
			   const struct occ_counters *counters);

/*
 * One line for who ran a program, for the caller to free(). When nothing was
 * stored of what was missed it says why: `fault`, or if that is NULL the reason
 * that was counted most often.
 */
char *occ_counts_line(const struct occ_counters *counters, const char *fault);

/*
 * Why the file of counters couldn't be read, and what that means or is to be
 * done about it. `error` is occ_counters_read()'s, with errno as it left it.
 */
const char *occ_counts_fault(int error);
const char *occ_counts_advice(int error);

#endif
