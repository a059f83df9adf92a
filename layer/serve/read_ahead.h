/* SPDX-License-Identifier: MIT */
/*
 * The programs that this process is foreseen to build (working_set.h), and what
 * has become of them; and their entries, read and verified before anybody has
 * asked for them. load_ahead.h has the driver load them.
 *
 * Any thread; without the layer's lock, but for what ends in "_locked".
 */
#ifndef OCC_LAYER_SERVE_READ_AHEAD_H
#define OCC_LAYER_SERVE_READ_AHEAD_H

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
	uint64_t size;	    /* of the entries; the same */
	struct occ_kept *entries[OCC_WORKING_SET_DEVICES];
	struct occ_pooled *pooled; /* OCC_AHEAD_LOADED */
	bool lacks_code;	   /* that this driver would load */
	bool is_awaited;	   /* by a build; atomic */
};

/* Builds that came before it was known what is foreseen; more end it all. */
#define OCC_AHEAD_EARLY_MAX 8

/* The lock guards all of it. Items stay where they are. */
struct occ_ahead {
	struct occ_ahead_item *items;
	size_t count;
	bool asked;				      /* what is foreseen */
	struct occ_digest early[OCC_AHEAD_EARLY_MAX]; /* first hashes */
	size_t early_count;
	bool certain; /* that they will be taken */
	bool in_turn; /* the driver loads one after the other; atomic */
	bool stopped; /* nothing more is read, loaded, handed out */
	unsigned right, wrong; /* builds that came */
	struct occ_event changed;
};
extern struct occ_ahead occ_ahead;

/* Nothing more comes. What is loaded stays, for who may call the driver. */
void occ_ahead_stop_locked(void);

void occ_ahead_release_entries_locked(struct occ_ahead_item *item);

/*
 * A build has come that nothing was foreseen for; what is may not be known yet,
 * and this needn't be loaded when it is.
 */
void occ_ahead_note_early_locked(const struct occ_build_key *build_key);

/* The item of a build in the context of that number; NULL: none. */
struct occ_ahead_item *occ_ahead_find_locked(
	const struct occ_build_key *build_key, uint32_t number);

/*
 * A build has come that has this item; NULL: it wasn't foreseen. Too many that
 * weren't end it all.
 */
void occ_ahead_judge_locked(const struct occ_ahead_item *item);

/*
 * Reads what is foreseen of a process whose first context is of that platform;
 * once for a process: false if that was done before. Where nothing is certain,
 * or nobody may load, only READ_MAX bytes are.
 */
bool occ_ahead_read(const char *platform_name, bool is_loaded);

/* The entry for that key, if it was read; the caller's. NULL: it wasn't. */
struct occ_kept *occ_ahead_entry(const struct occ_key *key,
				 enum occ_tier *ret_tier);

#endif
