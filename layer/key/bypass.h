/* SPDX-License-Identifier: MIT */
/*
 * Keeps a driver from what its own cache has, where that cache doesn't look at
 * included files: what it answers may not be what they say, and must not be
 * stored (doc/drivers.md, rusticl). Such builds are given one option more, of
 * which the compiler makes nothing and which the application never sees: a
 * directory for headers that can't be there.
 *
 * Calling sequence: occ_bypass_add() for the driver's call; from then on
 * occ_bypass_strip() on what drivers say about options.
 *
 * Any thread.
 */
#ifndef OCC_LAYER_KEY_BYPASS_H
#define OCC_LAYER_KEY_BYPASS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the options with that one; to be freed. NULL: out of memory. */
char *occ_bypass_add(const char *options);

/* Has any build had it? Until then there is nothing to be stripped. */
bool occ_bypass_is_used(void);

/*
 * Takes it from an answer of `size` bytes, its NUL included. Returns the size
 * that is left: the same, when it isn't there.
 */
size_t occ_bypass_strip(char *answer, size_t size);

#endif
