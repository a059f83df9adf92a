/* SPDX-License-Identifier: MIT */
/*
 * What of databases is compiled here: each build for each device that it is
 * meant for, what was used last first; and what isn't, by reason.
 *
 *	occ_replay_plan_make(&plan)
 *	... plan.items, which is run (cli/build_items.h)
 *	occ_replay_plan_release(&plan)
 */
#ifndef OCC_CLI_REPLAY_PLAN_H
#define OCC_CLI_REPLAY_PLAN_H

#include "cli/build_setup.h"
#include "cli/replay_devices.h"
#include "cli/replay_places.h"
#include "cli/replay_steps.h"
#include "cli/replay_uses.h"

/* Of an item. */
struct occ_replay_program {
	struct occ_replay_steps steps;
	const struct occ_replay_use *uses;
	size_t use_count;
	char *name;
	bool is_apart; /* it shares no place any more */
};

/* What isn't replayed. */
struct occ_replay_reason {
	const char *text; /* static */
	size_t count;
};

struct occ_replay_plan {
	/* Before; borrowed. */
	const struct occ_records *records;
	const struct occ_build_setup *setup;
	const char *application; /* NULL: any */
	bool by_hand;		 /* on all devices that are wanted */
	bool says_all;		 /* names what isn't replayed */
	uint64_t max_size;	 /* of the store, in bytes; 0: none */

	char *hashed; /* OCLCACHE_HASH_ENV, or NULL */
	struct occ_replay_uses uses;
	struct occ_replay_devices devices;
	struct occ_replay_places places;
	struct occ_replay_program *programs; /* of each item */
	struct occ_build_items items;
	struct occ_replay_reason *reasons;
	size_t reason_count;
};

/* False after an error was shown. */
bool occ_replay_plan_make(struct occ_replay_plan *plan);
void occ_replay_plan_release(struct occ_replay_plan *plan);

/* How many builds aren't replayed. */
size_t occ_replay_plan_left_out(const struct occ_replay_plan *plan);

/*
 * After the run: how many builds there are for a device that items with that
 * outcome link. What items of several outcomes link is counted once, with the
 * first of them.
 */
size_t occ_replay_plan_linked(const struct occ_replay_plan *plan,
			      enum occ_build_outcome outcome);

#endif
