/* SPDX-License-Identifier: MIT */
/*
 * Counts the outcomes of builds, for `oclcache stats` and `oclcache run`, in
 * the places that write the trace.
 *
 * A call here adds to numbers of the process. The writer's thread
 * (layer/base/writer.h) adds these to the store's counters (cache/counters.h),
 * and to what the program has of its history (cache/history.h):
 *
 *	- after it has stored something, at most every 100 ms;
 *	- if it has nothing to store, in the next call that makes a context or a
 *	  program, or releases one of these or a kernel: 10 ms after a build at
 *	  the earliest, when the application usually has its result, and at most
 *	  every 100 ms;
 *	- when the last reference to a context is released, at most once a
 *	  second;
 *	- at the end of the process.
 *
 * So a process that is killed, or ends by _exit(), loses what it counted since
 * the last time. What can't be written because the store is locked is kept for
 * the next time; at the end of the process it is lost.
 *
 * The process's record in the file that OCLCACHE_STATS_FILE names is begun at
 * initialisation and written anew with every change, so that nothing is lost.
 *
 * Nothing is written to a store that the settings keep from being written
 * (OCLCACHE_MODE, OCLCACHE_STORE, OCLCACHE_PERSISTENT), nor by a process that
 * never builds.
 *
 * Any thread, without the lock.
 */
#ifndef OCC_LAYER_SERVE_STATS_H
#define OCC_LAYER_SERVE_STATS_H

#include "cache/counters.h"
#include "hash/reason.h"
#include "layer/base/tier.h"

/*
 * At initialisation, after the settings were read. What was counted before a
 * clDeinitLayer and not written is kept.
 */
void occ_stats_start(void);

/*
 * For hooks, with no lock or section of ours: starts the writer if something is
 * due.
 */
void occ_stats_write_due(void);

/* The same when the application may be about to end: even if nothing is due. */
void occ_stats_write_early(void);

/*
 * A build was served, from `tier`. `compile_ns` is what the driver had taken to
 * compile it, 0 if unknown; `start` is when the call began; `driver_caches`:
 * the driver has a cache of its own.
 */
void occ_stats_hit(enum occ_tier tier, uint64_t compile_ns, uint64_t start,
		   bool driver_caches);

/* Bytes were read from a store. */
void occ_stats_read(uint64_t bytes);

/* A build wasn't served. No reason: it wasn't looked up; counts nothing. */
void occ_stats_miss(enum occ_reason reason);
void occ_stats_uncacheable(enum occ_reason reason);

/* OCLCACHE_MODE=require made a build fail. */
void occ_stats_refused(void);

/* The driver has compiled since `start`. */
void occ_stats_compiled(uint64_t start, bool failed);

/* What became of an entry that was to be stored, by enum occ_error. */
void occ_stats_stored(int error, uint64_t bytes, bool improves);
void occ_stats_completed(int error);

/* A program is deliberately not stored. */
void occ_stats_not_stored(enum occ_reason reason);

/*
 * An entry in the user's store has no device code, though its driver would load
 * some and nothing is remembered against it. To be called before
 * occ_stats_hit() or occ_stats_stored(), which write the record.
 */
void occ_stats_without_code(void);

/* The build waited, since `start`, for another one of the same. */
void occ_stats_waited(uint64_t start);

/* A hit was really built after all, to answer a query. */
void occ_stats_materialised(uint64_t start);

/*
 * Something was loaded ahead of its build, or taken of that: one of
 * OCC_COUNT_READ_AHEAD and the ones behind it.
 */
void occ_stats_ahead(enum occ_counter counter, uint64_t count);

/*
 * Of the remote storage: one of OCC_COUNT_REMOTE_LOOKUPS and the ones behind
 * it, which are written with the build that they are of; an entry that it took,
 * of so many bytes; and one more that failed, for that reason.
 */
void occ_stats_remote(enum occ_counter counter, uint64_t count);
void occ_stats_remote_put(uint64_t bytes);
void occ_stats_remote_failed(enum occ_counter counter, enum occ_reason reason);

/*
 * Has the writer write what was counted; to be called before the last
 * occ_writer_end(). False: there is nothing to write.
 */
bool occ_stats_flush(void);

/* In the child of a fork(), with the lock held: the parent writes its own. */
void occ_stats_forked(void);

#endif
