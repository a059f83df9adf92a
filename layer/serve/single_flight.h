/* SPDX-License-Identifier: MIT */
/*
 * Single flight: of the threads that miss the same key at the same time one
 * builds, and the others wait for it and are served what it stored.
 *
 * A thread that is to build joins, and becomes one of three:
 *
 *	the builder	nobody else builds it: it builds, and ends the flight
 *			when the entry can be found, or there won't be one
 *	a follower	it waits until the flight is over, and looks up again.
 *			If there is nothing, it builds without a flight, as all
 *			the others that waited do at the same time
 *	alone		it builds without a flight, and waits for nobody
 *
 * A thread that must not wait builds alone: one that is already in a driver's
 * call (in a callback: the driver may hold a lock that the builder needs, or
 * the thread may be the builder itself), and one whose call wouldn't wait
 * without the layer. So a builder waits for no thread of the process, and there
 * is no cycle of threads that wait for each other, except through locks of the
 * application: nobody waits longer than OCLCACHE_WAIT, nor for a process that
 * does nothing.
 *
 * The flight is over before the application's callback, which may build the
 * same again. A thread that ends or is cancelled in the driver ends its flight.
 * A child of fork() isn't in its parent's flights: what these are for it builds
 * alone.
 *
 * Another process may be building the same: then the builder waits for it
 * (cache/build_lock.h) as its followers wait for the builder. If it finds
 * nothing after that it builds, and other processes that waited do, too.
 *
 * Any thread; no lock may be held.
 */
#ifndef OCC_LAYER_SERVE_SINGLE_FLIGHT_H
#define OCC_LAYER_SERVE_SINGLE_FLIGHT_H

#include "layer/key/build_key.h"

struct occ_single_flight;

/*
 * Looks up again, having `waited` for another builder or not. Returns true if
 * the call was served, so that there is nothing to build.
 */
typedef bool (*occ_single_flight_serve)(void *data, bool waited);

/*
 * Called after a miss. `blocks`: the driver's call would return only after the
 * build. True when `serve` was called, with `data`, and succeeded. False: the
 * caller is to build, and *ret_flight is NULL or the flight that it must end
 * and release.
 */
bool occ_single_flight_join(const struct occ_build_key *build_key, bool blocks,
			    occ_single_flight_serve serve, void *data,
			    struct occ_single_flight **ret_flight);

/*
 * May this thread wait for others for the sake of that build, as far as it
 * isn't the settings that say no?
 */
bool occ_single_flight_may_wait(const struct occ_build_key *build_key,
				bool blocks);

/* Does a thread or another process wait for it now? */
bool occ_single_flight_wanted(struct occ_single_flight *flight); /* NULL: no */

/*
 * Ends the flight and wakes the followers. May be called from any thread and
 * more than once; the builder calls it after the driver's call has returned.
 */
void occ_single_flight_end(
	struct occ_single_flight *flight); /* NULL: nothing */
void occ_single_flight_release(
	struct occ_single_flight *flight); /* NULL: nothing */

/*
 * Enclose a driver's call that builds, and a callback of the application on a
 * driver's thread: what this thread builds in between, it builds alone.
 */
void occ_single_flight_enter_driver(void);
void occ_single_flight_leave_driver(void);

/* At initialisation. False when the process is out of resources. */
bool occ_single_flight_init(void);

/* In the child of a fork(), with the lock held. */
void occ_single_flight_forked(void);

/* At initialisation, when no other call is under way. */
void occ_single_flight_forget_all(void);

#endif
