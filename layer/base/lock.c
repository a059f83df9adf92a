/* SPDX-License-Identifier: MIT */
#include "layer/base/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cache/mutex.h"

/*
 * How long a thread that may have the lock itself tries for it: nobody has it
 * for more than a moment.
 */
#define TRIES	 100
#define PAUSE_US 1000

static struct occ_mutex lock = OCC_MUTEX_INIT;
static struct occ_event changed;

static const struct occ_fork_handlers *handlers;
static pid_t process; /* in which `in_child` has run, or needn't */
static bool late;     /* `in_child` is to run when the lock is given back */

/* Of a thread that is in fork(). */
struct here {
	volatile unsigned depth; /* others' handlers of forks may fork */
	volatile bool has_lock;	 /* for that */
};

OCC_FINDS_THREAD_LOCAL static struct here *find(void)
{
	static _Thread_local struct here here;

	return &here;
}

/* With the lock, or in the child of a process whose thread had it. */
static void see_child(void)
{
	pid_t self = getpid();

	if (self == process)
		return;
	process = self;
	handlers->in_child();
}

static void give(void)
{
	if (late) {
		late = false;
		see_child();
	}
	occ_mutex_unlock(&lock);
}

void occ_lock(void)
{
	if (find()->has_lock)
		/* Others' handlers for children may come before ours. */
		see_child();
	else
		occ_mutex_lock(&lock);
}

void occ_unlock(void)
{
	if (!find()->has_lock)
		give();
}

#ifdef OCC_DEBUG
void occ_assert_locked(void)
{
	if (!find()->has_lock && !occ_mutex_is_mine(&lock))
		abort();
}
#endif

static bool try_for_a_while(void)
{
	for (int i = 0; i < TRIES; i++) {
		if (occ_mutex_try(&lock))
			return true;
		usleep(PAUSE_US);
	}
	return false;
}

bool occ_lock_in_use(void)
{
	return occ_mutex_any() || (handlers && process != getpid());
}

void occ_lock_see_process(void)
{
	if (!handlers || process == getpid() || !try_for_a_while())
		return;
	see_child();
	give();
}

static void sleep_until_changed(struct occ_event *event, unsigned seen,
				unsigned milliseconds)
{
	/* Of time that passes: who sets the clock changes nothing. */
	const struct timespec length = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = (long)(milliseconds % 1000) * 1000000,
	};

	syscall(SYS_futex, &event->changes, FUTEX_WAIT_PRIVATE, seen, &length,
		NULL, 0);
}

void occ_lock_wait(unsigned milliseconds)
{
	occ_lock_wait_for(&changed, milliseconds);
}

void occ_lock_wait_for(struct occ_event *event, unsigned milliseconds)
{
	unsigned seen = event->changes;
	int cancel;

	event->waiting++;
	give();
	/* A thread that is cancelled in here would never leave the event. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	sleep_until_changed(event, seen, milliseconds);
	pthread_setcancelstate(cancel, NULL);
	occ_mutex_lock(&lock);
	event->waiting--;
}

void occ_lock_wake(void)
{
	occ_lock_wake_for(&changed);
}

void occ_lock_wake_for(struct occ_event *event)
{
	__atomic_add_fetch(&event->changes, 1, __ATOMIC_RELAXED);
	if (event->waiting)
		syscall(SYS_futex, &event->changes, FUTEX_WAKE_PRIVATE, INT_MAX,
			NULL, NULL, 0);
}

/*
 * In a signal handler the thread may have the lock already. Then the tables may
 * be half changed, and the thread goes on with them when the handler returns,
 * also in the child. Or it may be about to take the lock, or have another of
 * the layer's mutexes.
 */
static bool take_for_fork(void)
{
	if (occ_mutex_is_mine(&lock))
		return false;
	if (occ_mutex_any())
		return try_for_a_while();
	occ_mutex_lock(&lock);
	return true;
}

static void before_fork(void)
{
	struct here *here = find();

	if (!here->depth) {
		here->has_lock = take_for_fork();
		if (here->has_lock)
			handlers->before();
	}
	here->depth++;
}

static void after_fork(void)
{
	struct here *here = find();

	if (--here->depth || !here->has_lock)
		return;
	here->has_lock = false;
	if (process == getpid())
		handlers->after();
	give();
}

static void after_fork_in_child(void)
{
	if (find()->has_lock)
		see_child();
	else
		late = true;
	after_fork();
}

bool occ_lock_init(const struct occ_fork_handlers *to)
{
	static bool registered;

	handlers = to;
	if (!process)
		process = getpid();
	/* Once: handlers stay, and so does this library (-z nodelete). */
	if (!registered)
		registered = !pthread_atfork(before_fork, after_fork,
					     after_fork_in_child);
	return registered;
}
