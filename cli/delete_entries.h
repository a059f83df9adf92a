/* SPDX-License-Identifier: MIT */
/*
 * Removing files of a store because the user asked: with a bar, and with words
 * about what went.
 */
#ifndef OCC_CLI_DELETE_ENTRIES_H
#define OCC_CLI_DELETE_ENTRIES_H

#include "cache/evict.h"
#include "cache/store.h"
#include "cli/arguments.h"

struct occ_delete_entries {
	struct occ_store *store;
	bool dry_run; /* only say what would go */
	/* See cache/evict.h. */
	bool (*may_go)(int directory, const struct occ_listing_file *file,
		       void *data);
	void *data;
	struct occ_removal removal; /* what went, or would go */
};

/* False after an error was shown, of the lock or of files that stayed. */
bool occ_delete_entries_run(struct occ_delete_entries *clearance,
			    struct occ_listing_file *const *files,
			    size_t count);

/* "3 entries and 1 other file removed, 12 kB freed" on standard output. */
void occ_delete_entries_tell(const struct occ_delete_entries *clearance);

/*
 * May things be removed in it? A directory that --dir names might be another
 * than meant: it must look like a store (config.file or CACHEDIR.TAG), or be
 * missing. False after an error was shown.
 */
bool occ_delete_entries_is_store(const struct occ_arguments *arguments,
				 struct occ_store *store);

#endif
