/* SPDX-License-Identifier: MIT */
/*
 * Which files of contents (cache/included_contents.h) a store's entries need,
 * by their keys.
 *
 * Not for several threads at once; collecting uses some of its own.
 */
#ifndef OCC_CLI_ENTRY_CONTENTS_H
#define OCC_CLI_ENTRY_CONTENTS_H

#include "cache/listing.h"
#include "hash/digest.h"

struct occ_entry_contents {
	struct occ_digest *digests; /* sorted, each once */
	size_t count;
	/* Some entry can't be read: it may need any. */
	bool is_partial;
};

/* Of these files, which are entries in the directory. */
void occ_entry_contents_collect(int directory, bool or_roots,
				struct occ_listing_file *const *entries,
				size_t count,
				struct occ_entry_contents *ret_contents);
void occ_entry_contents_release(struct occ_entry_contents *contents);

/* Is that the name of a file that is needed? */
bool occ_entry_contents_has(const struct occ_entry_contents *contents,
			    const char *name);

#endif
