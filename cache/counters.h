/* SPDX-License-Identifier: MIT */
/*
 * Counters: what the processes that use a store have done so far, in its
 * "oclcache.counters", and what those of one `oclcache run` have, in a file of
 * records. Nothing depends on them but what people are told.
 *
 * The store's file changes under the store's lock: any number of processes may
 * add at once, and be killed, and nothing is lost or counted twice. As long as
 * it keeps its size it is written in its place; a power cut may damage it. A
 * damaged file, or one of another version, counts as empty and begins anew.
 * doc/format.md has it byte by byte.
 *
 * The file of records is for whoever made it: each process has room of its own
 * there, 4 KiB of one after the other, begun with its first record and written
 * anew, by one write, with all that it has counted. So what is there is right,
 * however a process ends. A record is its size, u64 little-endian, and then the
 * bytes that a store's file with these counters would have; 0: there is none.
 * What can't be read is left out.
 *
 * No state; a struct is its caller's.
 */
#ifndef OCC_CACHE_COUNTERS_H
#define OCC_CACHE_COUNTERS_H

#include <sys/types.h>

#include "cache/store.h"

/* The numbers are those of the file: they never change their meaning. */
enum occ_counter {
	OCC_COUNT_PROCESSES = 0, /* that counted anything */
	OCC_COUNT_LIVE = 1,	 /* hits: a program that was loaded already */
	OCC_COUNT_MEMORY = 2,	 /* hits: bytes in the process's memory */
	OCC_COUNT_STORE = 3,	 /* hits: the user's own store */
	OCC_COUNT_READ_ONLY = 4, /* hits: a store that is only read */
	OCC_COUNT_MISSES = 5,
	OCC_COUNT_UNCACHEABLE = 6,    /* builds that weren't looked up */
	OCC_COUNT_REFUSED = 7,	      /* of these, by OCLCACHE_MODE=require */
	OCC_COUNT_FAILED = 8,	      /* and those that didn't compile */
	OCC_COUNT_SAVED_NS = 9,	      /* a cold compile's time, less loading */
	OCC_COUNT_COMPILED_NS = 10,   /* that drivers compiled */
	OCC_COUNT_LOADED_NS = 11,     /* that hits took */
	OCC_COUNT_READ_BYTES = 12,    /* of entries, from stores */
	OCC_COUNT_STORED = 13,	      /* entries */
	OCC_COUNT_STORED_BYTES = 14,  /* their binaries */
	OCC_COUNT_IMPROVED = 15,      /* entries that got more complete */
	OCC_COUNT_NOT_STORED = 16,    /* programs, on purpose */
	OCC_COUNT_ERRORS = 17,	      /* entries that couldn't be stored */
	OCC_COUNT_EVICTED = 18,	      /* files that had to go */
	OCC_COUNT_EVICTED_BYTES = 19, /* their sizes */
	OCC_COUNT_WAITS = 20,	      /* for another who made the same */
	OCC_COUNT_WAITED_NS = 21,     /* that these took */
	OCC_COUNT_MATERIALISED = 22,  /* hits that were compiled after all */
	/* Entries, stored or found in the user's store, of drivers that load
	 * device code, that have none, and aren't left without for good. */
	OCC_COUNT_WITHOUT_CODE = 23,
	/* Of OCC_COUNT_SAVED_NS, on drivers that have a cache of their own. */
	OCC_COUNT_SAVED_WITH_OWN_CACHE_NS = 24,
	OCC_COUNT_READ_AHEAD = 25,	  /* entries, before a build came */
	OCC_COUNT_READ_AHEAD_USED = 26,	  /* of these, by builds */
	OCC_COUNT_LOADED_AHEAD = 27,	  /* programs, by the driver */
	OCC_COUNT_LOADED_AHEAD_USED = 28, /* of these, by builds */
	OCC_COUNT_REMOTE = 29,		  /* hits: a remote storage */
	OCC_COUNT_REMOTE_LOOKUPS = 30,	  /* entries that it was asked for */
	OCC_COUNT_REMOTE_BYTES = 31,	  /* that came from it */
	OCC_COUNT_REMOTE_REFUSED = 32,	  /* entries not admitted */
	OCC_COUNT_REMOTE_ERRORS = 33,	  /* questions that failed */
	OCC_COUNT_REMOTE_NS = 34,	  /* that all questions took */
	OCC_COUNT_REMOTE_PUTS = 35,	  /* entries that the helper took */
	OCC_COUNT_REMOTE_PUT_BYTES = 36,  /* their sizes */
	OCC_COUNT_REMOTE_PUT_ERRORS = 37, /* entries that it didn't take */
	OCC_COUNT_LEASE_WAITS = 38,	  /* for another machine's compile */
	OCC_COUNT_LEASE_WAITED_NS = 39,	  /* that these took */
};

