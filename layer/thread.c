/* SPDX-License-Identifier: MIT */
#include "layer/thread.h"

#include <signal.h>

static bool prepare(pthread_attr_t *attributes, size_t stack_size, bool joined)
{
	int state = joined ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED;

	/* One with another stack than was asked for will do. */
	if (stack_size)
		pthread_attr_setstacksize(attributes, stack_size);
	return !pthread_attr_setdetachstate(attributes, state);
}

bool occ_thread_start(void *(*run)(void *data), void *data, size_t stack_size,
		      pthread_t *ret_thread)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	bool started = false;

	if (pthread_attr_init(&attributes))
		return false;
	sigfillset(&all);
	if (prepare(&attributes, stack_size, ret_thread) &&
	    !pthread_sigmask(SIG_SETMASK, &all, &before)) {
		started = !pthread_create(ret_thread ? ret_thread : &thread,
					  &attributes, run, data);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attributes);
	return started;
}
