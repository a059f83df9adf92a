/* SPDX-License-Identifier: MIT */
/*
 * Stale entries: those that no driver here can load, as after a driver's
 * update. Found by what the drivers here are (cli/drivers_here.h). When in
 * doubt an entry is current:
 *
 * - if some device here has its platform, of the same version of platform and
 *   driver, and what the driver consists of differs in nothing that both have;
 * - if it does differ, but the entry was of use an hour after all that differs
 *   was last changed here: then somebody has another driver, or other
 * libraries;
 * - if of a device of its platform it can't be found out what its driver is, or
 *   the platform has no device here;
 * - if its platform isn't here, but a library is registered that it was made
 *   with: then its device is out, or its driver doesn't work just now;
 * - if it was made for another machine's CPU, or none here can be compared with
 *   that: stores in shared homes.
 *
 * Not for several threads at once; finding uses some of its own.
 */
#ifndef OCC_CLI_STALE_H
#define OCC_CLI_STALE_H

#include "cache/database.h"
#include "cache/store.h"
#include "cli/catalogue.h"
#include "cli/drivers_here.h"

enum occ_stale_why {
	OCC_STALE_NOT,	   /* current, or it isn't known */
	OCC_STALE_GONE,	   /* its platform isn't here */
	OCC_STALE_VERSION, /* another version is here */
	OCC_STALE_PARTS,   /* the same version, of other files */
	OCC_STALE_MACHINE, /* another machine's CPU, where that was asked for */
	OCC_STALE_WHYS,
};

/*
 * s: entries that were used within that time are perhaps of use elsewhere, in
 * an environment that shows another driver.
 */
#define OCC_STALE_LATELY (INT64_C(30) * 86400)

/* The same for messages, behind a number of entries. */
#define OCC_STALE_ELSEWHERE                                                    \
	"used in the last 30 days, perhaps in an environment that shows "      \
	"other drivers (OCL_ICD_VENDORS, a container, a virtual environment)"

/* Stale entries of one driver. */
struct occ_stale_driver {
	const char *platform, *version; /* borrowed from the catalogue */
	enum occ_stale_why why;
	size_t count;
	uint64_t bytes;
};

struct occ_stale {
	struct occ_catalogue catalogue; /* all that were selected, and */
	enum occ_stale_why *whys;	/* of each of its items */
	struct occ_stale_driver *drivers;
	size_t driver_count;
	size_t count; /* of stale entries, */
	uint64_t bytes;
	size_t lately; /* of them, used within OCC_STALE_LATELY */
	/* And of those that aren't stale, or are with `all_machines`, for they
	 * are for another machine's CPU, or none here tells. */
	size_t machines;
};

/*
 * Finds those that the selection has (NULL: all). False after an error was
 * shown. occ_stale_release() in any case.
 */
bool occ_stale_find(struct occ_store *store,
		    const struct occ_selection *selection,
		    const struct occ_drivers_here *here, bool all_machines,
		    struct occ_stale *ret_stale);
void occ_stale_release(struct occ_stale *stale);

/* "another version is here" */
const char *occ_stale_why_text(enum occ_stale_why why);

/*
 * Adds the builds of stale entries that were used within so many seconds
 * (INT64_MAX: ever) to a database (cli/store_database.h), and gives the number
 * of entries, also of those that lack something. False after an error was
 * shown. Takes seconds: see cli/drivers_here.h.
 */
bool occ_stale_add(struct occ_store *store, struct occ_database *database,
		   int64_t used_within, size_t *ret_count);

#endif
