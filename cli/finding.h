/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache doctor` finds, shown as it is found: good, or what is wrong
 * and what to do.
 *
 *	struct occ_findings findings;
 *	occ_finding_begin(&findings, json);
 *	occ_finding_group(&findings, "Layer");
 *	occ_finding_add(&findings, OCC_FINDING_OK, NULL, "%s loads", path);
 *	...
 *	return occ_finding_end(&findings);
 */
#ifndef OCC_CLI_FINDING_H
#define OCC_CLI_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/json.h"

enum occ_finding {
	OCC_FINDING_OK,
	OCC_FINDING_WARNING, /* something isn't served, or less than could be */
	OCC_FINDING_PROBLEM, /* nothing is served before it is mended */
	OCC_FINDING_KINDS,
};

struct occ_findings {
	bool json;
	struct occ_json writer;
	const char *group; /* borrowed */
	size_t count[OCC_FINDING_KINDS];
};

void occ_finding_begin(struct occ_findings *findings, bool json);

/* Of those that follow; borrowed. */
void occ_finding_group(struct occ_findings *findings, const char *group);

/*
 * `what_to_do` NULL: nothing. Text of drivers may be in both. Once the command
 * was interrupted (cli/child.h) nothing is added.
 */
void occ_finding_add(struct occ_findings *findings, enum occ_finding kind,
		     const char *what_to_do, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The summary; gives the exit status: OCC_EXIT_FAILED if there is a problem. */
int occ_finding_end(struct occ_findings *findings);

#endif
