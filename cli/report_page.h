/* SPDX-License-Identifier: MIT */
/*
 * The page of `oclcache report`: one HTML file that needs nothing else, neither
 * a network nor a script. Tables have so many rows at most, and one for the
 * rest.
 *
 * Errors are the stream's. One thread.
 */
#ifndef OCC_CLI_REPORT_PAGE_H
#define OCC_CLI_REPORT_PAGE_H

#include <stdio.h>

#include "cli/report_data.h"

#define OCC_REPORT_ROWS 12
/* Characters of a name. */
#define OCC_REPORT_NAME 120

/*
 * `suffix`: what is added to commands that the page names, so that they work on
 * this store: "" or " --dir 'DIR'".
 */
void occ_report_page_write(FILE *stream, const struct occ_report *report,
			   const char *suffix);

#endif
