/* SPDX-License-Identifier: MIT */
/*
 * What lies in a store: the files that count (S2), with sizes and recency.
 * A scan is exact only while nothing changes, that is, under the lock.
 */
#ifndef OCC_CACHE_LISTING_H
#define OCC_CACHE_LISTING_H

#include <stdbool.h>
#include <time.h>

#include "cache/error.h"
#include "cache/name.h"
#include "hash/buffer.h"

struct occ_listing_file {
	enum occ_name_kind kind;
	uint64_t size;
	struct timespec used; /* when it was last of use to anybody */
	uint64_t uses; /* of entries: hits, or OCC_FILE_USES_UNKNOWN (file.h) */
	/* Set by occ_listing_sort(), see there. */
	bool is_ahead;
	bool is_last;
	char name[]; /* from the store's directory (nested.h) */
};

struct occ_listing {
	struct occ_listing_file **files;
	size_t count;
	uint64_t total; /* of the sizes */
	int64_t now;	/* s since 1970, by the clock that sets `used` */
};

/*
 * Lists the directory's files that count. Returns OCC_OK, then
 * occ_listing_release(), OCC_E_MEMORY or OCC_E_IO.
 */
int occ_listing_scan(int directory, struct occ_listing *ret_listing);
void occ_listing_release(struct occ_listing *listing);

/*
 * Looks at one file again: size and `used` of *ret_file. OCC_OK,
 * OCC_E_NOT_FOUND when it isn't there or doesn't count, or OCC_E_IO.
 */
int occ_listing_look(int directory, const char *name,
		     struct occ_listing_file *ret_file);

/*
 * Sorts by rising `used`; equal times by name. First come those that were used
 * more than a minute from now: by a clock that was wrong, or before it was set
 * back, and in either case before what has been used since. Last come the
 * contents of included files (cache/included_contents.h) that were kept last,
 * up to an eighth of all that is there.
 */
void occ_listing_sort(struct occ_listing *listing);

/* The total alone, without the memory of a list. OCC_OK or OCC_E_IO. */
int occ_listing_measure(int directory, uint64_t *ret_size);

/*
 * Is the directory a store, or may it become one? It has CACHEDIR.TAG as we
 * write it, or a file that only stores have; or nothing but what a new store of
 * NEO's has, a config.file of 8 bytes, and perhaps its directories. OCC_OK,
 * OCC_E_NOT_A_STORE or OCC_E_IO.
 */
int occ_listing_judge(int directory);

#endif
