/* SPDX-License-Identifier: MIT */
/*
 * The sections of `oclcache report`'s page (cli/report_page.h).
 *
 * Errors are the stream's. One thread.
 */
#ifndef OCC_CLI_REPORT_SECTIONS_H
#define OCC_CLI_REPORT_SECTIONS_H

#include <stdio.h>

#include "cli/report_data.h"

/* Of a store that isn't empty. `suffix` as of occ_report_page_write(). */
void occ_report_sections_write(FILE *stream, const struct occ_report *report,
			       const char *suffix);

/* What was gained by day and by program, where anything was noted. */
void occ_report_gains_write(FILE *stream,
			    const struct occ_report_history *history);

/* Why builds weren't hits, where any weren't. */
void occ_report_reasons_write(FILE *stream,
			      const struct occ_counters *counters);

/* Other places that entries come from, where any are set. */
void occ_report_others_write(FILE *stream, const struct occ_report *report);

#endif
