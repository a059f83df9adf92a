/* SPDX-License-Identifier: MIT */
/*
 * Stores what is known of a program's build and isn't stored yet: at the
 * program's last release, when it is built anew, or at the end of the process.
 * Without the lock.
 */
#ifndef OCC_LAYER_SERVE_PENDING_H
#define OCC_LAYER_SERVE_PENDING_H

#include "layer/object/program.h"

/*
 * The program has left the table (occ_program_remove_unused_locked()): stores
 * what is pending, releases its shadow programs, and unpins it.
 */
void occ_pending_finish(struct occ_program *program);

/* Gives back what occ_program_hold() took; finishes the program if it was the
 * last to keep it. */
void occ_pending_unhold(struct occ_program *program);

/*
 * Stores the descriptions of kernels of all programs. Calls no driver, so it
 * may be called at the end of the process.
 */
void occ_pending_store_descriptions(void);

/*
 * When the main thread ends: fetches and stores what is pending of programs
 * that will never be released, on drivers that can be asked at that time.
 */
void occ_pending_store_at_exit(void);

/*
 * If the program's generation still is `generation`, replaces its state by
 * `state`, which is taken over, and stores descriptions that the former state
 * has; else does nothing and returns false.
 */
bool occ_pending_replace_state(struct occ_program *program, uint64_t generation,
			       const struct occ_state *state);

#endif
