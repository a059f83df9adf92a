/* SPDX-License-Identifier: MIT */
/*
 * What a device contributes to the key: what it says of itself, which driver
 * binary is behind it, and on CPU devices the host's CPU.
 *
 * The driver's identity is an inventory (inventory.h) of
 * - the shared object that the device's dispatch table points into, and all
 *   that it needs (library.h);
 * - what known drivers load and read besides to compile (installation.h);
 * - of a driver that isn't listed, the objects that were loaded while it
 *   compiled a program of our own, for the first time in any process (habit.h).
 *   Until they are known, the identity isn't whole: nothing is served or
 * stored.
 *
 * Identities are made once per root device and process and live for ever
 * (root devices do, too); one that isn't whole is made again when it can be.
 * Sub-devices have their root device's, because their handles are recycled.
 *
 * To read all of a driver's files takes long, and while the store has no entry
 * nothing depends on it but what is to be stored: then a thread reads them
 * (reading.h) while the driver compiles, and the identity is *unread* until
 * then. Keys that are made with it are no entry's, but the same in every
 * process that uses the same driver, and different from those with the identity
 * that comes of it. Of those that wait for another process's compile none has
 * to read what that one has read.
 *
 * Any thread. May call the driver (queries only) and read files.
 */
#ifndef OCC_LAYER_IDENTITY_H
#define OCC_LAYER_IDENTITY_H

#include "cache/cost.h"
#include "hash/key.h"
#include "layer/driver.h"

struct occ_habit;

struct occ_identity {
	cl_device_id device;
	const struct occ_driver *driver;
	struct occ_habit *habit;  /* NULL: the driver is in the table */
	bool whole;		  /* the driver's identity is */
	bool unread;		  /* its files are read later */
	char *name;		  /* CL_DEVICE_NAME, for messages */
	struct occ_buffer fields; /* fields with enum occ_key_field ids */
	struct occ_buffer files;  /* paths that they come from, with NULs */
	struct occ_digest digest; /* of the fields: the driver's in the store */
	bool has_hits;		  /* what the store has was read with them */
	struct occ_hits hits;	  /* what it had then */
};

/*
 * Returns the identity, or NULL and the reason why programs for this device
 * are not cached (a constant string).
 */
const struct occ_identity *occ_identity_of(cl_device_id device,
					   const char **ret_reason);

/*
 * A context was just made of the device, and occ_ahead_finish() said yes: makes
 * the identity of what was seen, so that the first build needn't. That one
 * takes it if what was seen still holds.
 */
void occ_identity_prepare(cl_device_id device);

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

/* The device that a sub-device, of whatever depth, is part of; or itself. */
cl_device_id occ_identity_root(cl_device_id device);

/*
 * Are the driver's files still those that it was identified by? Drivers read
 * some of them at each build. Looks at the files.
 */
bool occ_identity_current(const struct occ_identity *identity);

/* Adds an identity's fields to a key. */
void occ_identity_add(const struct occ_identity *identity, struct occ_key *key);

/* Forgets all of them; no other call may be under way. */
void occ_identity_release_all(void);

#endif
