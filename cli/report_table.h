/* SPDX-License-Identifier: MIT */
/*
 * The tables of `oclcache report`: a caption, a row of titles, and rows of a
 * heading and numbers. Numbers are shown rounded, and are in the page exactly:
 * <data value="1234567">1.2 MB</data>.
 *
 * Errors are the stream's. Threads: no state.
 */
#ifndef OCC_CLI_REPORT_TABLE_H
#define OCC_CLI_REPORT_TABLE_H

#include <stdint.h>
#include <stdio.h>

/* `id` finds it in the page. `titles` ends with NULL; the first is the
 * headings'. */
void occ_report_table_begin(FILE *stream, const char *id, const char *caption,
			    const char *const *titles);
void occ_report_table_end(FILE *stream);

/* Between them the heading is written, and after the second one the cells. */
void occ_report_row_begin(FILE *stream);
void occ_report_row_cells(FILE *stream);
void occ_report_row_end(FILE *stream);

/* A row whose heading says "and 37 others". Then come the cells. */
void occ_report_row_others(FILE *stream, uint64_t count);

/* A number in the text: of anything, of bytes, of nanoseconds. */
void occ_report_count(FILE *stream, uint64_t count);
void occ_report_size(FILE *stream, uint64_t bytes);
void occ_report_time(FILE *stream, uint64_t ns);
/* "3 entries", "1 entry" */
void occ_report_counted(FILE *stream, uint64_t count, const char *one,
			const char *many);

/* The same as cells. */
void occ_report_cell_count(FILE *stream, uint64_t count);
void occ_report_cell_size(FILE *stream, uint64_t bytes);
void occ_report_cell_time(FILE *stream, uint64_t ns);
void occ_report_cell_share(FILE *stream, uint64_t part, uint64_t whole);
void occ_report_cell_text(FILE *stream, const char *text);

#endif
