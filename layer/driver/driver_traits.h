/* SPDX-License-Identifier: MIT */
/*
 * Drivers of which cache/driver/ has no traits: these are learnt from what the
 * driver does, and kept in the store for later processes.
 *
 * Such a driver is *unknown* at first. The first process that builds with it
 * only writes that down, so that what runs once doesn't pay for what it won't
 * use. The driver is examined outside of applications (`oclcache doctor
 * --learn`, or when a program has ended that `oclcache run` started), or before
 * the first build of a later process (occ_driver_traits_learn). Then it is
 * *known*, and cached like those of the table; or *refused*, when it doesn't
 * load its own binaries or can't be made out, and passed through by every
 * process. A known driver that is seen to do what it wasn't known to do is
 * forgotten: refused by this process, and unknown to the next.
 *
 * Not learnt, but assumed: a program that was released while kernels of it
 * live is a valid handle. Not relied on, and so not cached: specialization
 * constants within binaries (rusticl's lack them), builds for several devices,
 * compiles and links. Where the driver looks for included files only the
 * command finds out, for that takes files (cli/include_probe.h); until it has,
 * sources that include any aren't cached.
 *
 * What is learnt goes to the fields of the driver's struct occ_driver, which
 * are atomic. No lock is held while the driver is called. Any thread.
 */
#ifndef OCC_LAYER_DRIVER_DRIVER_TRAITS_H
#define OCC_LAYER_DRIVER_DRIVER_TRAITS_H

#include <CL/cl.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "hash/reason.h"

struct occ_driver_traits;

/*
 * The habits of the driver that `digest` identifies, the same for all devices
 * of it; made when new, with what the store has. `record`: what is known of a
 * driver by its platform's name, or NULL; of that only what refuses counts.
 * `met`: an earlier process has used the driver, even if the store has no
 * traits of it. NULL when out of memory. Reads a file; not under the lock.
 */
struct occ_driver_traits *occ_driver_traits_of(const struct occ_digest *digest,
					       const struct occ_driver *record,
					       bool met);

/* The driver: one object for the life of the process. */
const struct occ_driver *occ_driver_traits_driver(
	const struct occ_driver_traits *traits);

/* Why nothing is cached at all on this driver, if so. Takes the lock. */
enum occ_reason occ_driver_traits_refusal(
	const struct occ_driver_traits *traits);

/*
 * Why nothing is served or stored yet, if so. `whole`: the identity is;
 * `notify`: the build has a callback. Takes the lock.
 */
enum occ_reason occ_driver_traits_not_ready(
	const struct occ_driver_traits *traits, bool whole, bool notify);

/*
 * The driver is about to build something: examines it with a program of our
 * own (layer/driver/driver_probe.h), unless that was done, or this is the first
 * process that builds with it. Not in a driver's callback, where a build may be
 * more than it can stand. Returns true when what the driver loads is known.
 */
bool occ_driver_traits_learn(struct occ_driver_traits *traits,
			     cl_device_id device);

/*
 * The driver is to load a binary. True: the first one of an application, of a
 * driver that processes of the command have learnt. That is written down, in
 * case that it ends the process, until it is said how that went. Not under the
 * lock.
 */
bool occ_driver_traits_begin_trial(struct occ_driver_traits *traits);
void occ_driver_traits_end_trial(struct occ_driver_traits *traits, bool loaded);

/*
 * The objects that the driver was seen to load when it compiled: appends their
 * paths, each with its NUL. False when that isn't known. Not under the lock.
 */
bool occ_driver_traits_libraries(const struct occ_driver_traits *traits,
				 struct occ_buffer *paths);

/*
 * The driver, of which that is known, has compiled. False: it has loaded more
 * by now. Then the next process knows it by these, too, and this one passes it
 * through. Not under the lock.
 */
bool occ_driver_traits_look_at_libraries(struct occ_driver_traits *traits);

/* The same without the paths. Also under the lock. */
bool occ_driver_traits_knows_libraries(const struct occ_driver_traits *traits);

/*
 * Are reference counts of this driver's programs to be compared with what its
 * traits say? Lock held.
 */
bool occ_driver_traits_wants_counts_locked(const struct occ_driver *driver);

/*
 * One was. It wasn't what was expected when `contradicted_by` isn't NULL: a
 * program of our own on that device tells whether the traits are wrong. Without
 * the lock.
 */
void occ_driver_traits_note_count(const struct occ_driver *driver,
				  cl_device_id contradicted_by);

/* The driver has called a build's callback on a thread of this kind. */
void occ_driver_traits_learn_notify(struct occ_driver_traits *traits,
				    enum occ_notify_thread thread);

/* Forgets all of them; no other call may be under way. */
void occ_driver_traits_release_all(void);

#endif