/* Room for what later versions count: it is kept and added up. */
#define OCC_COUNTERS 64

/* What a reason is given for. */
enum occ_counted {
	OCC_COUNTED_MISS = 0,
	OCC_COUNTED_UNCACHEABLE = 1,
	OCC_COUNTED_NOT_STORED = 2,
	OCC_COUNTED_ERROR = 3,
	OCC_COUNTED_REMOTE = 4, /* of OCC_COUNT_REMOTE_ERRORS, _REFUSED */
	OCC_COUNTED_KINDS = 5,
};

/* Longer ones are cut; of more than so many the rest is one, "other". */
#define OCC_COUNTED_SIZE    96
#define OCC_COUNTED_REASONS 64

struct occ_counted_reason {
	enum occ_counted kind;
	uint64_t count;
	char text[OCC_COUNTED_SIZE]; /* with a NUL; of any bytes */
};

/* All 0: empty. */
struct occ_counters {
	int64_t since; /* s since 1970; 0: it isn't known, or empty */
	uint64_t numbers[OCC_COUNTERS];
	size_t reason_count;
	struct occ_counted_reason reasons[OCC_COUNTED_REASONS];
};

/* Counts `count` more for a reason. */
void occ_counters_note(struct occ_counters *counters, enum occ_counted kind,
		       const char *reason, uint64_t count);

/* Adds what `more` has; the earlier `since` stays. Numbers stop at 2^64-1. */
void occ_counters_add(struct occ_counters *counters,
		      const struct occ_counters *more);

/* The sum, 2^64-1 at most. */
uint64_t occ_counters_plus(uint64_t one, uint64_t more);

/* Hits of all tiers; and all builds: hits, misses and what wasn't looked up. */
uint64_t occ_counters_hits(const struct occ_counters *counters);
uint64_t occ_counters_builds(const struct occ_counters *counters);

/* False, and empty: they are none. */
bool occ_counters_decode(struct occ_span bytes,
			 struct occ_counters *ret_counters);

/*
 * The store's. OCC_OK; OCC_E_NOT_FOUND when there are none; OCC_E_CORRUPT for
 * a file that is none; or a failure. All but OCC_OK: empty.
 */
int occ_counters_read(struct occ_store *store,
		      struct occ_counters *ret_counters);

/*
 * Adds to the store's, which begin now if there are none. Waits for the lock so
 * many milliseconds at most. OCC_OK; OCC_E_BUSY, and nothing is added; or a
 * failure, as of occ_store_count().
 */
int occ_counters_merge(struct occ_store *store, const struct occ_counters *more,
		       unsigned milliseconds);

/* The same, and then notes that under the same lock (cache/store.h). */
int occ_counters_merge_noting(struct occ_store *store,
			      const struct occ_counters *more,
			      unsigned milliseconds,
			      const struct occ_store_noting *noting);

/* Begins anew. OCC_OK or a failure. */
int occ_counters_reset(struct occ_store *store);

/* A process's record in a file of them; all 0: it has none yet. */
struct occ_counters_record {
	bool has_room; /* in the file with these, at that offset */
	dev_t device;
	ino_t inode;
	uint64_t offset;
	struct occ_counters counters; /* what it says */
};

/*
 * Adds to the process's record in the file of that path, which must be there, a
 * regular file and the user's. OCC_OK; or a failure, after which the next call
 * that succeeds writes this as well. For room it waits for 30 ms at most
 * (OCC_E_BUSY). Where there are too many reasons for the room, some get
 * "other".
 */
int occ_counters_put(const char *path, struct occ_counters_record *record,
		     const struct occ_counters *more);

/* The sum of the records in a file. OCC_OK or a failure. */
int occ_counters_sum(const char *path, struct occ_counters *ret_sum);

#endif
