/* SPDX-License-Identifier: MIT */
/*
 * Loads ahead what this process is foreseen to build (working_set.h):
 *
 *	- while the application makes its first context, a thread reads and
 *	  verifies the entries;
 *	- when the context is there, another one has the driver load them, into
 *	  hidden programs, if the driver's record says `loads_ahead`. A build
 *	  that finds its program made is a look-up.
 *
 * doc/decisions/load-ahead.md says when, and why not otherwise.
 *
 * Invariants:
 * (A1) A program is loaded only by an entry that was verified, whose key has
 *      the identity of the context's devices, and the environment, as they were
 *      seen last; and is handed out only for a build key that is equal in full.
 * (A2) A context that the application releases for the last time has no program
 *      of ours when that reaches the driver, and none is being made in it, but
 *      for a load that takes longer than we wait.
 * (A3) The lock isn't held while the driver loads.
 * (A4) When the main thread has ended, or exit() or clDeinitLayer began, no
 *      driver is called by these threads, but for a load that takes longer than
 *      we wait.
 * (A5) Not more than half of the memory tier's capacity is loaded, or being
 *      loaded, and not taken.
 * (A6) What fails here fails in silence: the build that comes does as if it
 *      hadn't been tried.
 *
 * Any thread, without the layer's lock unless said otherwise.
 */
#ifndef OCC_LAYER_SERVE_LOAD_AHEAD_H
#define OCC_LAYER_SERVE_LOAD_AHEAD_H

#include "cache/memory.h"
#include "layer/base/tier.h"
#include "layer/object/program_pool.h"

/*
 * For a thread that may take its time; once for a process. The first one is
 * called while the thread still has the application's descriptors, which the
 * driver needs: it starts the one that loads. The second one reads what is
 * foreseen of a process whose first context is of that platform.
 */
void occ_load_ahead_begin(void);
void occ_load_ahead_read(const char *platform_name);

/*
 * The application has made that context. `quiet`: the driver tells nobody of
 * errors in it.
 */
void occ_load_ahead_offer(cl_context context, bool quiet);

/* The application is about to release it for the last time (A2). */
void occ_load_ahead_drop_context(cl_context context);

/*
 * The program for that build, if it was loaded or is being loaded: then waits
 * for it, if `may_wait`. `again`: the same build has asked before. The caller
 * owns a reference and the use. NULL: it is the caller's to load.
 */
struct occ_pooled *occ_load_ahead_take(struct occ_build_key *build_key,
				       bool may_wait, bool again,
				       enum occ_tier *ret_tier);

/*
 * Ends it, when the main thread does (A4), or the memory isn't to be spent:
 * releases all programs that weren't taken.
 */
void occ_load_ahead_end(void);

/* The bytes of programs that are loaded and not taken. */
uint64_t occ_load_ahead_size(void);

/* When exit() or clDeinitLayer began: no driver is called from now on (A4). */
void occ_load_ahead_close(void);

/*
 * The same where a signal's handler called exit() in the layer, and no lock can
 * be taken.
 */
void occ_load_ahead_halt(void);

/*
 * Around fork(), under the lock: a child has no half made program, if that
 * takes no longer than 500 ms.
 */
void occ_load_ahead_before_fork(void);
void occ_load_ahead_after_fork(void);

/* In the child, under the lock. */
void occ_load_ahead_forked(void);

/*
 * At initialisation, when no other call is under way: first waits for the
 * thread that has the driver load, which may be left of an earlier life (a
 * loader that was closed says nothing), for 5 s at most; and forgets, when the
 * one that reads has ended, too.
 */
void occ_load_ahead_await(void);
void occ_load_ahead_forget_all(void);

#endif
