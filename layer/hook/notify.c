/* SPDX-License-Identifier: MIT */
#include "layer/hook/notify.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "cache/driver/driver.h"
#include "cache/traits.h"
#include "layer/base/section.h"
#include "layer/base/thread.h"
#include "layer/driver/identity.h"
#include "layer/serve/callback.h"
#include "layer/serve/single_flight.h"

/* A call that hasn't returned after so long waits for its callback. */
#define WAIT_MS 50

void occ_notify_expect(struct occ_caller *caller)
{
	caller->thread = pthread_self();
}

void occ_notify_returned(struct occ_caller *caller)
{
	__atomic_store_n(&caller->returned, true, __ATOMIC_RELEASE);
}

static bool has_returned(const struct occ_caller *caller)
{
	return __atomic_load_n(&caller->returned, __ATOMIC_ACQUIRE);
}

/* UNKNOWN: it is on another thread, and more need not be known. */
static enum occ_notify_thread observe_thread(const struct occ_caller *caller,
					     enum occ_notify_thread known)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	if (has_returned(caller))
		return OCC_NOTIFY_OTHER;
	if (pthread_equal(caller->thread, pthread_self()))
		return OCC_NOTIFY_CALLER;
	if (known == OCC_NOTIFY_CALLER)
		return OCC_NOTIFY_OTHER;
	if (known != OCC_NOTIFY_UNKNOWN)
		return OCC_NOTIFY_UNKNOWN;
	for (int i = 0; i < WAIT_MS && !has_returned(caller); i++)
		nanosleep(&pause, NULL);
	return has_returned(caller) ? OCC_NOTIFY_OTHER : OCC_NOTIFY_WAITED;
}

void occ_notify_learn(const struct occ_caller *caller,
		      const struct occ_build_key *build_key)
{
	const struct occ_driver *driver =
		build_key ? occ_build_key_driver(build_key) : NULL;

	if (driver && driver->learnt)
		occ_identity_learn_notify(build_key->identities[0],
					  observe_thread(caller,
							 driver->notify));
}

bool occ_notify_is_apart(const struct occ_caller *caller,
			 enum occ_notify_thread known)
{
	return known != OCC_NOTIFY_CALLER && known != OCC_NOTIFY_WAITED &&
	       !pthread_equal(caller->thread, pthread_self());
}

void occ_notify_call(occ_notify notify, cl_program handle, void *user_data,
		     bool on_builder)
{
	struct occ_callback callback;
	struct occ_section pause;

	occ_single_flight_enter_driver();
	occ_callback_enter(&callback, on_builder);
	occ_section_pause(&pause);
	notify(handle, user_data);
	occ_section_resume(&pause);
	occ_callback_leave(&callback);
	occ_single_flight_leave_driver();
}

/* A callback that is passed on. */
struct passed {
	struct occ_caller caller;
	occ_notify notify;
	void *user_data;
};

static void CL_CALLBACK call_passed(cl_program handle, void *data)
{
	struct passed *passed = data;
	struct occ_section section;

	occ_section_enter(&section);
	occ_notify_call(passed->notify, handle, passed->user_data,
			occ_notify_is_apart(&passed->caller,
					    OCC_NOTIFY_UNKNOWN));
	free(passed);
	occ_section_leave(&section);
}

void occ_notify_pass_on(occ_notify *notify, void **user_data)
{
	struct passed *passed = calloc(1, sizeof(*passed));

	if (!passed)
		return;
	occ_notify_expect(&passed->caller);
	passed->notify = *notify;
	passed->user_data = *user_data;
	*notify = call_passed;
	*user_data = passed;
}

bool occ_notify_blocks(const struct occ_build_key *build_key, occ_notify notify)
{
	enum occ_notify_thread thread = occ_build_key_driver(build_key)->notify;

	return !notify || thread == OCC_NOTIFY_CALLER ||
	       thread == OCC_NOTIFY_WAITED;
}

struct delivery {
	occ_notify notify;
	cl_program handle;
	void *user_data;
	void (*done)(void *data);
	void *data;
};

static void deliver_here(const struct delivery *delivery)
{
	struct occ_section pause;

	occ_section_pause(&pause);
	delivery->notify(delivery->handle, delivery->user_data);
	occ_section_resume(&pause);
	delivery->done(delivery->data);
}

static void *run_delivery(void *data)
{
	struct delivery *delivery = data;

	deliver_here(delivery);
	free(delivery);
	return NULL;
}

void occ_notify_deliver(const struct occ_driver *driver, occ_notify notify,
			cl_program handle, void *user_data,
			void (*done)(void *data), void *data)
{
	struct delivery here = {notify, handle, user_data, done, data};
	enum occ_notify_thread thread = driver->notify;
	bool waits = thread == OCC_NOTIFY_WAITED;
	struct delivery *other = NULL;
	pthread_t started;

	if (thread != OCC_NOTIFY_CALLER)
		other = malloc(sizeof(*other));
	if (other) {
		*other = here;
		if (occ_thread_start(run_delivery, other, 0,
				     waits ? &started : NULL)) {
			/* As long as the driver's call would. */
			if (waits)
				pthread_join(started, NULL);
			return;
		}
		free(other);
	}
	deliver_here(&here);
}
