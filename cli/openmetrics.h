/* SPDX-License-Identifier: MIT */
/*
 * Counters (cache/counters.h) as monitoring systems read them: OpenMetrics 1.0,
 * or the text format 0.0.4 that came before it, which node_exporter's textfile
 * collector and `promtool check metrics` read. They differ in what a counter's
 * metadata are called, in units, and in the end.
 *
 * Times are in seconds, sizes in bytes. Reasons are labels: there are few of
 * them, and they are stable.
 */
#ifndef OCC_CLI_OPENMETRICS_H
#define OCC_CLI_OPENMETRICS_H

#include <stdint.h>
#include <stdio.h>

#include "cache/counters.h"

enum occ_openmetrics_format {
	OCC_OPENMETRICS,    /* application/openmetrics-text; version=1.0.0 */
	OCC_PROMETHEUS_TEXT /* text/plain; version=0.0.4 */
};

/* What isn't counted, but there. */
struct occ_openmetrics_store {
	uint64_t entries;
	uint64_t bytes;
	uint64_t max_bytes; /* 0: no limit, and no such metric */
};

void occ_openmetrics_write(FILE *stream, enum occ_openmetrics_format format,
			   const struct occ_counters *counters,
			   const struct occ_openmetrics_store *store);

#endif
