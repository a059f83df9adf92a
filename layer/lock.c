/* SPDX-License-Identifier: MIT */
#include "layer/lock.h"

#include <pthread.h>
#include <time.h>

#include "layer/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Wider than the lock itself: a signal may come at any moment. */
OCC_FINDS_THREAD_LOCAL static volatile bool *in_use(void)
{
	static _Thread_local volatile bool here;

	return &here;
}

void occ_lock(void)
{
	*in_use() = true;
	pthread_mutex_lock(&lock);
}

void occ_unlock(void)
{
	pthread_mutex_unlock(&lock);
	*in_use() = false;
}

bool occ_lock_in_use(void)
{
	return *in_use();
}

void occ_lock_wait(unsigned milliseconds)
{
	occ_lock_wait_for(&changed, milliseconds);
}

void occ_lock_wait_for(pthread_cond_t *condition, unsigned milliseconds)
{
	struct timespec until;
	int cancel;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += milliseconds / 1000;
	until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	/* A thread that is cancelled in here would keep the lock for ever. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_cond_timedwait(condition, &lock, &until);
	pthread_setcancelstate(cancel, NULL);
}

void occ_lock_wake(void)
{
	pthread_cond_broadcast(&changed);
}

static void (*forked)(void);

static void after_fork(void)
{
	/* Its waiters are the parent's. */
	changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	forked();
	occ_unlock();
}

bool occ_lock_init(void (*in_child)(void))
{
	static bool registered;

	forked = in_child;
	/* Once: handlers stay, and so does this library (-z nodelete). */
	if (!registered)
		registered = !pthread_atfork(occ_lock, occ_unlock, after_fork);
	return registered;
}
