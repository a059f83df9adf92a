/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache replay` and `prewarm` compile. Each item, a program for a
 * device, goes through workers (cli/worker.h): one looks whether it is there,
 * without compiling; one compiles; and one that was started later looks whether
 * it is served now, which is the only proof.
 *
 *	items.write = ...; items.items = ...		before
 *	occ_build_items_run(&items);			cli/build_schedule.c
 *	... items.counts, items.items[i].outcome
 *	occ_build_items_release(&items);
 *
 * From one thread.
 */
#ifndef OCC_CLI_BUILD_ITEMS_H
#define OCC_CLI_BUILD_ITEMS_H

#include "cli/worker.h"
#include "hash/buffer.h"

enum occ_build_outcome {
	OCC_OUTCOME_NONE, /* not yet */
	OCC_OUTCOME_STORED,
	OCC_OUTCOME_THERE,
	OCC_OUTCOME_FAILED,
	OCC_OUTCOME_NOT_STORED,
	OCC_OUTCOME_MISSING, /* it would be compiled */
	OCC_OUTCOMES,
};

/* Of what failed or isn't stored. */
enum occ_build_fault {
	OCC_FAULT_NONE,
	OCC_FAULT_DRIVER, /* it doesn't build it */
	OCC_FAULT_CRASH,
	OCC_FAULT_TIME,
	OCC_FAULT_MEMORY,
	OCC_FAULT_UNCACHEABLE,
	OCC_FAULT_UNSERVED,  /* stored or not, it isn't found */
	OCC_FAULT_FILES,     /* it is another: others were included */
	OCC_FAULT_PLACE,     /* no process could be what it needs */
	OCC_FAULT_ROOM,	     /* the store's maximum is reached */
	OCC_FAULT_STORE,     /* the store can't be written */
	OCC_FAULT_TEMPORARY, /* there is no room in TMPDIR */
	OCC_FAULTS,
};

/* Where an item is on its way. */
enum occ_build_stage {
	OCC_STAGE_TO_LOOK,
	OCC_STAGE_LOOKS,
	OCC_STAGE_TO_COMPILE,
	OCC_STAGE_COMPILES,
	OCC_STAGE_COMPILED, /* the worker may still store it */
	OCC_STAGE_TO_PROVE,
	OCC_STAGE_PROVES,
};

struct occ_build_item {
	/* Before the run; borrowed. */
	const char *name; /* for people */
	const char *device;
	size_t device_number; /* in a survey (cli/probe.h) */
	size_t place;	      /* of the items' places */
	bool is_nvidias;
	bool is_learnt;	   /* the driver has no record: see cli/learn.h */
	uint64_t expected; /* ns that it may take to compile; 0: not known */
	enum occ_build_stage stage;
	/* Of it: */
	enum occ_build_outcome outcome;
	enum occ_build_fault fault;
	char *hash;    /* of its entry, when that is there; or NULL */
	size_t worker; /* the number of the one that compiled it */
	unsigned compiles;
	uint64_t began; /* ns, when that was started */
	char *refusal;	/* what the layer last said against it; or NULL */
	char *unstored; /* what its worker said of storing; or NULL */
	unsigned tries; /* of making room for it */
	char *why;	/* NULL: nothing is to be said */
	char *log;
};

struct occ_build_items {
	struct occ_build_item *items;
	size_t count;
	const struct occ_worker_place *places;
	size_t jobs;	     /* workers at once, where there is the memory */
	bool quiet;	     /* only what fails is shown */
	bool keeps_priority; /* else the lowest one */
	/*
	 * The user's own: what can't be cached is compiled as well, to see
	 * whether it can be.
	 */
	bool is_trusted;
	bool only_looks;       /* nothing is compiled */
	const char *directory; /* OCLCACHE_DIR */
	const char *scratch;
	unsigned limit;	       /* s, for one program */
	uint64_t memory_limit; /* bytes, for one worker; 0: none */
	uint64_t deadline;     /* ns of the monotonic clock; 0: none */
	/* Appends an item's request (cli/build_request.h). False: it can't. */
	bool (*write)(size_t index, struct occ_buffer *request, void *data);
	/*
	 * NULL, or says what is wrong with an item's entries, which are there:
	 * of each step, if all were found, with blanks between. A text for the
	 * caller to free, or NULL.
	 */
	char *(*check)(size_t index, const char *hashes, void *data);
	/*
	 * NULL, or what is to be done when it says so: true, if the item has
	 * another place now, where it is tried once more.
	 */
	bool (*move)(size_t index, void *data);
	/*
	 * NULL: workers evict what they must. Else they evict nothing, and it
	 * is called for an item that there was no room for: true, if there is
	 * some now.
	 */
	bool (*make_room)(size_t index, void *data);
	void *data; /* for these */
	/* Of the run: */
	size_t shown; /* of the items, in their order */
	size_t counts[OCC_OUTCOMES];
	bool out_of_time;
	/* Why nothing more is compiled; NULL: something may be. */
	char *obstacle;
	enum occ_build_fault obstacle_fault;
	uint64_t peak;			 /* bytes that a worker had at most */
	uint64_t compile_time, compiled; /* ns of so many */
	bool *known; /* of each device: something of it was served */
};

/*
 * Has all compiled, and shows what became of each; until
 * occ_child_interrupted(), or the deadline.
 */
void occ_build_items_run(struct occ_build_items *items);

/* Frees the items. */
void occ_build_items_release(struct occ_build_items *items);

/*
 * For cli/build_schedule.c.
 */

/* The item goes through a worker of this role now. */
bool occ_build_item_begin(struct occ_build_items *items, size_t index,
			  struct occ_buffer *request);

/* The worker is OCC_WORKER_DONE with it. */
void occ_build_item_take(struct occ_build_items *items, size_t index,
			 const struct occ_worker *worker);

/* The worker has ended instead. */
void occ_build_item_lose(struct occ_build_items *items, size_t index,
			 const struct occ_worker *worker);

/* No worker can be what the item needs, or none can be had at all. */
void occ_build_item_give_up(struct occ_build_items *items, size_t index,
			    bool is_place, const char *why);

/* Nothing more is compiled, for what was seen with that item. */
void occ_build_items_stop(struct occ_build_items *items, size_t index,
			  enum occ_build_fault fault, const char *why);

/* Which has compiled them has ended: it is to be seen what is served. */
void occ_build_items_settle(struct occ_build_items *items,
			    const struct occ_worker *worker);

/* Is it to be compiled in a process of its own? */
bool occ_build_item_is_alone(const struct occ_build_items *items, size_t index);

/* Shows those that are done, in their order. */
void occ_build_items_show(struct occ_build_items *items);

#endif
