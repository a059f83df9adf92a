/* SPDX-License-Identifier: MIT */
/*
 * The stored entry whose key is nearest to one that isn't there, for people who
 * ask why it was a miss. Costs a look at each file of the store, and a read of
 * a few KiB per entry that is compared, so it is never done unasked, and within
 * limits where somebody waits.
 */
#ifndef OCC_CACHE_NEAREST_H
#define OCC_CACHE_NEAREST_H

#include "cache/name.h"
#include "cache/store.h"
#include "hash/difference.h"

/* Entries that are compared: those that were last of use. */
#define OCC_NEAREST_LOOKS 512

/* So many files are looked at, and compared, however long it takes. */
#define OCC_NEAREST_LEAST 64

/* When to be content with the nearest so far, and with which. All may be 0. */
struct occ_nearest_limits {
	size_t files;	      /* of so many in the directory; 0: all */
	uint64_t nanoseconds; /* after that long; 0: however long it takes */
	bool (*stop)(void);   /* it says so; NULL: nobody does */
	/*
	 * Asked for each that is nearer than any before, by its name in the
	 * store: others don't count. NULL: all do.
	 */
	bool (*is_good)(const char *name, void *data);
	void *data;
};

struct occ_nearest {
	char name[OCC_NAME_SIZE]; /* of its file */
	struct occ_digest hash;
	struct occ_buffer key; /* the stored key */
	uint64_t distance;     /* hash/difference.h */
	bool partial;	       /* a limit was reached ... */
	size_t looks;	       /* ... when so many had been compared */
};

/*
 * Finds the entry; of several that are equally near the one last used. What is
 * read isn't verified, and only fit to be shown. An entry with this very key is
 * none. OCC_OK, then occ_nearest_release(); OCC_E_NOT_FOUND when there is no
 * entry, or a failure. `partial` and `looks` are set whatever is found: they
 * say what OCC_E_NOT_FOUND is of.
 */
int occ_nearest_find(struct occ_store *store, const struct occ_span *key,
		     const struct occ_nearest_limits *limits,
		     struct occ_nearest *ret_nearest);
void occ_nearest_release(struct occ_nearest *nearest);

#endif
