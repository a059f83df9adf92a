/* SPDX-License-Identifier: MIT */
/*
 * Paths under which files are to be placed: they come from databases, which may
 * be anybody's.
 */
#ifndef OCC_CLI_PLACED_PATH_H
#define OCC_CLI_PLACED_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Why nothing is placed under such a path, whatever is there: static; NULL: it
 * may be. It leads neither above the root directory nor into /proc, /dev or
 * /sys, and names a file. Of a relative one see also the next.
 */
const char *occ_placed_path_fault(const char *path);

/* How many directories above the one where it begins does it pass through? */
size_t occ_placed_path_rises(const char *path);

/*
 * The same path without ".", ".." and double slashes, to be freed; a relative
 * one may begin with "..".
 */
char *occ_placed_path_normal(const char *path);

/*
 * A relative path from the directory, an absolute one, in the only way that is
 * the shortest, to be freed: in /a/b "../b/c" is "c".
 */
char *occ_placed_path_from(const char *directory, const char *path);

/*
 * Copies a file to a path, as _normal() gives it, in the directory; of that it
 * makes what is missing. Nothing that is there is followed or overwritten, and
 * none leads up. `content` NULL: a path with "." at its end, of a directory.
 * False with errno.
 */
bool occ_placed_path_put(int directory, const char *path, const char *content);

#endif
