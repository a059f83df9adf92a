/* SPDX-License-Identifier: MIT */
/*
 * What BinaryCacheTrace=1 says of a lookup beyond its result: for a miss the
 * nearest entry and how its key differs; and, unless OCLCACHE_STORE=never, a
 * file <hash>.trace in the store with the value of every key field. Without the
 * trace nothing is done.
 *
 * The caller's thread compares some hundred entries, for some milliseconds. If
 * the store has more, the writer's thread compares all of them, unless it has
 * something else to do or is waited for, and reports a nearer one. It also
 * writes the file, for which the store may have to be counted, or something
 * evicted.
 *
 * Any thread; never under the lock: reads the store.
 */
#ifndef OCC_LAYER_SERVE_EXPLAIN_H
#define OCC_LAYER_SERVE_EXPLAIN_H

#include "hash/reason.h"
#include "layer/key/build_key.h"

/*
 * A lookup found no entry for that device; it began at `start` (occ_log_now()).
 * While the driver's files are unread the key isn't the one that an entry would
 * have, and isn't shown.
 */
void occ_explain_miss(const struct occ_build_key *build_key, cl_uint device,
		      enum occ_reason reason, uint64_t start);

/*
 * Writes the key's file, when the lookup was a hit, or when the key became
 * known only after it. The line of the trace was written already.
 */
void occ_explain_key(const struct occ_build_key *build_key, cl_uint device);

#endif
