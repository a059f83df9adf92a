/* SPDX-License-Identifier: MIT */
/*
 * Environment variables that change what drivers generate. Their names are
 * known by prefix (POCL_, CL_CONFIG_, IGC_ ...), less a list of exact names
 * that only say where caches are, how big, what is logged or which devices
 * are seen: with those in the key, shared and prewarmed stores would never
 * hit. OCLCACHE_HASH_ENV adds names.
 *
 * Some drivers read them when they are loaded and some at each build. So they
 * are read at initialisation and again at every build, and where a value
 * differs nothing is cached. New names are looked for at initialisation only. A
 * walk through environ is no worse than getenv(), while another thread is in
 * setenv(): what it misses is a difference.
 */
#ifndef OCC_LAYER_ENVIRONMENT_H
#define OCC_LAYER_ENVIRONMENT_H

#include <stdbool.h>

#include "hash/buffer.h"

/* At layer initialisation; false when out of memory. */
bool occ_environment_init(void);
void occ_environment_release(void);

/*
 * The variables now, as "NAME=value" with their NULs, by rising name; borrowed
 * until occ_environment_release(). Returns false when one has another value
 * than at initialisation: what drivers make of that isn't known.
 */
bool occ_environment_stable(const struct occ_buffer **ret_variables);

/*
 * Did one that is set at initialisation make the compiler read or write files
 * of its own? Means something while they are stable.
 */
bool occ_environment_names_files(void);

#endif
