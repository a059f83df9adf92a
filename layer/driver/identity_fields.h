/* SPDX-License-Identifier: MIT */
/*
 * What is known of a device's driver: made by layer/driver/identity_make.h,
 * kept by layer/driver/identity.h, and constant from then on.
 */
#ifndef OCC_LAYER_DRIVER_IDENTITY_FIELDS_H
#define OCC_LAYER_DRIVER_IDENTITY_FIELDS_H

#include <CL/cl.h>

#include "cache/cost.h"
#include "cache/driver/driver.h"
#include "hash/key.h"

struct occ_driver_traits;

struct occ_identity {
	cl_device_id device;
	const struct occ_driver *driver;
	struct occ_driver_traits *traits; /* NULL: the driver has a record */
	bool whole;			  /* the driver's identity is */
	bool unread;			  /* its files are read later */
	char *name;			  /* CL_DEVICE_NAME, for messages */
	struct occ_buffer fields; /* fields with enum occ_key_field ids */
	struct occ_buffer files;  /* paths that they come from, with NULs */
	struct occ_digest digest; /* of the fields: the driver's in the store */
	bool has_hits;		  /* what the store has was read with them */
	struct occ_hits hits;	  /* what it had then */
};

#endif
