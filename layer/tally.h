/* SPDX-License-Identifier: MIT */
/*
 * Counts what becomes of builds, for `oclcache stats` and `oclcache run`: at
 * the places where the trace says the same.
 *
 * Counting is some additions to numbers of the process. What has come together
 * is added to the store's counters (cache/counters.h) by the writer's thread
 * (layer/writer.h): behind what it stores, 100 ms after the last time at the
 * earliest; where it stores nothing in the next call that makes a context or a
 * program or releases one of these or a kernel, but not before 10 ms after a
 * build, when an application has its result as a rule, nor in these 100 ms;
 * when the last reference to a context is released, once a second; and at the
 * end of the process. So one that is killed, or ends by _exit(), loses what it
 * counted since. What can't be written because the store is in use stays for
 * the next time; at the end it is given up.
 *
 * The record in the file that OCLCACHE_STATS_FILE names is begun when the layer
 * is, and written anew by whoever counts, at once: nothing of it is lost.
 *
 * Nothing is written to a store that isn't to be written (OCLCACHE_MODE,
 * OCLCACHE_STORE, OCLCACHE_PERSISTENT), nor by a process that never builds.
 *
 * Reasons are constant strings. Any thread, without the lock.
 */
#ifndef OCC_LAYER_TALLY_H
#define OCC_LAYER_TALLY_H

#include "cache/counters.h"

/*
 * At initialisation, after the configuration was read. What an earlier life of
 * the loader counted and didn't write stays.
 */
void occ_tally_start(void);

/*
 * A call of the application comes through, with nothing of ours held: has the
 * writer begin with what is due.
 */
void occ_tally_write_due(void);

/* The same when the application may be done: also what isn't due yet. */
void occ_tally_write_early(void);

/*
 * A build was served. `found_in` is what the trace calls it; `compile_ns`: what
 * the driver had taken for it, 0 if that isn't known; `start`: when the call
 * began.
 */
void occ_tally_hit(const char *found_in, uint64_t compile_ns, uint64_t start);

/* Bytes were read from a store. */
void occ_tally_read(uint64_t bytes);

/* A build wasn't served: NULL says that nothing of the kind happened. */
void occ_tally_miss(const char *reason);
void occ_tally_uncacheable(const char *reason);

/* OCLCACHE_MODE=require: one of these failed for that. */
void occ_tally_refused(void);

/* The driver compiled since then. */
void occ_tally_compiled(uint64_t start, bool failed);

/* What became of an entry that was to be stored, by enum occ_error. */
void occ_tally_stored(int error, uint64_t bytes, bool improves);
void occ_tally_completed(int error);

/* A program isn't stored, on purpose. */
void occ_tally_not_stored(const char *reason);

/*
 * An entry for a driver that loads device code has none: it was stored (NULL),
 * or found there, and it isn't left without for good. Before the call that
 * counts the same for a hit.
 */
void occ_tally_without_code(const char *found_in);

/* It was waited for another who makes the same. */
void occ_tally_waited(uint64_t start);

/* A hit was compiled after all, to answer something. */
void occ_tally_materialised(uint64_t start);

/*
 * Has the writer write what has come together: before the last call of
 * occ_writer_end().
 */
void occ_tally_flush(void);

/* In the child of a fork(), with the lock held: the parent writes its own. */
void occ_tally_forked(void);

#endif
