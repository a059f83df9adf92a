/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a process that were counted and not taken yet. Any thread, at
 * any time: they stand alone, and need no lock.
 */
#ifndef OCC_LAYER_SERVE_STATS_COUNT_H
#define OCC_LAYER_SERVE_STATS_COUNT_H

#include "cache/counters.h"
#include "hash/reason.h"

void occ_stats_count_add(enum occ_counter counter, uint64_t more);

void occ_stats_count_note(enum occ_counted kind, enum occ_reason reason);

/* Was anything counted that wasn't taken? */
bool occ_stats_count_any(void);

/* Takes all: the numbers are 0 again. One thread at a time. */
void occ_stats_count_take(struct occ_counters *ret_counters);

/* In a child, whose parent takes them. */
void occ_stats_count_clear(void);

#endif
