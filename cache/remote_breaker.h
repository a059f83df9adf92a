/* SPDX-License-Identifier: MIT */
/*
 * The breaker of a remote storage: once one process has seen its helper stall
 * or lie, the others of the user that share the store don't ask for a while,
 * OCC_REMOTE_PAUSE_FIRST_S at first, and twice as long each time up to
 * OCC_REMOTE_PAUSE_MOST_S, until somebody has an answer again. A stall alone
 * may be one slow answer: it takes a second one within OCC_REMOTE_SUSPECT_S. It
 * is a value in the store's state (cache/state.h), one per socket.
 *
 * Times are the wall clock's. If that was set back, a breaker stays open for
 * OCC_REMOTE_PAUSE_MOST_S at most, and only where it says so.
 *
 * All of it is advice: without the state everybody asks. Threads: as the store.
 */
#ifndef OCC_CACHE_REMOTE_BREAKER_H
#define OCC_CACHE_REMOTE_BREAKER_H

#include <time.h>

#include "cache/store.h"

#define OCC_REMOTE_PAUSE_FIRST_S 5
#define OCC_REMOTE_PAUSE_MOST_S	 300
#define OCC_REMOTE_SUSPECT_S	 60

struct occ_remote_breaker {
	int64_t until;	/* s since 1970; of a suspicion, too */
	uint64_t pause; /* s; 0: it isn't open, and wasn't just now */
};

/* What there is about that socket; zeros where there is nothing. */
struct occ_remote_breaker occ_remote_breaker_read(struct occ_store *store,
						  const char *socket);

/* Is nobody to ask now? */
bool occ_remote_breaker_is_open(const struct occ_remote_breaker *breaker,
				time_t now);

/*
 * Somebody had no answer, or an answer; the latter needs to be said only where
 * `pause` isn't 0. An open breaker isn't opened for longer. OCC_OK or a
 * failure.
 */
int occ_remote_breaker_open(struct occ_store *store, const char *socket,
			    time_t now);
/* The first time that is only noted, unless it was open just now. */
int occ_remote_breaker_suspect(struct occ_store *store, const char *socket,
			       time_t now);
int occ_remote_breaker_close(struct occ_store *store, const char *socket);

#endif
