/* SPDX-License-Identifier: MIT */
/*
 * The layer's own threads. They block all signals: signal handlers are the
 * application's, and run on its threads.
 */
#ifndef OCC_LAYER_BASE_THREAD_H
#define OCC_LAYER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Enough for paths, digests and the C library. */
#define OCC_THREAD_SMALL_STACK ((size_t)256 << 10)

/*
 * Starts a thread that calls `run(data)`. `stack_size` in bytes; 0 is the
 * default, for threads that may call the application. With `ret_thread` the
 * caller joins it; with NULL it is detached. False if none can be started.
 */
bool occ_thread_start(void *(*run)(void *data), void *data, size_t stack_size,
		      pthread_t *ret_thread);

/*
 * Gives the calling thread, which must be one of ours, a descriptor table of
 * its own (with the standard streams): the application can't close, reuse or
 * see what the thread opens. Before Linux 5.9, or where that is forbidden, the
 * thread goes on with the application's.
 */
void occ_thread_own_descriptors(void);

/*
 * Calls `run(data)` in a thread with descriptors of its own, and returns when
 * that has ended; in the calling thread if none can be started.
 */
void occ_thread_run_apart(void *(*run)(void *data), void *data,
			  size_t stack_size);

/*
 * At the end of the process: returns when our threads have ended, or after
 * 10 ms. A leak checker, which stops all threads, fails if one ends meanwhile.
 */
void occ_threads_await(void);

/* In a child of fork(). */
void occ_threads_forked(void);

#endif
