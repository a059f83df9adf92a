/* SPDX-License-Identifier: MIT */
/*
 * Calling an application back for an operation that was served: on the kind of
 * thread, and at the time, that the driver would.
 */
#ifndef OCC_LAYER_HOOK_NOTIFY_H
#define OCC_LAYER_HOOK_NOTIFY_H

#include <pthread.h>

#include "cache/traits.h"
#include "layer/key/build_key.h"

typedef void(CL_CALLBACK *occ_notify)(cl_program, void *);

/*
 * Learning it: occ_notify_expect() before the driver is called,
 * occ_notify_returned() after it, on the same thread; occ_notify_learn() where
 * the driver calls back.
 */
struct occ_caller {
	pthread_t thread;
	bool returned; /* atomic */
};
void occ_notify_expect(struct occ_caller *caller);
void occ_notify_returned(struct occ_caller *caller);
/*
 * `build key` may be NULL: then there is nothing to learn it for. Where it
 * isn't known whether the driver's call waits for its callback, waits a little
 * for the call.
 */
void occ_notify_learn(const struct occ_caller *caller,
		      const struct occ_build_key *build_key);

/*
 * Calls `notify` from a driver's callback: what the application does in there
 * it does outside of the layer, and inside the driver (single_flight.h). In a
 * section. `on_builder`: see layer/serve/callback.h.
 */
void occ_notify_call(occ_notify notify, cl_program handle, void *user_data,
		     bool on_builder);

/*
 * Is the driver's callback, in which this thread is, on a thread of the
 * driver's that the call doesn't wait for, or may it be? `known` is where it is
 * called, if that is known.
 */
bool occ_notify_is_apart(const struct occ_caller *caller,
			 enum occ_notify_thread known);

/*
 * For a call that the layer needn't know the end of: puts a function of ours
 * and its data in the place of the application's, which it calls, and which
 * stay when there is no memory. The data is lost, some bytes, if the driver
 * never calls back.
 */
void occ_notify_pass_on(occ_notify *notify, void **user_data);

/* Does the driver's call of such an operation return only after it is done? */
bool occ_notify_blocks(const struct occ_build_key *build_key,
		       occ_notify notify);

/*
 * Calls `notify` once, now or soon on a thread of its own. `done` is called
 * with `data` after it, on the same thread. No lock may be held.
 */
void occ_notify_deliver(const struct occ_driver *driver, occ_notify notify,
			cl_program handle, void *user_data,
			void (*done)(void *data), void *data);

#endif
