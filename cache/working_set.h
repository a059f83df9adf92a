/* SPDX-License-Identifier: MIT */
/*
 * The working set of an executable, in the store's "<place>.workingset":
 * which entries its last runs took, in which order, in the how-manieth context
 * of the process, and how long after that was made. What is loaded ahead
 * (layer/serve/load_ahead.h) follows from it. Losing one loses time; a bad one
 * counts as none. There are 4096 places, so that scripts of ever new names fill
 * no store: of two executables in one place the later one counts.
 * doc/format.md has it byte by byte.
 *
 * Runs are told apart by a digest of their arguments: programs do with the same
 * arguments what they did before, and with others often something else. The
 * latest OCC_WORKING_SET_RUNS of them are kept.
 *
 * No state; a struct is its caller's.
 */
#ifndef OCC_CACHE_WORKING_SET_H
#define OCC_CACHE_WORKING_SET_H

#include "cache/store.h"

/* Runs that are told apart; bits of `struct occ_working_set_item`. */
#define OCC_WORKING_SET_RUNS	8

/* Programs of all runs; what comes later isn't remembered. */
#define OCC_WORKING_SET_ITEMS	1024

/* Devices of a program; of more it isn't remembered. */
#define OCC_WORKING_SET_DEVICES 8

/* Bytes of names of kernels. */
#define OCC_WORKING_SET_KERNELS 192

/* Longer names of executables are cut. */
#define OCC_WORKING_SET_NAME	1024

/* A program: its entries, one for each device. */
struct occ_working_set_item {
	uint32_t runs;	  /* bits: which of the runs took it */
	uint32_t context; /* of all that the process made, from 0 */
	uint32_t delay;	  /* ms from the context's making to the build */
	uint32_t count;
	/* In how many runs in a row that didn't say that they were over it was
	 * foreseen and not taken. */
	uint32_t misses;
	struct occ_digest hashes[OCC_WORKING_SET_DEVICES];
	/* Kernels that were made of it, the first ones, each with its NUL;
	 * then an empty name. */
	char kernels[OCC_WORKING_SET_KERNELS];
};

struct occ_working_set_run {
	struct occ_digest arguments;
	/* When it ended, s since 1970, or what makes it the latest; 0: there is
	 * none. */
	int64_t time;
	/* How often in a row, by now, less was taken than was foreseen. */
	uint32_t failures;
};

/* All 0: nothing is known. */
struct occ_working_set {
	struct occ_digest executable;
	char name[OCC_WORKING_SET_NAME]; /* for people */
	struct occ_working_set_run runs[OCC_WORKING_SET_RUNS];
	struct occ_working_set_item *items; /* in the order of the last run */
	size_t count;
};

void occ_working_set_release(struct occ_working_set *set);

/* False, and empty: the bytes are none, or memory ran out. */
bool occ_working_set_decode(struct occ_span file,
			    struct occ_working_set *ret_set);

/* Are that the bytes of a whole and undamaged file? */
bool occ_working_set_is_good(struct occ_span file);

/* That of the executable with this digest. False, and empty: there is none. */
bool occ_working_set_read(struct occ_store *store,
			  const struct occ_digest *executable,
			  struct occ_working_set *ret_set);

/* Which run's items a process is likely to take. */
struct occ_working_set_prediction {
	int run;     /* -1: nothing is known */
	bool is_own; /* of the same arguments; else the latest */
	/*
	 * It may be relied on: the same arguments took what was foreseen, or
	 * different ones took the same.
	 */
	bool is_certain;
	/* It needn't be written anew if the same is taken again. */
	bool is_fresh;
};
struct occ_working_set_prediction occ_working_set_predict(
	const struct occ_working_set *set, const struct occ_digest *arguments);

/* The same program, with the same kernels, in a context of that number? */
bool occ_working_set_same(const struct occ_working_set_item *a,
			  const struct occ_working_set_item *b);

/* What a process took, in this order; `runs` isn't looked at. */
struct occ_working_set_taken {
	struct occ_digest executable;
	const char *name;
	struct occ_digest arguments;
	const struct occ_working_set_item *items;
	size_t count;
	bool first;  /* it hasn't written before */
	bool whole;  /* it takes no more: what it didn't take it doesn't need */
	bool failed; /* less than was foreseen for these arguments */
};

/*
 * Remembers it for the next process. Writes nothing where that is as it was,
 * but once a day. OCC_OK, or a failure of the store.
 */
int occ_working_set_write(struct occ_store *store,
			  const struct occ_working_set_taken *taken);

#endif
