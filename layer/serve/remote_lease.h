/* SPDX-License-Identifier: MIT */
/*
 * One compile per key in a fleet: who misses in the remote storage asks its
 * helper for the key's lease, where that has any, and compiles if nobody else
 * does. Others wait as long as they would for a process of this machine
 * (OCLCACHE_WAIT), and then compile themselves.
 *
 * The lease ends when the entry is put (remote_offer.h), or else when the
 * writer has done what the build has left it to do.
 *
 * Any thread on which a build may wait, in a section, without the lock.
 */
#ifndef OCC_LAYER_SERVE_REMOTE_LEASE_H
#define OCC_LAYER_SERVE_REMOTE_LEASE_H

#include "layer/key/build_key.h"

/* A wait; starts as zeros. */
struct occ_remote_wait {
	uint64_t start; /* 0: it hasn't begun */
	unsigned pause_ms;
	bool is_mine; /* the lease */
};

/*
 * After a miss. True: look again, for another machine or process has the lease,
 * and a pause is over; or it is this one's from now on, and who had it before
 * may have put the entry since the miss. False: build.
 */
bool occ_remote_lease_await(struct occ_build_key *build_key,
			    struct occ_remote_wait *wait);

/*
 * Nothing more is to be waited for: traces and counts the wait, if any. What
 * was found needs no lease.
 */
void occ_remote_lease_end_wait(struct occ_build_key *build_key,
			       const struct occ_remote_wait *wait, bool found);

/*
 * What was built is with the writer, or won't be stored: ends the process's
 * lease, if it has one. NULL: nothing.
 */
void occ_remote_lease_end(struct occ_build_key *build_key);

/*
 * Has this process its lease? Then others of the fleet may wait for it, as
 * those of this machine do (occ_single_flight_wanted()). NULL: no.
 */
bool occ_remote_lease_is_held(const struct occ_build_key *build_key);

/* The entry was put: that has ended the lease. Any thread. */
void occ_remote_lease_forget(const struct occ_digest *hash);

/* In a child of fork(), with the lock held. */
void occ_remote_lease_forked(void);

/* At initialisation, when no other call is under way. */
void occ_remote_lease_forget_all(void);

#endif
