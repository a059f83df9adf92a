/* SPDX-License-Identifier: MIT */
/*
 * Files that Intel's driver has in directories of the store: versions of 2026
 * put what they cache into "f/5/f57b04fd7dd503d8.cl_cache", by the first two
 * digits of its name (doc/drivers.md); earlier ones beside ours. Its rule for
 * what counts and is evicted goes as deep as that, and so does ours, but for
 * names that it doesn't make: those files are somebody's (name.h).
 *
 * Any thread; reads directories, follows no links.
 */
#ifndef OCC_CACHE_NESTED_H
#define OCC_CACHE_NESTED_H

#include <stdbool.h>

#include "cache/file.h"

/* Has it the name of such a directory: one hex digit, as it writes them? */
bool occ_nested_is_name(const char *name);

enum {
	OCC_NESTED_LISTED = 0,
	OCC_NESTED_NONE = 1, /* it is gone, or no directory */
};

/*
 * Visits what lies in the store's directory of that name, and in those of such
 * names in it, by paths from the store's directory, as occ_file_list() does:
 * all but these directories themselves, in any order. -1: errno says why.
 */
int occ_nested_list(int directory, const char *name, occ_file_visit visit,
		    void *data);

#endif
