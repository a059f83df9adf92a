/* SPDX-License-Identifier: MIT */
/*
 * The threads that have the driver load what is foreseen (read_ahead.h), and
 * the contexts in which they do. load_ahead.h, which is what everybody else
 * uses, says when, and has its invariants.
 */
#ifndef OCC_LAYER_SERVE_LOAD_THREADS_H
#define OCC_LAYER_SERVE_LOAD_THREADS_H

#include <pthread.h>

#include "layer/serve/read_ahead.h"

/* Threads that load at once. */
#define OCC_LOADING_THREADS_MAX 2

/* Contexts in which something is loaded ahead; later ones get nothing. */
#define OCC_LOADING_OFFERS_MAX	8

/* To look up from waiting; who is waited for wakes. */
#define OCC_LOADING_WAIT_MS	1000

/* A context of the application's. */
struct occ_offer {
	cl_context context; /* NULL: it is gone */
	uint32_t number;
	unsigned busy; /* programs that the driver is loading in it */
};

/* The lock guards it. */
struct occ_loading {
	bool closed; /* nothing is released by the driver any more */
	bool paused; /* for fork() */
	bool begun;
	bool reading;	     /* something may come yet, whoever wants it */
	unsigned processors; /* that the process may use */
	unsigned waiting;    /* builds, for a program that is being loaded */
	unsigned thread_count;
	bool is_running[OCC_LOADING_THREADS_MAX];
	pthread_t threads[OCC_LOADING_THREADS_MAX]; /* of those */
	struct occ_offer offers[OCC_LOADING_OFFERS_MAX];
	size_t offer_count;
	unsigned releasing; /* programs, by the driver, at this moment */
	uint64_t size;	    /* of what is loaded and not taken */
	size_t programs;    /* the same */
	uint64_t last_use;  /* occ_log_now(): when one was loaded or taken */
	uint64_t spent;	    /* ns, in the driver */
};
extern struct occ_loading occ_loading;

/* For who can't take the lock; atomic. */
extern unsigned occ_loading_in_driver; /* loaders */
extern bool occ_loading_halted;

/* If something is to be loaded, and more may be at it. Without the lock. */
void occ_loading_start(void);

/*
 * The same in two steps: a place for one more thread, false: they are enough
 * (lock held); and the thread, without the lock.
 */
bool occ_loading_add_thread_locked(void);
void occ_loading_start_thread(void);

/* The program of an item that was loaded; NULL: it has none. Lock held. */
struct occ_pooled *occ_loading_take_locked(struct occ_ahead_item *item);

/*
 * Releases what is loaded and not taken, of one context or of all (NULL). The
 * lock is given up meanwhile. Lock held.
 */
void occ_loading_release_locked(cl_context context);

#endif
