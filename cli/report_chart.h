/* SPDX-License-Identifier: MIT */
/*
 * The drawings of `oclcache report`, as SVG within the page. What colours say,
 * patterns and texts say as well; widths are in percent, so that text keeps its
 * size on a narrow screen. cli/report_style.h has the colours.
 *
 * Errors are the stream's. Threads: no state.
 */
#ifndef OCC_CLI_REPORT_CHART_H
#define OCC_CLI_REPORT_CHART_H

#include <stdio.h>

#include "cli/report_history.h"

/* Once in a page, before the others: the patterns. */
void occ_report_chart_patterns(FILE *stream);

/* A bar of part/whole; nothing to those who have the page read to them. */
void occ_report_chart_bar(FILE *stream, uint64_t part, uint64_t whole);

/* Builds, and time saved, by day. */
void occ_report_chart_builds(FILE *stream,
			     const struct occ_report_history *history);
void occ_report_chart_saved(FILE *stream,
			    const struct occ_report_history *history);

/* "2026-11-26", of a day since 1970. */
#define OCC_REPORT_DATE_SIZE 16
const char *occ_report_date(int64_t day, char ret_text[OCC_REPORT_DATE_SIZE]);

#endif
