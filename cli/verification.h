/* SPDX-License-Identifier: MIT */
/*
 * A store looked through to the last byte, and what is bad in it deleted: its
 * entries, what has a checksum and is none, and the total of its size.
 *
 * Calling sequence: occ_verification_open(), occ_verification_look(), perhaps
 * occ_verification_delete(), occ_verification_release(). From one thread; the
 * look uses some of its own.
 */
#ifndef OCC_CLI_VERIFICATION_H
#define OCC_CLI_VERIFICATION_H

#include "cache/listing.h"
#include "cache/store.h"
#include "cache/entry_file.h"
#include "cli/parallel_for.h"

struct occ_finding {
	const char *name;
	struct occ_listing_file *file; /* of entries */
	const char *fault;	       /* NULL: it is good */
	bool other_version;	       /* the fault is no worse than that */
	bool deleted;
};

struct occ_verification {
	/* Of entries and what is named so, by name; then of other files. */
	struct occ_finding *findings;
	size_t count;
	size_t entry_count, file_count; /* the first, and of them the entries */
	uint64_t bytes;			/* of entries */
	uint64_t recorded, found;	/* totals */
	/* Its own: */
	struct occ_store *store;
	int directory;
	bool or_roots;
	struct occ_listing listing;
	struct occ_listing odd;	     /* named like entries, but no files */
	struct occ_listing odd_kept; /* and like other files */
	struct occ_entry_file wholes[OCC_PARALLEL_MAX];
};

/* False after an error was shown: there is nothing to be released. */
bool occ_verification_open(struct occ_store *store,
			   struct occ_verification *ret_verification);

/* False after an error was shown. A store that is missing has no findings. */
bool occ_verification_look(struct occ_verification *verification);

/* Is it one to be deleted? */
bool occ_verification_is_bad(const struct occ_finding *finding);

/* Deletes what is bad, and counts a wrong total anew. False after an error. */
bool occ_verification_delete(struct occ_verification *verification);
void occ_verification_release(struct occ_verification *verification);

#endif
