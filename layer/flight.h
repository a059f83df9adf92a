/* SPDX-License-Identifier: MIT */
/*
 * Single flight: of the threads that miss the same key at the same time one
 * builds, and the others wait for it and are served what it stored.
 *
 * A thread that is to build joins, and becomes one of three:
 *
 *	the builder	nobody else builds it: it builds, and ends the flight
 *			when what it made can be found, or won't be
 *	a follower	it waits until the flight is over, and looks up again.
 *			If there is nothing, it builds without a flight, as all
 *			the others that waited do at the same time
 *	alone		it builds without a flight, and waits for nobody
 *
 * Alone is who must not wait: a thread that is in a driver's call already (in
 * a callback; the driver may hold a lock that the builder needs, or the builder
 * be the thread itself), and a call that wouldn't wait without the layer. So a
 * builder waits for nobody, and there is no circle of threads that wait for
 * each other, unless through locks of the application: nobody waits longer than
 * OCLCACHE_WAIT, nor for a process in which nothing is done.
 *
 * The flight is over before the application is called back, which may build
 * the same again. A thread that ends or is cancelled in the driver ends its
 * flight. A child of fork() isn't in its parent's flights, and builds what
 * these were for alone.
 *
 * What one thread of this process is to build another process may be building:
 * the builder waits for that (cache/gate.h) as its followers wait for it. If it
 * finds nothing then it builds, and other processes that waited do, too.
 *
 * Any thread; no lock may be held.
 */
#ifndef OCC_LAYER_FLIGHT_H
#define OCC_LAYER_FLIGHT_H

#include "layer/recipe.h"

struct occ_flight;

/*
 * Looks up again, `waited` for another one or not; true: served, there is
 * nothing to build.
 */
typedef bool (*occ_flight_serve)(void *data, bool waited);

/*
 * Called after a miss. `blocks`: the driver's call would return only after the
 * build. True when `serve` was called, with `data`, and succeeded. False: the
 * caller is to build, and *ret_flight is NULL or the flight that it must end
 * and release.
 */
bool occ_flight_join(const struct occ_recipe *recipe, bool blocks,
		     occ_flight_serve serve, void *data,
		     struct occ_flight **ret_flight);

/* Does anybody wait for it now, another process included? */
bool occ_flight_wanted(struct occ_flight *flight); /* NULL: no */

/*
 * Wakes who waits. From any thread, and more than once; the builder itself does
 * it, too, after the driver's call has returned.
 */
void occ_flight_end(struct occ_flight *flight);	    /* NULL: nothing */
void occ_flight_release(struct occ_flight *flight); /* NULL: nothing */

/*
 * Around a driver's call that builds, and around a callback of the application
 * on a driver's thread: what this thread builds in there it builds alone.
 */
void occ_flight_enter_driver(void);
void occ_flight_leave_driver(void);

/* At initialisation. False when the process is out of resources. */
bool occ_flight_init(void);

/* In the child of a fork(), with the lock held. */
void occ_flight_forked(void);

/* Nothing may be under way. */
void occ_flight_forget_all(void);

#endif
