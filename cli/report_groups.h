/* SPDX-License-Identifier: MIT */
/*
 * How much of a store belongs to whom, for `oclcache report`.
 *
 * Names are borrowed from what was grouped. Threads: no state.
 */
#ifndef OCC_CLI_REPORT_GROUPS_H
#define OCC_CLI_REPORT_GROUPS_H

#include "cli/catalogue.h"
#include "cli/entry_users.h"

struct occ_report_group {
	const char *name; /* NULL: it isn't known */
	size_t entries;
	uint64_t bytes; /* of the entries' files */
};

struct occ_report_groups {
	struct occ_report_group *groups; /* the largest first */
	size_t count;
	size_t shared; /* entries that are in several groups */
};

/* Damaged entries have no known device. */
void occ_report_groups_by_device(const struct occ_catalogue *catalogue,
				 struct occ_report_groups *ret_groups);

/*
 * By the executables that took an entry, as far as the store remembers them. An
 * entry of several is in the group of each.
 */
void occ_report_groups_by_application(const struct occ_catalogue *catalogue,
				      const struct occ_entry_users *users,
				      struct occ_report_groups *ret_groups);

void occ_report_groups_release(struct occ_report_groups *groups);

#endif
