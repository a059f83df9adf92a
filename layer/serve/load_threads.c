/* SPDX-License-Identifier: MIT */
#include "layer/serve/load_threads.h"

#include <pthread.h>

#include "layer/base/environment_watch.h"
#include "layer/base/loader_hold.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/thread.h"
#include "layer/serve/foreseen_program.h"
#include "layer/serve/read_ahead.h"

/* So many programs, loaded and not taken. */
#define PROGRAMS_MAX 256

/* So long the driver may load before the first build has come true. */
#define UNPROVEN_NS  UINT64_C(5000000000)

/* What nobody has taken by then is released. */
#define IDLE_NS	     UINT64_C(30000000000)

/* To look again whether the environment is being changed. */
#define CALM_MS	     5

struct occ_loading occ_loading;
unsigned occ_loading_in_driver;
bool occ_loading_halted;

static struct occ_offer *offer_of_locked(const struct occ_ahead_item *item)
{
	for (size_t i = 0; i < occ_loading.offer_count; i++)
		if (occ_loading.offers[i].context &&
		    occ_loading.offers[i].number == item->what.context)
			return &occ_loading.offers[i];
	return NULL;
}

/* The next one to be loaded, and where; NULL: none, at present. */
static struct occ_ahead_item *next_locked(struct occ_offer **ret_offer)
{
	if (occ_ahead.stopped || !occ_ahead.certain ||
	    occ_loading.programs >= PROGRAMS_MAX ||
	    (!occ_ahead.right && occ_loading.spent > UNPROVEN_NS))
		return NULL;
	for (size_t i = 0; i < occ_ahead.count; i++) {
		struct occ_ahead_item *item = &occ_ahead.items[i];

		if (item->stage != OCC_AHEAD_READ)
			continue;
		*ret_offer = offer_of_locked(item);
		if (*ret_offer)
			return occ_loading.size + item->size >
					       occ_memory_capacity() / 2
				       ? NULL
				       : item;
	}
	return NULL;
}

/*
 * How many may load: one beside the application, where it has a processor, and
 * one in its place, while it waits for the other; but not where that would have
 * to wait, too.
 */
static unsigned allowed_locked(void)
{
	if (occ_loading.processors < 2)
		return 0;
	return occ_loading.waiting && !__atomic_load_n(&occ_ahead.in_turn,
						       __ATOMIC_RELAXED)
		       ? OCC_LOADING_THREADS_MAX
		       : 1;
}

bool occ_loading_add_thread_locked(void)
{
	if (occ_loading.thread_count >= allowed_locked())
		return false;
	occ_loading.thread_count++;
	return true;
}

/* Of one that is OCC_AHEAD_LOADING. */
static void load_item(struct occ_ahead_item *item, struct occ_offer *offer,
		      cl_context context)
{
	uint64_t start = occ_log_now();
	struct occ_pooled *pooled = NULL;

	__atomic_add_fetch(&occ_loading_in_driver, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&occ_loading_halted, __ATOMIC_SEQ_CST))
		pooled = occ_foreseen_load(item, context);
	__atomic_sub_fetch(&occ_loading_in_driver, 1, __ATOMIC_SEQ_CST);
	occ_lock();
	occ_loading.spent += occ_log_now() - start;
	occ_ahead_release_entries_locked(item);
	item->pooled = pooled;
	item->stage = pooled ? OCC_AHEAD_LOADED : OCC_AHEAD_OVER;
	occ_loading.programs += pooled != NULL;
	occ_loading.size += pooled ? pooled->size : 0;
	occ_loading.size -= item->size;
	occ_loading.last_use = occ_log_now();
	offer->busy--;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
}

struct occ_pooled *occ_loading_take_locked(struct occ_ahead_item *item)
{
	struct occ_pooled *pooled = item->pooled;

	if (item->stage != OCC_AHEAD_LOADED)
		return NULL;
	item->pooled = NULL;
	item->stage = OCC_AHEAD_OVER;
	occ_loading.programs--;
	occ_loading.size -= pooled->size;
	return pooled;
}

static void end_release_locked(void)
{
	occ_loading.releasing--;
	occ_lock_wake_for(&occ_ahead.changed);
}

