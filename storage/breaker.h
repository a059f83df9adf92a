/* SPDX-License-Identifier: MIT */
/*
 * Keeps the helper from asking a server that fails, so that each client learns
 * at once that there is nothing to be had. (The layer has one of its own,
 * cache/remote_breaker.h: that one is about the helper.)
 *
 * After `threshold` failures in a row it is open for OCC_BREAKER_FIRST_MS; then
 * one caller is let through, whose failure doubles the time, up to
 * OCC_BREAKER_MOST_MS, and whose success closes it.
 *
 * Times are occ_storage_now()'s. Threads: any; each call takes its lock.
 */
#ifndef OCC_STORAGE_BREAKER_H
#define OCC_STORAGE_BREAKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define OCC_BREAKER_FIRST_MS 5000
#define OCC_BREAKER_MOST_MS  300000

struct occ_breaker {
	pthread_mutex_t lock;
	unsigned threshold;
	unsigned failures; /* in a row */
	uint64_t open_ms;  /* how long it was opened for; 0: it is closed */
	uint64_t until;	   /* then one is let through */
	bool is_probed;	   /* one was, and hasn't answered yet */
	uint64_t opened;   /* how often, for occ_info */
};

void occ_breaker_init(struct occ_breaker *breaker, unsigned threshold);

/*
 * May the server be asked now? Who is told so has to say how it went, by one of
 * the next three. Else *ret_wait is the milliseconds until another try (0:
 * somebody is trying).
 */
bool occ_breaker_allows(struct occ_breaker *breaker, uint64_t now,
			uint64_t *ret_wait);
void occ_breaker_succeeded(struct occ_breaker *breaker);
/* One that was expensive, such as waiting in vain, counts as `threshold`. */
void occ_breaker_failed(struct occ_breaker *breaker, bool is_expensive,
			uint64_t now);
/* Or that it wasn't asked after all. */
void occ_breaker_untried(struct occ_breaker *breaker);

/* Would it say no? Nothing is changed, and nothing is to be told. */
bool occ_breaker_is_open(struct occ_breaker *breaker, uint64_t now,
			 uint64_t *ret_wait);

/* How often it has opened. */
uint64_t occ_breaker_openings(struct occ_breaker *breaker);

#endif
