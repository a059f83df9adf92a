/* SPDX-License-Identifier: MIT */
/*
 * Makes identities (identity_fields.h), of what was seen ahead (prefetch.h) if
 * that still holds.
 *
 * Calling sequence: _new(), _see() or not, _fill() unless it failed, _settle(),
 * and _release() when nobody has it any more. One thread at a time has an
 * identity that is being made. Without the layer's lock.
 */
#ifndef OCC_LAYER_DRIVER_IDENTITY_MAKE_H
#define OCC_LAYER_DRIVER_IDENTITY_MAKE_H

#include "hash/reason.h"
#include "layer/driver/driver_components.h"
#include "layer/driver/driver_files.h"
#include "layer/driver/identity_fields.h"

/* A driver's parts, as far as they are collected. */
struct occ_identity_parts {
	struct occ_driver_files *installation; /* NULL: it is read later */
	struct occ_driver_components components;
	unsigned long long changes; /* of what is loaded, before it was */
	bool recalled;		    /* all but what the current directory has */
};

struct occ_known_identity {
	struct occ_identity identity; /* the first member */
	/* What the device says, when the identity is prepared or made. */
	char *platform_name;
	char *driver_version;
	cl_device_type type;
	struct occ_identity_parts parts; /* while it is prepared */
	bool made;			 /* as prepared ones are */
	/* Of one that is unread; under the lock. Neither: nobody will. */
	struct occ_driver_files *to_read; /* until the driver compiles */
	struct occ_background_read *reading;
	struct occ_known_identity *next;
};

/*
 * One that is whole, of what is remembered; NULL: it can't be had so, or memory
 * ran out. What was seen ahead stays for the first build.
 */
struct occ_known_identity *occ_identity_make_foreseen(cl_device_id device);

/* Of a root device; all else is zero. NULL: out of memory. */
struct occ_known_identity *occ_identity_make_new(cl_device_id device);

/* Takes what was seen of its driver. False: there is nothing, or not enough. */
bool occ_identity_make_see(struct occ_known_identity *known);

/* Would what was made of that be made in the same way now? */
bool occ_identity_make_holds(const struct occ_known_identity *known);

/* Fills it, or returns why not. `wait`: nothing is read later. */
enum occ_reason occ_identity_make_fill(struct occ_known_identity *known,
				       bool wait);

/* Forgets what it was made of. */
void occ_identity_make_settle(struct occ_known_identity *known);

/* Waits for the thread that reads its files, if any. */
void occ_identity_make_release(struct occ_known_identity *known);

#endif
