/* SPDX-License-Identifier: MIT */
/*
 * Drivers that aren't in the table of driver.h: their habits are learnt from
 * what the driver does, and kept in the store for later processes.
 *
 * Such a driver is *unknown* at first, and examined before the first build that
 * it is to make (occ_habit_learn). Then it is *known*, and cached like those of
 * the table; or *refused*, when it doesn't load its own binaries or can't be
 * made out, and passed through by every process. A known driver that is seen
 * to do what it wasn't known to do is forgotten: refused by this process, and
 * unknown to the next.
 *
 * Not learnt, but assumed: a program that was released while kernels of it
 * live is a valid handle. Not relied on, and so not cached: specialization
 * constants within binaries (rusticl's lack them), builds for several devices,
 * compiles and links.
 *
 * What is learnt goes to the fields of the driver's struct occ_driver, which
 * are atomic. No lock is held while the driver is called. Any thread.
 *
 * For identities of drivers in the table every call does nothing, and answers
 * NULL; but occ_habit_refusal() looks at what any driver costs (cost.h).
 */
#ifndef OCC_LAYER_HABIT_H
#define OCC_LAYER_HABIT_H

#include "layer/identity.h"
#include "layer/program.h"

struct occ_habit;

/*
 * The habits of the driver that `digest` identifies, the same for all devices
 * of it; made when new, with what the store has. NULL when out of memory.
 * Reads a file; not under the lock.
 */
struct occ_habit *occ_habit_of(const struct occ_digest *digest);

/* The driver: one object for the life of the process. */
const struct occ_driver *occ_habit_driver(const struct occ_habit *habit);

/*
 * NULL, or why such an operation isn't cached at all on this driver: a
 * constant string.
 */
const char *occ_habit_refusal(const struct occ_identity *identity,
			      const struct occ_request *request);

/*
 * NULL, or why nothing is served or stored yet: a constant string. `notify`:
 * the build has a callback.
 */
const char *occ_habit_ignorance(const struct occ_identity *identity,
				bool notify);

/*
 * A driver, whichever it is, is about to build something: notes which objects
 * are loaded, the first time in the process. What an unlisted driver loads to
 * compile is what is there later, after it has compiled.
 */
void occ_habit_watch(void);

/*
 * The driver is about to build something: examines it with a program of our
 * own (layer/trial.h), unless that was done. Not in a driver's callback, where
 * a build may be more than it can stand. Returns true when the identity wasn't
 * whole and can be now: a recipe with it is worth making again.
 */
bool occ_habit_learn(const struct occ_identity *identity);

/*
 * The objects that the driver was seen to load when it compiled: appends their
 * paths, each with its NUL. False when that isn't known. Not under the lock.
 */
bool occ_habit_libraries(const struct occ_habit *habit,
			 struct occ_buffer *paths);

/* The same without the paths. Also under the lock. */
bool occ_habit_knows_libraries(const struct occ_habit *habit);

/*
 * The application has made a kernel of a program that the driver built:
 * compares the driver's reference count with what its habit makes of those
 * that the layer knows of. `program` is pinned and its handle alive.
 */
void occ_habit_observe_kernel(struct occ_program *program);

/* The driver has called a build's callback on a thread of this kind. */
void occ_habit_learn_notify(const struct occ_identity *identity,
			    enum occ_notify_thread thread);

/* Forgets all of them; no other call may be under way. */
void occ_habit_release_all(void);

#endif
