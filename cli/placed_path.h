/* SPDX-License-Identifier: MIT */
/*
 * Paths under which files are to be placed: they come from databases, which may
 * be anybody's.
 */
#ifndef OCC_CLI_PLACED_PATH_H
#define OCC_CLI_PLACED_PATH_H

#include <stdbool.h>

#include "hash/buffer.h"

/*
 * Why nothing is placed under such a path, whatever is there: static; NULL: it
 * may be. It leads neither above its root, which is the current directory's of
 * a relative one, nor into /proc, /dev or /sys, and names a file.
 */
const char *occ_placed_path_fault(const char *path);

/*
 * Why no file from a database is placed there, though the path is good: static;
 * NULL: it may be. Only what is called like a source is, and nothing where the
 * system, loaders or drivers look for programs, libraries or settings. The path
 * is as _normal() gives it.
 */
const char *occ_placed_path_refusal(const char *path);

/* Has the directory libraries, as far as their names say? */
bool occ_placed_path_has_libraries(const char *directory);

/*
 * Why such bytes aren't placed: static; NULL: they can be a source, of which
 * the layer would make a key. No library, archive or compiled code is one.
 */
const char *occ_placed_content_refusal(struct occ_span bytes);

/* The same path without ".", ".." and double slashes, to be freed. */
char *occ_placed_path_normal(const char *path);

/*
 * Copies a file to a path, as _normal() gives it, in the directory; of that it
 * makes what is missing. Nothing that is there is followed or overwritten.
 * False with errno.
 */
bool occ_placed_path_put(int directory, const char *path, const char *content);

#endif
