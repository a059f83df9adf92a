/* SPDX-License-Identifier: MIT */
/*
 * Of the processes that are about to make the same entry, one makes it and the
 * others wait: by locks on ranges of "oclcache.lock" in the store's directory,
 * a file that stays empty. Where a key's range is follows from its hash; two
 * keys with one range wait for each other in vain, no more.
 *
 *	byte 0 to at most 15	exclusive: who makes the entry. How many bytes
 *				he locks tells one making from his next
 *	byte 16			shared: each who waits, so that he can ask
 *				whether anybody does
 *
 * These are POSIX's locks (fcntl F_SETLK), not flock()s: they end with the
 * process, a child of fork() doesn't have them, and F_GETLK tells whose they
 * are, so that nobody waits for a process that is stopped or does nothing.
 * They also end when the process closes any descriptor of the file: there is
 * one, shared by its threads, and open only while one of them is in here.
 * Between threads they are no locks: that is up to the caller. All is advice:
 * whatever goes wrong, something is made twice.
 *
 * Calling sequence: occ_build_lock_new(); occ_build_lock_enter(), and if that
 * is OCC_BUILD_LOCK_MINE, occ_build_lock_leave() when the entry can be found
 * or won't be.
 *
 * Any thread. errno is not preserved.
 */
#ifndef OCC_CACHE_BUILD_LOCK_H
#define OCC_CACHE_BUILD_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "hash/digest.h"

struct occ_build_lock;

enum occ_build_lock_result {
	OCC_BUILD_LOCK_MINE, /* nobody makes it; until occ_build_lock_leave() we
				do */
	/* These after a wait: look the entry up. None is to be left. */
	OCC_BUILD_LOCK_DONE, /* who made it has left */
	OCC_BUILD_LOCK_DIED, /* and he is gone, perhaps in the midst of it */
	OCC_BUILD_LOCK_IDLE, /* he does nothing, or it takes too long */
	/* No such locks here: nobody knows who makes what. */
	OCC_BUILD_LOCK_NO_LOCK,
};

/* As occ_store_open(). No I/O. NULL when out of memory. */
struct occ_build_lock *occ_build_lock_new(const char *directory,
					  bool create_parent);
/* Nobody may be in it. NULL: nothing. */
void occ_build_lock_free(struct occ_build_lock *gate);

/*
 * Waits at most until `deadline`, in ns of the monotonic clock, and only as
 * long as who makes the entry computes. Where it can't be seen whether he does
 * (another machine, another container) for a few seconds.
 */
enum occ_build_lock_result occ_build_lock_enter(struct occ_build_lock *gate,
						const struct occ_digest *hash,
						uint64_t deadline);

/* Does another process wait for what is OCC_BUILD_LOCK_MINE? */
bool occ_build_lock_wanted(struct occ_build_lock *gate,
			   const struct occ_digest *hash);

void occ_build_lock_leave(struct occ_build_lock *gate,
			  const struct occ_digest *hash);

/*
 * In a child of fork(), where no other thread is in here: nothing is the
 * child's.
 */
void occ_build_lock_forked(struct occ_build_lock *gate);

#endif
