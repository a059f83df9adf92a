/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache doctor` finds, shown as it is found: good, or what is wrong
 * and what to do.
 *
 *	struct occ_diagnostics findings;
 *	occ_diagnostic_begin(&findings, json);
 *	occ_diagnostic_group(&findings, "Layer");
 *	occ_diagnostic_add(&findings, OCC_DIAGNOSTIC_OK, NULL, "%s loads",
 *path);
 *	...
 *	return occ_diagnostic_end(&findings);
 */
#ifndef OCC_CLI_DIAGNOSTIC_H
#define OCC_CLI_DIAGNOSTIC_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/json.h"

enum occ_diagnostic {
	OCC_DIAGNOSTIC_OK,
	OCC_DIAGNOSTIC_WARNING, /* something isn't served, or less than could be
				 */
	OCC_DIAGNOSTIC_PROBLEM, /* nothing is served before it is mended */
	OCC_DIAGNOSTIC_KINDS,
};

struct occ_diagnostics {
	bool json;
	struct occ_json writer;
	const char *group; /* borrowed */
	size_t count[OCC_DIAGNOSTIC_KINDS];
};

void occ_diagnostic_begin(struct occ_diagnostics *findings, bool json);

/* Of those that follow; borrowed. */
void occ_diagnostic_group(struct occ_diagnostics *findings, const char *group);

/*
 * `what_to_do` NULL: nothing. Text of drivers may be in both. Once the command
 * was interrupted (cli/child.h) nothing is added.
 */
void occ_diagnostic_add(struct occ_diagnostics *findings,
			enum occ_diagnostic kind, const char *what_to_do,
			const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The summary; gives the exit status: OCC_EXIT_FAILED if there is a problem. */
int occ_diagnostic_end(struct occ_diagnostics *findings);

#endif
