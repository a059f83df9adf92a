/* SPDX-License-Identifier: MIT */
/*
 * What each program gained on each day, in the store's "oclcache.history": for
 * `oclcache stats --since` and `--by`. Nothing depends on it but what people
 * are told.
 *
 * The file has rows of 256 bytes, one for each program and day (UTC), and 2048
 * of them at most: then new rows replace the oldest. A program is known by its
 * name alone, without its directory: of an interpreter it is the script's or
 * the module's. Arguments are never kept. Of more than 64 programs a day, the
 * rest share the row OCC_HISTORY_OTHERS.
 *
 * A row has a checksum of its own and is written in its place, under the
 * store's lock, together with the counters (cache/counters.h). A power cut
 * costs a row at most; a damaged row counts as empty. doc/format.md has the
 * file byte by byte.
 *
 * No state; a struct is its caller's.
 */
#ifndef OCC_CACHE_HISTORY_H
#define OCC_CACHE_HISTORY_H

#include "cache/counters.h"

/* The numbers are those of the file: they never change their meaning. */
enum occ_history_number {
	OCC_HISTORY_PROCESSES = 0,    /* that counted anything */
	OCC_HISTORY_LOCAL = 1,	      /* hits: stores here, memory, loaded */
	OCC_HISTORY_REMOTE = 2,	      /* hits: a remote storage */
	OCC_HISTORY_MISSES = 3,	      /* as OCC_COUNT_MISSES, and so on */
	OCC_HISTORY_UNCACHEABLE = 4,  /* builds that weren't looked up */
	OCC_HISTORY_FAILED = 5,	      /* of these, those that didn't compile */
	OCC_HISTORY_SAVED_NS = 6,     /* cold compile time, less loading */
	OCC_HISTORY_COMPILED_NS = 7,  /* that drivers compiled */
	OCC_HISTORY_LOADED_NS = 8,    /* that hits took */
	OCC_HISTORY_STORED = 9,	      /* entries */
	OCC_HISTORY_STORED_BYTES = 10 /* their binaries */
};

/* Room for what later versions count: it is kept and added up. */
#define OCC_HISTORY_NUMBERS  16

/* With its NUL. Longer names are cut. */
#define OCC_HISTORY_NAME     104

#define OCC_HISTORY_ROW_SIZE 256
#define OCC_HISTORY_ROWS     2048
#define OCC_HISTORY_PROGRAMS 64 /* a day, and the others */
#define OCC_HISTORY_OTHERS   "(other programs)"

#define OCC_HISTORY_DAY_S    86400

struct occ_history_row {
	int64_t day;		     /* since 1970, UTC */
	char name[OCC_HISTORY_NAME]; /* any bytes, never empty */
	uint64_t numbers[OCC_HISTORY_NUMBERS];
};

struct occ_history {
	struct occ_history_row *rows; /* by day, then by name */
	size_t count;
	size_t damaged; /* rows that were left out */
};

/*
 * OCC_OK, also with damaged rows; OCC_E_NOT_FOUND when there is no file yet; or
 * a failure of occ_store_read(). Takes no lock. In any case
 * occ_history_release().
 */
int occ_history_read(struct occ_store *store, struct occ_history *ret_history);
void occ_history_release(struct occ_history *history);

/* The rows in a file's bytes; false when out of memory. To be released. */
bool occ_history_decode(struct occ_span file, struct occ_history *ret_history);

/* Is every row of the file good or empty? */
bool occ_history_is_good(struct occ_span file);

/* All of them; and the hits, of all tiers. Sums stop at 2^64-1. */
uint64_t occ_history_builds(const uint64_t numbers[OCC_HISTORY_NUMBERS]);
uint64_t occ_history_hits(const uint64_t numbers[OCC_HISTORY_NUMBERS]);
void occ_history_sum(uint64_t numbers[OCC_HISTORY_NUMBERS],
		     const uint64_t more[OCC_HISTORY_NUMBERS]);

/* This process's program. All 0 but for its name: it has no row yet. */
struct occ_history_program {
	char name[OCC_HISTORY_NAME];
	uint32_t day;	/* of the row that it had last, and */
	uint32_t place; /* where that is */
};

/*
 * Adds to the store's counters, as occ_counters_merge() does, and to the
 * program's row of today, under one lock. The result is that of the counters;
 * when they can't be written, neither is the row. A row that can't be written
 * is left out.
 */
int occ_history_merge(struct occ_store *store, const struct occ_counters *more,
		      struct occ_history_program *program,
		      unsigned milliseconds);

#endif
