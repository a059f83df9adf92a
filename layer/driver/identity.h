/* SPDX-License-Identifier: MIT */
/*
 * What a device contributes to the key: what it says of itself, which driver
 * binary is behind it, and on CPU devices the host's CPU.
 *
 * The driver's identity is an inventory (driver_components.h) of
 * - the shared object that the device's dispatch table points into, and all
 *   that it needs (library.h);
 * - what known drivers load and read besides to compile (driver_files.h);
 * - of a driver that isn't listed, the objects that were loaded while it
 *   compiled a program of our own, for the first time in any process
 * (driver_traits.h). Until they are known, the identity isn't whole: nothing is
 * served or stored.
 *
 * Identities are made once per root device and process and live for ever
 * (root devices do, too); one that isn't whole is made again when it can be.
 * Sub-devices have their root device's, because their handles are recycled.
 *
 * To read all of a driver's files takes long, and while the store has no entry
 * nothing depends on it but what is to be stored: then a thread reads them
 * (background_read.h) while the driver compiles, and the identity is *unread*
 * until then. Keys that are made with it are no entry's, but the same in every
 * process that uses the same driver, and different from those with the identity
 * that comes of it. Of those that wait for another process's compile none has
 * to read what that one has read. A driver that isn't listed is known by its
 * files alone: it has no identity until they are read.
 *
 * Any thread. May call the driver (queries only) and read files.
 */
#ifndef OCC_LAYER_DRIVER_IDENTITY_H
#define OCC_LAYER_DRIVER_IDENTITY_H

#include <CL/cl.h>

#include "hash/reason.h"
#include "layer/driver/identity_fields.h"

/*
 * Returns the identity. NULL: *ret_reason says why programs for this device are
 * not cached.
 */
const struct occ_identity *occ_identity_of(cl_device_id device,
					   enum occ_reason *ret_reason);

/*
 * A context was just made of the device, and occ_prefetch_finish() said yes:
 * makes the identity of what was seen, so that the first build needn't. That
 * one takes it if what was seen still holds.
 */
void occ_identity_prepare(cl_device_id device);

/*
 * The identity that the first build is likely to have; NULL: it can't be told
 * yet. Asking leaves it to that build to find out: what happens until then
 * counts. It lives for ever, too. Reads no environment.
 */
const struct occ_identity *occ_identity_foresee(cl_device_id device);

/* The driver is about to compile: reads behind it what is unread, if any. */
void occ_identity_start_reading(const struct occ_identity *identity);

/*
 * The identity with all that was unread, for which it waits. NULL: its files
 * can't be told, and nothing can be stored.
 */
const struct occ_identity *occ_identity_read(
	const struct occ_identity *identity);

/* In a child of fork(), under the lock. */
void occ_identity_forked(void);

/*
 * Are the driver's files still those that it was identified by? Drivers read
 * some of them at each build. Looks at the files.
 */
bool occ_identity_current(const struct occ_identity *identity);

/* Adds an identity's fields to a key. */
void occ_identity_add(const struct occ_identity *identity, struct occ_key *key);

/* Forgets all of them; no other call may be under way. */
void occ_identity_release_all(void);

/*
 * Why nothing of a driver that has no record is served or stored yet, if so.
 * `notify`: the build has a callback. Takes the lock.
 */
enum occ_reason occ_identity_not_ready(const struct occ_identity *identity,
				       bool notify);

/*
 * Its driver is about to build something, outside of its callbacks: examines
 * one that has no record. True when the identity wasn't whole and can be
 * now: a build key with it is worth making again.
 */
bool occ_identity_learn(const struct occ_identity *identity);

/*
 * Its driver is to load a binary. True: that is a trial, and occ_identity_end_
 * trial() is to be told whether it did. Not under the lock.
 */
bool occ_identity_begin_trial(const struct occ_identity *identity);
void occ_identity_end_trial(const struct occ_identity *identity, bool loaded);

/*
 * Its driver has compiled, and objects were loaded meanwhile. False: what was
 * compiled isn't to be stored, for they are none that it is known by.
 */
bool occ_identity_loads_as_known(const struct occ_identity *identity);

/* Its driver has called a build's callback on a thread of this kind. */
void occ_identity_learn_notify(const struct occ_identity *identity,
			       enum occ_notify_thread thread);

#endif
