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

#endif
