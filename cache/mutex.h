/* SPDX-License-Identifier: MIT */
/*
 * Mutexes that know their holder, also when a signal's handler asks. Handlers
 * are the application's, come at any moment, and may fork, exit or call the
 * library: who waited there for a mutex of the interrupted thread would wait
 * for ever. To keep signals out while one is held costs two system calls each
 * time.
 *
 * A thread that has one can't be cancelled. Held for moments only.
 */
#ifndef OCC_CACHE_MUTEX_H
#define OCC_CACHE_MUTEX_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

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

/*
 * Keeps signals and cancellations from the thread, but for signals that it
 * brings upon itself (SIGSEGV ...). Around what must not go on twice, in a
 * child of a handler's fork(), too.
 */
struct occ_undisturbed {
	sigset_t signals;
	int cancel;
};

void occ_undisturbed_begin(struct occ_undisturbed *ret_before);
void occ_undisturbed_end(const struct occ_undisturbed *before);

struct occ_mutex {
	pthread_mutex_t mutex;
	const void *holder; /* atomic; NULL: none, or about to change */
	int cancel;	    /* its holder's state before */
	struct occ_undisturbed before;
};

#define OCC_MUTEX_INIT                                                         \
	{                                                                      \
		.mutex = PTHREAD_MUTEX_INITIALIZER                             \
	}

void occ_mutex_init(struct occ_mutex *mutex);
void occ_mutex_destroy(struct occ_mutex *mutex);

void occ_mutex_lock(struct occ_mutex *mutex);
/* False, at once: it is held. */
bool occ_mutex_try(struct occ_mutex *mutex);
void occ_mutex_unlock(struct occ_mutex *mutex);

/* Where system calls are made meanwhile: handlers would come then. */
void occ_mutex_lock_undisturbed(struct occ_mutex *mutex);
void occ_mutex_unlock_undisturbed(struct occ_mutex *mutex);

/* Is it certain that this thread has it? */
bool occ_mutex_is_mine(const struct occ_mutex *mutex);

/* May this thread have any, or be about to? For handlers of signals. */
bool occ_mutex_any(void);

/*
 * In a child of fork(): makes it free, unless the only thread that is left has
 * it, which will give it back. False: another one had it, and what it guards
 * may be half changed.
 */
bool occ_mutex_forked(struct occ_mutex *mutex);

#endif
