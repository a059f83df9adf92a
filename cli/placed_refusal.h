/* SPDX-License-Identifier: MIT */
/*
 * What nobody's database may put before a driver, by its path and its bytes.
 * The process that sees it loads libraries and reads settings: none of these
 * may come from there.
 *
 * Threads: no state, but the environment's.
 */
#ifndef OCC_CLI_PLACED_REFUSAL_H
#define OCC_CLI_PLACED_REFUSAL_H

#include <stdbool.h>

#include "hash/buffer.h"

/*
 * Why no file from a database is placed there, though the path is good: static;
 * NULL: it may be. Only what is called like a source is, and nothing where the
 * system, loaders or drivers look for programs, libraries or settings. The path
 * is as occ_placed_path_normal() gives it.
 */
const char *occ_placed_path_refusal(const char *path);

/* Has the directory libraries, as far as their names say? */
bool occ_placed_path_has_libraries(const char *directory);

/*
 * Why such bytes aren't placed: static; NULL: they can be a source, of which
 * the layer would make a key. No library, archive or compiled code is one.
 */
const char *occ_placed_content_refusal(struct occ_span bytes);

#endif
