/* SPDX-License-Identifier: MIT */
#include "cache/mutex.h"

#include <stddef.h>

/* How many this thread has or is about to take; its address is the thread's. */
OCC_FINDS_THREAD_LOCAL static volatile unsigned *find(void)
{
	static _Thread_local volatile unsigned held;

	return &held;
}

void occ_mutex_init(struct occ_mutex *mutex)
{
	pthread_mutex_init(&mutex->mutex, NULL);
	mutex->holder = NULL;
}

void occ_mutex_destroy(struct occ_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->mutex);
}

static void set_holder(struct occ_mutex *mutex, const void *holder)
{
	__atomic_store_n(&mutex->holder, holder, __ATOMIC_RELAXED);
	/* A handler of this very thread is who looks. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static bool take(struct occ_mutex *mutex, bool waits)
{
	volatile unsigned *held = find();
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	++*held;
	if (waits) {
		pthread_mutex_lock(&mutex->mutex);
	} else if (pthread_mutex_trylock(&mutex->mutex)) {
		--*held;
		pthread_setcancelstate(cancel, NULL);
		return false;
	}
	mutex->cancel = cancel;
	set_holder(mutex, (const void *)held);
	return true;
}

void occ_mutex_lock(struct occ_mutex *mutex)
{
	take(mutex, true);
}

bool occ_mutex_try(struct occ_mutex *mutex)
{
	return take(mutex, false);
}

void occ_mutex_unlock(struct occ_mutex *mutex)
{
	volatile unsigned *held = find();
	int cancel = mutex->cancel;

	set_holder(mutex, NULL);
	pthread_mutex_unlock(&mutex->mutex);
	--*held;
	pthread_setcancelstate(cancel, NULL);
}

bool occ_mutex_is_mine(const struct occ_mutex *mutex)
{
	return __atomic_load_n(&mutex->holder, __ATOMIC_RELAXED) ==
	       (const void *)find();
}

bool occ_mutex_any(void)
{
	return *find();
}

bool occ_mutex_forked(struct occ_mutex *mutex)
{
	if (occ_mutex_is_mine(mutex))
		return true;
	if (occ_mutex_try(mutex)) {
		occ_mutex_unlock(mutex);
		return true;
	}
	occ_mutex_init(mutex);
	return false;
}

void occ_undisturbed_begin(struct occ_undisturbed *ret_before)
{
	/* Blocked, these end the process instead of calling handlers. */
	static const int own[] = {
		SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP,
	};
	sigset_t signals;

	sigfillset(&signals);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&signals, own[i]);
	pthread_sigmask(SIG_BLOCK, &signals, &ret_before->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ret_before->cancel);
}

void occ_undisturbed_end(const struct occ_undisturbed *before)
{
	pthread_setcancelstate(before->cancel, NULL);
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}

void occ_mutex_lock_undisturbed(struct occ_mutex *mutex)
{
	struct occ_undisturbed before;

	occ_undisturbed_begin(&before);
	occ_mutex_lock(mutex);
	mutex->before = before;
}

void occ_mutex_unlock_undisturbed(struct occ_mutex *mutex)
{
	struct occ_undisturbed before = mutex->before;

	occ_mutex_unlock(mutex);
	occ_undisturbed_end(&before);
}
