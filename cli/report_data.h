/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache report` shows, gathered before a line of it is written.
 *
 * Calling sequence: occ_report_gather(), any reading, occ_report_release(). One
 * thread; gathering uses some of its own. Finding stale entries starts
 * children (cli/drivers_here.h).
 */
#ifndef OCC_CLI_REPORT_DATA_H
#define OCC_CLI_REPORT_DATA_H

#include "cache/counters.h"
#include "cli/report_groups.h"
#include "cli/report_history.h"
#include "cli/stale.h"

/* A store that is only read. */
struct occ_report_store {
	char *path;
	const char *fault; /* NULL: it can be read, and has */
	size_t entries;
	uint64_t bytes; /* all files that count */
};

enum occ_report_stale {
	OCC_REPORT_STALE_SKIPPED, /* nobody asked for it */
	OCC_REPORT_STALE_UNKNOWN, /* the drivers here can't be asked */
	OCC_REPORT_STALE_KNOWN,
};

/* Not used for so long: the suggestion to remove them is about these. */
#define OCC_REPORT_UNUSED_DAYS 90

struct occ_report {
	const char *directory; /* the store's */
	char host[256];
	int64_t now;	    /* s since 1970 */
	uint64_t max_bytes; /* 0: no limit */

	enum occ_report_stale stale_state;
	char *stale_why_not;	/* of OCC_REPORT_STALE_UNKNOWN */
	struct occ_stale stale; /* has the catalogue in any case */
	size_t damaged;		/* entries that can't be read */

	struct occ_report_groups devices, applications;
	struct occ_entry_users users; /* owns the applications' names */

	/* Entries that were never hit, the largest first. */
	const struct occ_item **never_hit;
	size_t never_hit_count;
	uint64_t never_hit_bytes;
	/* Entries of which it isn't known whether they were ever hit. */
	size_t unknown_count;
	uint64_t unknown_bytes;
	/* Entries that weren't used for OCC_REPORT_UNUSED_DAYS. */
	size_t unused_count;
	uint64_t unused_bytes;

	struct occ_counters counters; /* reasons by rising kind, most first */
	char *counters_fault;	      /* NULL: none */
	struct occ_report_history history;

	struct occ_report_store *read_only;
	size_t read_only_count;
	char *remote; /* the setting without secrets; NULL: none */
};

/*
 * False after an error was shown, or when the command was interrupted.
 * occ_report_release() in any case.
 */
bool occ_report_gather(struct occ_store *store, bool with_stale,
		       struct occ_report *ret_report);
void occ_report_release(struct occ_report *report);

static inline const struct occ_catalogue *occ_report_catalogue(
	const struct occ_report *report)
{
	return &report->stale.catalogue;
}

#endif
