/* SPDX-License-Identifier: MIT */
/*
 * Small files that decide what is done, so that nobody else may have written
 * them: configurations (cache/settings.h), and keys (cache/signature.h).
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_CACHE_HEEDED_FILE_H
#define OCC_CACHE_HEEDED_FILE_H

#include <stddef.h>

#define OCC_HEEDED_FILE_MAX 65536

enum occ_heeded_file {
	/*
	 * The user's or root's, and nobody else can write it: a group may that
	 * has its owner's number, in which he is alone.
	 */
	OCC_HEEDED_PUBLIC,
	/* The user's, and nobody else can even read it. */
	OCC_HEEDED_SECRET,
};

/*
 * Reads a regular file of at most OCC_HEEDED_FILE_MAX bytes; links are
 * followed. NULL: *ret_text, with a NUL behind its *ret_size bytes, is the
 * caller's to free(), or is NULL when there is no such file, for all that the
 * user can tell. Else what is wrong, such as "is no regular file".
 */
const char *occ_heeded_file_read(const char *path, enum occ_heeded_file kind,
				 char **ret_text, size_t *ret_size);

#endif
