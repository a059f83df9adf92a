/* SPDX-License-Identifier: MIT */
/*
 * What layer/serve/read_ahead.c and load_ahead.c have in common: the programs
 * that are foreseen, and what has become of them. For these two alone.
 */
#ifndef OCC_LAYER_SERVE_AHEAD_INTERNAL_H
#define OCC_LAYER_SERVE_AHEAD_INTERNAL_H

#include "cache/memory.h"
#include "cache/working_set.h"
#include "layer/base/lock.h"
#include "layer/base/tier.h"
#include "layer/object/program_pool.h"

enum occ_ahead_stage {
	OCC_AHEAD_UNREAD,
	OCC_AHEAD_READ,	   /* its entries are here */
	OCC_AHEAD_WANTED,  /* by a build that loads it itself */
	OCC_AHEAD_LOADING, /* by the driver: it is the loader's */
	OCC_AHEAD_LOADED,  /* not taken yet */
	OCC_AHEAD_OVER,
};

struct occ_ahead_item {
	struct occ_working_set_item what;
	enum occ_ahead_stage stage;
	enum occ_tier tier; /* from OCC_AHEAD_READ on */
	struct occ_kept *entries[OCC_WORKING_SET_DEVICES];
	struct occ_pooled *pooled; /* OCC_AHEAD_LOADED */
};

/* The lock guards all of it. Items stay where they are. */
struct occ_ahead {
	struct occ_ahead_item *items;
	size_t count;
	bool certain;	       /* that they will be taken */
	bool stopped;	       /* nothing more is read, loaded, handed out */
	unsigned right, wrong; /* builds that came */
	struct occ_event changed;
};
extern struct occ_ahead occ_ahead;

/* Nothing more comes. What is loaded stays, for who may call the driver. */
void occ_ahead_stop_locked(void);

void occ_ahead_release_entries_locked(struct occ_ahead_item *item);

/*
 * The item of a build in the context of that number; NULL: it wasn't foreseen.
 * Too many that weren't end it all.
 */
struct occ_ahead_item *occ_ahead_find_locked(
	const struct occ_build_key *build_key, uint32_t number);

/* Something was read: starts a thread that loads it, if there is to be one. */
void occ_load_ahead_start(void);

#endif
