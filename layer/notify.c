/* SPDX-License-Identifier: MIT */
#include "layer/notify.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "layer/habit.h"

void occ_notify_expect(struct occ_caller *caller)
{
	caller->thread = pthread_self();
}

void occ_notify_returned(struct occ_caller *caller)
{
	__atomic_store_n(&caller->returned, true, __ATOMIC_RELEASE);
}

void occ_notify_learn(const struct occ_caller *caller,
		      const struct occ_recipe *recipe)
{
	bool at_once = pthread_equal(caller->thread, pthread_self()) &&
		       !__atomic_load_n(&caller->returned, __ATOMIC_ACQUIRE);

	if (recipe)
		occ_habit_learn_notify(recipe->identities[0],
				       at_once ? OCC_NOTIFY_CALLER
					       : OCC_NOTIFY_OTHER);
}

struct delivery {
	occ_notify notify;
	cl_program handle;
	void *user_data;
	void (*done)(void *data);
	void *data;
};

static void deliver(const struct delivery *delivery)
{
	delivery->notify(delivery->handle, delivery->user_data);
	delivery->done(delivery->data);
}

static void *run(void *data)
{
	struct delivery *delivery = data;

	deliver(delivery);
	free(delivery);
	return NULL;
}

/* Signals are the application's threads' to handle. */
static int start(struct delivery *delivery)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attributes, run, delivery);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

void occ_notify_deliver(const struct occ_driver *driver, occ_notify notify,
			cl_program handle, void *user_data,
			void (*done)(void *data), void *data)
{
	struct delivery here = {notify, handle, user_data, done, data};
	struct delivery *other = NULL;

	if (driver->notify == OCC_NOTIFY_OTHER)
		other = malloc(sizeof(*other));
	if (other) {
		*other = here;
		if (!start(other))
			return;
		free(other);
	}
	deliver(&here);
}
