/* SPDX-License-Identifier: MIT */
/*
 * What BinaryCacheTrace=1 says of a lookup beyond its result: for a miss the
 * entry that is nearest to what was looked for, and what differs; and a file
 * <hash>.trace in the store with the value of every key field, unless
 * OCLCACHE_STORE=never. Nothing is done, and nothing costs, without it.
 *
 * Any thread; never under the lock: reads the store, and writes to it.
 */
#ifndef OCC_LAYER_EXPLAIN_H
#define OCC_LAYER_EXPLAIN_H

#include "layer/recipe.h"

/*
 * A lookup found no entry for that device; `start` as in layer/log.h. While the
 * driver's files are unread, the key is no entry's, and isn't shown.
 */
void occ_explain_miss(const struct occ_recipe *recipe, cl_uint device,
		      const char *reason, uint64_t start);

/*
 * A lookup was a hit, or the key became known after it: shows the key, of which
 * the trace line was written already.
 */
void occ_explain_key(const struct occ_recipe *recipe, cl_uint device);

#endif
