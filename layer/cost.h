/* SPDX-License-Identifier: MIT */
/*
 * Is it worth the trouble? What fetching binaries from a driver costs, which
 * keys were used before, and whether hits are faster than compiles: what is
 * measured here, and remembered in the store (cache/cost.h, sighting.h).
 *
 * What is to be remembered is written by the writer (layer/writer.h). Any
 * thread, but not under the lock: most calls read a file.
 */
#ifndef OCC_LAYER_COST_H
#define OCC_LAYER_COST_H

#include "cache/store.h"
#include "layer/recipe.h"

/* `auto` fetches binaries when that is expected to take less than this. */
#define OCC_COST_FETCH_MAX UINT64_C(1000000000)

/*
 * What fetching the binaries of the recipe's program, of which the driver
 * answered `metadata`, is expected to take, in ns. *ret_measured: it was
 * measured for a program with these kernels.
 */
uint64_t occ_cost_expect(const struct occ_recipe *recipe,
			 struct occ_span metadata, bool *ret_measured);

/* It took that long. */
void occ_cost_note(const struct occ_recipe *recipe, struct occ_span metadata,
		   uint64_t ns);

/* Is that so much that it must not be done at once? */
bool occ_cost_is_dear(uint64_t fetch_ns, uint64_t compile_ns);

/* Has the recipe's key been used before? */
bool occ_cost_seen(const struct occ_recipe *recipe);

/* It has, from now on. */
void occ_cost_note_seen(const struct occ_recipe *recipe);

/*
 * NULL, or why nothing of the device is cached: its driver has loaded binaries
 * for more than 1.5 times the time that it compiled in. A constant string.
 */
const char *occ_cost_refusal(const struct occ_identity *identity);

/*
 * A hit took `load_ns`, where the driver had taken `compile_ns` (0: it isn't
 * known).
 */
void occ_cost_note_hit(const struct occ_recipe *recipe, uint64_t load_ns,
		       uint64_t compile_ns);

/* Forgets what is known of identities; no other call may be under way. */
void occ_cost_release_all(void);

#endif
