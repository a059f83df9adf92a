/* SPDX-License-Identifier: MIT */
/*
 * For which devices here is a build of a database meant? For those of the
 * platform and type that it was used on: a driver's update is the same
 * platform. For others of the type, if the program had asked its device before
 * it built, and each answer is the same here, so that it would have built the
 * same; but not if it had asked who made the device or driver. Where nothing is
 * said of what was asked, as in databases made from a store, there are no
 * others.
 */
#ifndef OCC_CLI_REPLAY_DEVICES_H
#define OCC_CLI_REPLAY_DEVICES_H

#include "cli/probe.h"
#include "cli/replay_uses.h"

struct occ_replay_devices {
	/* Before the begin; borrowed. */
	const struct occ_records *records;
	const struct occ_probe_survey *survey;
	const bool *wanted; /* of the survey's devices */
	bool by_hand;	    /* it is meant for all that are wanted */

	bool *meant; /* of each recorded device, for each one here */
	size_t recorded_count;
	const struct occ_record *recorded;
};

/* Asks the drivers, where it matters. */
void occ_replay_devices_begin(struct occ_replay_devices *devices);
void occ_replay_devices_end(struct occ_replay_devices *devices);

/* Is one that was used so meant for that device of the survey? */
bool occ_replay_devices_has(const struct occ_replay_devices *devices,
			    const struct occ_replay_use *uses, size_t count,
			    size_t device);

#endif
