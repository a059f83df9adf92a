/* SPDX-License-Identifier: MIT */
/*
 * Paths under which files are to be placed: they come from databases, which may
 * be anybody's.
 */
#ifndef OCC_CLI_PLACED_PATH_H
#define OCC_CLI_PLACED_PATH_H

#include <stdbool.h>

/*
 * Why nothing is placed under such a path, whatever is there: static; NULL: it
 * may be. It leads neither above its root, which is the current directory's of
 * a relative one, nor into /proc, /dev or /sys, and names a file.
 */
const char *occ_placed_path_fault(const char *path);

/* The same path without ".", ".." and double slashes, to be freed. */
char *occ_placed_path_normal(const char *path);

/*
 * Copies a file to a path, as _normal() gives it, in the directory; of that it
 * makes what is missing. Nothing that is there is followed or overwritten.
 * False with errno.
 */
bool occ_placed_path_put(int directory, const char *path, const char *content);

#endif
