/* SPDX-License-Identifier: MIT */
/*
 * What fetching binaries from a driver costs, and which keys were used before.
 * Both are remembered in the store (cache/cost.h), where the writer
 * (layer/base/writer.h) writes them.
 *
 * Any thread, but not under the lock: most calls read a file.
 */
#ifndef OCC_LAYER_SERVE_COST_H
#define OCC_LAYER_SERVE_COST_H

#include "cache/store.h"
#include "layer/key/build_key.h"

/* `auto` fetches binaries when that is expected to take less than this. */
#define OCC_COST_FETCH_MAX UINT64_C(1000000000)

/*
 * How long fetching the binaries of the build key's program is expected to
 * take, in ns. `metadata` is what the driver answered about it. Sets
 * *ret_measured if it was measured for a program with these kernels.
 */
uint64_t occ_cost_expect(const struct occ_build_key *build_key,
			 struct occ_span metadata, bool *ret_measured);

/* Remembers that it took `ns`. */
void occ_cost_note(const struct occ_build_key *build_key,
		   struct occ_span metadata, uint64_t ns);

/* Has the key been used before? Then *ret_ns is how long that compiled. */
bool occ_cost_seen(const struct occ_build_key *build_key, uint64_t *ret_ns);

/* Remembers that the key was used, and compiled for `ns`. */
void occ_cost_note_seen(const struct occ_build_key *build_key, uint64_t ns);

#endif
