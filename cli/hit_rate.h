/* SPDX-License-Identifier: MIT */
/*
 * `oclcache run --require-hits`: were enough of a program's builds hits? All
 * builds count, also those that can't be cached: whoever asks wants to know
 * what was compiled.
 */
#ifndef OCC_CLI_HIT_RATE_H
#define OCC_CLI_HIT_RATE_H

#include <stdbool.h>

#include "cache/counters.h"

/* Thousandths of a per cent. */
#define OCC_HIT_RATE_ALL 100000

/* "95", "99.5", "100%"; up to three digits behind the point. */
bool occ_hit_rate_parse(const char *text, unsigned *ret_rate);

/*
 * True: enough were, or none is required. Else false, and an error was shown,
 * with what missed by its reasons. No builds at all aren't enough, nor are any
 * that aren't known (NULL).
 */
bool occ_hit_rate_check(unsigned required, const struct occ_counters *counters);

#endif
