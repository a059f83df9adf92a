/* SPDX-License-Identifier: MIT */
/*
 * The end of the process, in this order:
 *
 *	1. the main thread calls exit() or returns from main(): glibc runs the
 *	   destructors of that thread's data before all exit handlers;
 *	2. exit handlers, in the reverse order of their registration: the one
 *	   that we register after a driver's first build, then the driver's own;
 *	   among these the one that we register when a context was made, which
 *	   is before those that the driver has registered until then;
 *	3. the exit handler that we register when the process first counts
 *	   something.
 *
 * layer/lifecycle.c decides what is done in each. This module registers them
 * and knows how far the process has come. Any thread.
 */
#ifndef OCC_LAYER_BASE_EXIT_H
#define OCC_LAYER_BASE_EXIT_H

#include <stdbool.h>

/*
 * If a signal handler calls exit() in a thread that is inside the layer, only
 * those that are told are called, with `interrupted`.
 */
struct occ_exit_handlers {
	void (*main_thread_ends)(void);		/* 1 */
	void (*process_ends)(bool interrupted); /* 2, after a build */
	void (*contexts_end)(bool interrupted); /* 2, after a context */
	void (*last)(void);			/* 3; not if 2 was called */
};

/* At initialisation; the handlers stay the caller's. */
void occ_exit_init(const struct occ_exit_handlers *handlers);

/*
 * Registers 2. To be called after the driver's first build, so that our handler
 * runs before the driver's statics go. False when it can't be registered.
 * Takes the lock.
 */
bool occ_exit_watch(void);

/*
 * Registers 1, if called on the main thread. To be called by every thread that
 * makes something pending. Takes the lock.
 */
void occ_exit_watch_main_thread(void);

/* Registers the second 2. To be called when a context was made. */
void occ_exit_watch_context(void);

/* Registers 3. */
void occ_exit_watch_early(void);

/* Has 2 begun? From then on no driver is asked for anything. */
bool occ_exit_begun(void);

/* Has the main thread ended (1)? */
bool occ_exit_main_thread_ended(void);

/* From now on occ_exit_begun(). */
void occ_exit_begin(void);

/* In a child of fork(), where the driver's threads are gone. */
void occ_exit_forked(void);
bool occ_exit_is_child(void);

#endif
