/* SPDX-License-Identifier: MIT */
/*
 * Removing files. Making room: removes the least recently used files until a
 * third of the maximum has been freed, and orphaned temp files with them.
 *
 * Removing tens of thousands of files takes long. So under the lock, while
 * others wait for it, only what is needed goes, and some more; the rest after
 * the caller has given the lock up, a batch at a time, each under the lock.
 *
 * Calling sequence:
 *
 *	struct occ_eviction eviction = {0};
 *	occ_size_ledger_lock(directory, &ledger);
 *	occ_evict_begin(&ledger, &limits, need, keep, &eviction);
 *	... store something ...
 *	occ_size_ledger_unlock(&ledger);
 *	occ_evict_finish(directory, &eviction);
 *
 * Removing what somebody asked for: under the lock, in batches, so that nobody
 * waits long for it, and with the total kept right (S3), (S7).
 *
 *	struct occ_removal removal = {.directory = directory, ...};
 *	error = occ_removal_run(&removal, files, count);
 *	... removal.count files of removal.bytes are gone ...
 */
#ifndef OCC_CACHE_EVICT_H
#define OCC_CACHE_EVICT_H

#include "cache/size_ledger.h"
#include "cache/listing.h"

/* What went so far, to be told; any thread adds to it. */
struct occ_evicted {
	uint64_t files;
	uint64_t bytes;
};

/* What is still to be evicted. */
struct occ_eviction {
	struct occ_listing listing; /* sorted; nothing to do when empty */
	size_t next;		    /* the first that wasn't looked at */
	uint64_t missing;	    /* bytes that are still to be freed */
	const char *keep;
	struct occ_evicted *evicted;
};

struct occ_evict_limits {
	uint64_t max_size; /* bytes; 0: none */
	int64_t max_age;   /* s since the last use; 0: none */
	bool keeps;	   /* nothing is evicted, nor too old */
	/* Atomically added to, also by occ_evict_finish(). NULL: not told. */
	struct occ_evicted *evicted;
};

/*
 * Sees to it that `need` more bytes are within the maximum. If they seem not to
 * be, counts the directory, which mends a wrong total, and removes orphans and
 * what is too old, but for NEO's files, of which it isn't sure when they were
 * used; if that isn't enough, evicts. OCC_OK, OCC_E_TOO_LARGE when
 * evicting everything wouldn't do (then nothing is evicted), OCC_E_MEMORY or
 * OCC_E_IO. The file named `keep` (NULL: none), which must stay valid, is not
 * evicted; where limits->keeps, no file is.
 */
int occ_evict_begin(struct occ_size_ledger *ledger,
		    const struct occ_evict_limits *limits, uint64_t need,
		    const char *keep, struct occ_eviction *ret_eviction);

/*
 * The rest, without the lock; nothing after a failure, and nothing to worry
 * about if it is never called but memory. What was used or replaced meanwhile
 * stays.
 */
void occ_evict_finish(int directory, struct occ_eviction *eviction);

/* Both, and all of it under the caller's lock. */
int occ_evict_make_room(struct occ_size_ledger *ledger,
			const struct occ_evict_limits *limits, uint64_t need,
			const char *keep);

/*
 * Removes temp files that nobody writes any more and that are an hour old, each
 * under the lock. For stores that never need room, and so never count.
 */
void occ_evict_orphans(int directory);

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