void occ_loading_release_locked(cl_context context)
{
	for (size_t i = 0; i < occ_ahead.count; i++) {
		struct occ_ahead_item *item = &occ_ahead.items[i];
		struct occ_pooled *pooled;

		if (occ_loading.closed)
			return;
		if (item->stage != OCC_AHEAD_LOADED ||
		    (context && item->pooled->build_key->context != context))
			continue;
		pooled = occ_loading_take_locked(item);
		occ_loading.releasing++;
		occ_unlock();
		occ_pool_release(pooled);
		occ_lock();
		end_release_locked();
	}
}

/* Is something to be read, or kept for a while? */
static bool comes_locked(void)
{
	bool any = occ_loading.reading;

	for (size_t i = 0; i < occ_ahead.count && !any; i++)
		any = occ_ahead.items[i].stage == OCC_AHEAD_READ;
	return any;
}

/*
 * What is to be loaded is chosen when the loader is held, not before: who
 * closes it has the dynamic linker's lock, and waits for what is under way.
 * False: it was closed.
 */
static bool load_next_locked(void)
{
	struct occ_loader_hold hold;
	struct occ_ahead_item *item;
	struct occ_offer *offer;
	cl_context context = NULL;
	bool held;

	occ_unlock();
	held = occ_loader_hold_take(&hold);
	occ_lock();
	item = held && !occ_loading.paused ? next_locked(&offer) : NULL;
	if (item) {
		item->stage = OCC_AHEAD_LOADING;
		occ_loading.size += item->size;
		context = offer->context;
		offer->busy++;
	}
	occ_unlock();
	if (item)
		load_item(item, offer, context);
	occ_loader_hold_give(&hold);
	occ_lock();
	return held;
}

/* By the thread, of which the application doesn't know. */
static void release_rest_locked(void)
{
	struct occ_loader_hold hold;
	bool held;

	occ_unlock();
	held = occ_loader_hold_take(&hold);
	occ_lock();
	if (held)
		occ_loading_release_locked(NULL);
	occ_unlock();
	occ_loader_hold_give(&hold);
	occ_lock();
}

/*
 * Loads what there is, and waits until that is taken, or isn't wanted: for that
 * one is enough.
 */
static void run_locked(void)
{
	struct occ_offer *offer;

	occ_loading.last_use = occ_log_now();
	while (!occ_ahead.stopped) {
		if (occ_loading.thread_count > 1 &&
		    occ_loading.thread_count > allowed_locked())
			return;
		if (!occ_loading.paused && next_locked(&offer)) {
			if (occ_environment_watch()) {
				occ_lock_wait_for(&occ_ahead.changed, CALM_MS);
				continue;
			}
			if (!load_next_locked())
				return;
			continue;
		}
		if (occ_loading.thread_count > 1 ||
		    (!occ_loading.paused && !occ_loading.programs &&
		     !comes_locked()))
			return;
		if (occ_log_now() - occ_loading.last_use > IDLE_NS)
			occ_ahead_stop_locked();
		else
			occ_lock_wait_for(&occ_ahead.changed,
					  OCC_LOADING_WAIT_MS);
	}
	release_rest_locked();
}

static void *load_all(void *data)
{
	unsigned place = 0;

	(void)data;
	occ_lock();
	while (place < OCC_LOADING_THREADS_MAX - 1 &&
	       occ_loading.is_running[place])
		place++;
	occ_loading.is_running[place] = true;
	occ_loading.threads[place] = pthread_self();
	run_locked();
	occ_loading.is_running[place] = false;
	occ_loading.thread_count--;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	return NULL;
}

void occ_loading_start_thread(void)
{
	if (occ_thread_start(load_all, NULL, 0, NULL))
		return;
	occ_lock();
	occ_loading.thread_count--;
	occ_unlock();
}

void occ_loading_start(void)
{
	struct occ_offer *offer;
	bool wanted;

	occ_lock();
	wanted = next_locked(&offer) && occ_loading_add_thread_locked();
	occ_unlock();
	if (wanted)
		occ_loading_start_thread();
}
