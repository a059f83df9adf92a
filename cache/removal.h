/* SPDX-License-Identifier: MIT */
/*
 * Removing files from a store because somebody asked: under the lock, in
 * batches, so that nobody waits long for it, and with the total kept right
 * (S3), (S7).
 *
 *	struct occ_removal removal = {.directory = directory, ...};
 *	error = occ_removal_run(&removal, files, count);
 *	... removal.count files of removal.bytes are gone ...
 */
#ifndef OCC_CACHE_REMOVAL_H
#define OCC_CACHE_REMOVAL_H

#include <stdbool.h>

#include "cache/listing.h"

struct occ_removal {
	int directory; /* borrowed */
	/*
	 * Asked under the lock for each file, just before it goes: is it still
	 * to go? It must not call the store. NULL: if it wasn't used or
	 * replaced since it was listed.
	 */
	bool (*may_go)(int directory, const struct occ_listing_file *file,
		       void *data);
	void *data;
	/* After each batch, without the lock; NULL: nobody wants to know. */
	void (*step)(size_t done, void *data);

	size_t count;	/* files that went, */
	size_t entries; /* those of them that were entries, */
	uint64_t bytes; /* and the bytes of all */
	size_t failed;	/* files that couldn't be removed, */
	int failure;	/* and errno of the last */
};

/*
 * Removes the files. The total is counted anew first, which mends a wrong one.
 * Temp files go if their writers are dead. OCC_OK, also when some stayed, or
 * why the lock couldn't be had (see occ_size_ledger_lock()); what went until
 * then is gone, and counted.
 */
int occ_removal_run(struct occ_removal *removal,
		    struct occ_listing_file *const *files, size_t count);

#endif
