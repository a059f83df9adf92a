/* SPDX-License-Identifier: MIT */
/*
 * Looks an operation up and loads what was found: the whole of a hit, but for
 * the change of the program's state, which is the hook's. Any thread; not under
 * the lock.
 */
#ifndef OCC_LAYER_SERVE_HIT_H
#define OCC_LAYER_SERVE_HIT_H

#include "hash/reason.h"
#include "layer/object/shadow_program.h"

/*
 * Returns a shadow program that answers for the build key, or NULL: a miss, of
 * which *ret_reason says why. Looks among the live programs first, then in
 * memory, where it also puts what it reads from a store. `notify`: the call has
 * a callback. `start` is when the call began, for the trace.
 */
struct occ_shadow *occ_hit_load(struct occ_build_key *build_key, bool notify,
				uint64_t start, enum occ_reason *ret_reason);

/*
 * Looks up again, because another thread or process may have stored an entry
 * since. `waited`: the caller waited for one that was building the same; then
 * it is worth waiting for what is still unread of the driver's files, without
 * which nothing is found. A miss isn't traced. No other thread may have the
 * build key.
 */
struct occ_shadow *occ_hit_load_again(struct occ_build_key *build_key,
				      bool waited, uint64_t start);

/*
 * The same after that, where nobody else builds it: among the entries of the
 * remote storage (remote_storage.h), for whose helper this may wait. NULL: it
 * has none, or there is no remote storage. A miss is traced as its answer.
 */
struct occ_shadow *occ_hit_load_remote(struct occ_build_key *build_key,
				       uint64_t start);

/*
 * What the trace says of a hit. To be taken before the shadow program is handed
 * over: another thread may release it from then on.
 */
struct occ_hit {
	enum occ_tier tier;
	uint64_t compile_time; /* ns that the driver had taken; 0: not known */
};
struct occ_hit occ_hit_of(const struct occ_shadow *shadow);

/* Traces and counts a hit. */
void occ_hit_trace(const struct occ_build_key *build_key,
		   const struct occ_hit *hit, uint64_t start);

/*
 * Traces and counts an operation that isn't looked up at all. `input` is what
 * is built; NULL: a link, or binaries.
 */
void occ_hit_trace_uncacheable(enum occ_reason reason,
			       const struct occ_input *input, uint64_t start);

#endif
