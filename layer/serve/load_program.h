/* SPDX-License-Identifier: MIT */
/*
 * Loads entries into a hidden program that answers for the application's, or
 * takes one that was loaded before from the pool.
 */
#ifndef OCC_LAYER_SERVE_LOAD_PROGRAM_H
#define OCC_LAYER_SERVE_LOAD_PROGRAM_H

#include "hash/reason.h"
#include "layer/object/program_pool.h"

/* Why there is no program. */
struct occ_load_fault {
	enum occ_reason reason;
	/* The driver refused the bytes themselves, not for want of resources.
	 */
	bool is_refusal;
	/* Something was short: the bytes may be good. */
	bool is_shortage;
};

/*
 * Loads one entry per device of the build key into a program, and builds it if
 * it is executable. With `code` the device code is loaded, else the binaries.
 * A caller on a thread of the application looks at the environment before.
 * The caller owns a reference and the use of the result, and still owns the
 * entries. On failure returns NULL and sets *ret_fault.
 */
struct occ_pooled *occ_load_program(struct occ_build_key *build_key,
				    struct occ_kept *const *entries, bool code,
				    struct occ_load_fault *ret_fault);

/*
 * A program that occ_load_program() made, or that was loaded ahead, is about to
 * answer for the application's: of a link it is the application's own from now
 * on.
 */
void occ_load_hand_over(struct occ_pooled *pooled);

/*
 * The binaries of a program that was loaded from device code, borrowed; NULL if
 * they can't be read any more.
 */
const struct occ_binaries *occ_load_binaries(struct occ_pooled *pooled);

/*
 * A program that was loaded before and that nobody uses any more; the caller
 * owns a reference and the use. NULL if there is none, or commands still use
 * its kernels.
 */
struct occ_pooled *occ_load_from_pool(const struct occ_build_key *build_key);

/* Puts it into the pool for occ_load_from_pool(), if it may be used again. */
void occ_load_put_in_pool(struct occ_pooled *pooled);

/* What was stored makes no program: lets the next build store anew. */
void occ_load_discard(const struct occ_build_key *build_key,
		      enum occ_reason reason);

#endif
