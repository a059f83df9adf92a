/* SPDX-License-Identifier: MIT */
/*
 * Threads of our own. They block all signals: handlers are the application's,
 * and run on its threads.
 */
#ifndef OCC_LAYER_THREAD_H
#define OCC_LAYER_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Of functions that find out where a thread-local variable is, and do nothing
 * else. gcc takes it that a descriptor's call (Makefile) leaves vector
 * registers alone, which up to glibc 2.39 isn't so where the variable needs to
 * be allocated (BZ 31372): none is in use in such a function, nor, so called,
 * around it.
 */
#if defined(__has_attribute) && __has_attribute(noipa)
#define OCC_FINDS_THREAD_LOCAL __attribute__((noipa))
#else
#define OCC_FINDS_THREAD_LOCAL __attribute__((noinline))
#endif

/* Enough for paths, digests and the C library. */
#define OCC_THREAD_SMALL_STACK ((size_t)256 << 10)

/*
 * Starts one that runs `run` with `data`. `stack_size` in bytes; 0: the
 * default, for what may call the application. With `ret_thread` it is to be
 * joined; NULL: nobody waits for it. False: none can be had.
 */
bool occ_thread_start(void *(*run)(void *data), void *data, size_t stack_size,
		      pthread_t *ret_thread);

/*
 * From here on the calling thread, which must be one of ours, has descriptors
 * of its own (the standard streams among them): what it opens gets no number
 * that the application could take over and find closed or written to. Where
 * Linux is older than 5.9 or forbids it they stay the application's.
 */
void occ_thread_own_descriptors(void);

/*
 * Runs it in a thread with descriptors of its own, and returns when it has
 * ended; in this thread when none can be had.
 */
void occ_thread_run_apart(void *(*run)(void *data), void *data,
			  size_t stack_size);

/*
 * At the end of the process: returns when they have ended, or after 10 ms. A
 * leak checker, which stops all threads, fails if one ends meanwhile; without
 * the layer there wouldn't be any.
 */
void occ_threads_await(void);

/* In a child of fork(). */
void occ_threads_forked(void);

#endif
