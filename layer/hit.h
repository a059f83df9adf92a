/* SPDX-License-Identifier: MIT */
/* Looking an operation up, and loading what was found. */
#ifndef OCC_LAYER_HIT_H
#define OCC_LAYER_HIT_H

#include "layer/binary.h"

/*
 * A binary program that answers for the recipe, or NULL: a miss. Looks in the
 * process's memory first, and leaves there what the store has. `notify`: the
 * call has a callback. `start` is when the call began, for the trace. Of a miss
 * *ret_reason, a constant string, says why.
 */
struct occ_binary *occ_hit_load(struct occ_recipe *recipe, bool notify,
				uint64_t start, const char **ret_reason);

/*
 * The same once more, because another thread or process may have stored it
 * since. `waited`: for one that was about to, so that it is worth waiting for
 * what was unread of the driver, without which nothing is found. Nothing is
 * said of a miss. For who alone has the recipe.
 */
struct occ_binary *occ_hit_load_again(struct occ_recipe *recipe, bool waited,
				      uint64_t start);

/*
 * What is to be said of a hit. Whoever gives the program away takes it before:
 * the program may be gone then.
 */
struct occ_hit {
	const char *found_in;
	uint64_t compile_time; /* ns that the driver had taken; 0: not known */
};
struct occ_hit occ_hit_of(const struct occ_binary *binary);

/* Says in the trace that the recipe was served, and counts it. */
void occ_hit_explain(const struct occ_recipe *recipe, const struct occ_hit *hit,
		     uint64_t start);

/* Says why an operation isn't looked up at all. */
void occ_hit_refuse(const char *reason, uint64_t start);

#endif
