/* SPDX-License-Identifier: MIT */
/*
 * What `oclcache prewarm` compiles. Each item, a file with options for a
 * device, goes through processes of its own: one looks whether it is there,
 * without compiling; one compiles; and one looks whether it is served now,
 * which is the only proof.
 *
 * From one thread.
 */
#ifndef OCC_CLI_PREWARM_ITEMS_H
#define OCC_CLI_PREWARM_ITEMS_H

#include "cli/probe.h"

enum occ_prewarm_outcome {
	OCC_PREWARM_NONE, /* not yet */
	OCC_PREWARM_STORED,
	OCC_PREWARM_THERE,
	OCC_PREWARM_FAILED,
	OCC_PREWARM_NOT_STORED,
	OCC_PREWARM_KINDS,
};

struct occ_prewarm_item {
	/* Before the run: */
	const char *name; /* of the file; borrowed, as what `build` has */
	const char *device;
	bool is_nvidias;
	struct occ_probe_build build; /* its `trace` is ours */
	bool looks;		      /* first, without compiling */
	/* Of it: */
	char *hash; /* of its entry, when that is there; or NULL */
	unsigned compiles;
	bool runs;
	enum occ_prewarm_outcome outcome;
	char *refusal; /* what the layer last said against it; or NULL */
	char *why;     /* NULL: nothing is to be said */
	char *log;
};

struct occ_prewarm_items {
	struct occ_prewarm_item *items;
	size_t count;
	size_t jobs; /* processes at once */
	bool quiet;  /* only what fails is shown */
	/* Of the run: */
	size_t shown; /* of the items, in their order */
	size_t counts[OCC_PREWARM_KINDS];
};

/*
 * Has all compiled, and shows what became of each; until
 * occ_child_interrupted().
 */
void occ_prewarm_items_run(struct occ_prewarm_items *items);

/* Frees the items. */
void occ_prewarm_items_release(struct occ_prewarm_items *items);

#endif
