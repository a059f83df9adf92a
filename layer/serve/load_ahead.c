/* SPDX-License-Identifier: MIT */
#include "layer/serve/load_ahead.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/exit.h"
#include "layer/base/linker_probe.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/object/contexts.h"
#include "layer/serve/load_threads.h"
#include "layer/serve/read_ahead.h"
#include "layer/serve/stats.h"
#include "layer/serve/uses.h"
#include "layer/serve/working_set.h"

/* For a load under way: at an end, and for fork(). */
#define END_MS	      5000
#define FORK_MS	      500

#define NS_PER_MS     UINT64_C(1000000)
#define HALT_PAUSE_US 100

/* Most loads are over by then. */
#define PROBE_MS      UINT64_C(100)

static unsigned count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set)
		       ? 1
		       : (unsigned)CPU_COUNT(&set);
}

void occ_load_ahead_begin(void)
{
	unsigned processors = count_processors();
	bool wanted = occ_working_set_is_on();

	occ_lock();
	occ_loading.processors = processors;
	wanted =
		wanted && !occ_loading.begun && occ_loading_add_thread_locked();
	occ_loading.begun = true;
	occ_loading.reading |= wanted;
	occ_unlock();
	if (wanted)
		occ_loading_start_thread();
}

void occ_load_ahead_read(const char *platform_name)
{
	bool is_loaded;

	occ_lock();
	is_loaded = occ_loading.thread_count > 0;
	occ_unlock();
	if (!occ_ahead_read(platform_name, is_loaded))
		return;
	occ_lock();
	occ_loading.reading = false;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
}

void occ_load_ahead_offer(cl_context context, bool quiet)
{
	struct occ_context_place place;

	if (!occ_working_set_is_on() || !quiet ||
	    !occ_context_place(context, &place))
		return;
	/* A load under way is waited for before the driver's handlers run. */
	occ_exit_watch_main_thread();
	occ_exit_watch_context();
	occ_lock();
	if (!occ_ahead.stopped &&
	    occ_loading.offer_count < OCC_LOADING_OFFERS_MAX) {
		occ_loading.offers[occ_loading.offer_count++] =
			(struct occ_offer){
				.context = context,
				.number = place.number,
			};
		occ_lock_wake_for(&occ_ahead.changed);
	}
	occ_unlock();
	occ_loading_start();
}

/*
 * A driver may need the dynamic linker for a load (Intel's CPU runtime does),
 * and the thread that waits for it may have that: in a library's constructor.
 * Once, when the wait is longer than most. The lock is given up meanwhile.
 */
static bool is_in_vain_locked(uint64_t start, bool *probed)
{
	bool free;

	if (*probed || occ_log_now() - start < PROBE_MS * NS_PER_MS)
		return false;
	*probed = true;
	occ_unlock();
	free = occ_linker_probe();
	occ_lock();
	return !free;
}

/* The others may be loaded where the build isn't at work. */
static void await_item_locked(struct occ_ahead_item *item)
{
	uint64_t start = occ_log_now();
	bool probed = false;

	__atomic_store_n(&item->is_awaited, true, __ATOMIC_RELEASE);
	occ_loading.waiting++;
	occ_unlock();
	occ_loading_start();
	occ_lock();
	while (item->stage == OCC_AHEAD_LOADING &&
	       !is_in_vain_locked(start, &probed))
		occ_lock_wait_for(&occ_ahead.changed, PROBE_MS);
	occ_loading.waiting--;
}

/* Waits for one that is being loaded, and else leaves it to the caller. */
static struct occ_pooled *take_locked(struct occ_ahead_item *item,
				      struct occ_build_key *build_key,
				      bool may_wait)
{
	if (may_wait && item->stage == OCC_AHEAD_LOADING)
		await_item_locked(item);
	if (item->stage == OCC_AHEAD_UNREAD || item->stage == OCC_AHEAD_READ)
		item->stage = OCC_AHEAD_WANTED;
	if (occ_ahead.stopped || item->stage != OCC_AHEAD_LOADED ||
	    !occ_build_key_equal(item->pooled->build_key, build_key))
		return NULL;
	occ_loading.last_use = occ_log_now();
	return occ_loading_take_locked(item);
}

struct occ_pooled *occ_load_ahead_take(struct occ_build_key *build_key,
				       bool may_wait, bool again,
				       enum occ_tier *ret_tier)
{
	struct occ_pooled *pooled = NULL;
	struct occ_context_place place;
	struct occ_build_key *own;
	struct occ_ahead_item *item;

	if (build_key->operation == OCC_COMPILE || !occ_working_set_is_on() ||
	    !occ_context_place(build_key->context, &place))
		return NULL;
	occ_lock();
	item = occ_ahead_find_locked(build_key, place.number);
	if (!again)
		occ_ahead_judge_locked(item);
	if (!item)
		occ_ahead_note_early_locked(build_key);
	else
		pooled = take_locked(item, build_key, may_wait);
	if (pooled)
		*ret_tier = item->tier;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	/* What has come true makes others certain. */
	if (item)
		occ_loading_start();
	if (!pooled)
		return NULL;
	if (item->lacks_code)
		occ_stats_without_code();
	/* It can be built anew by this one. */
	own = pooled->build_key;
	pooled->build_key = occ_build_key_retain(build_key);
	occ_build_key_release(own);
	for (cl_uint i = 0; i < build_key->device_count; i++)
		occ_uses_note(&build_key->keys[i].hash);
	occ_stats_ahead(OCC_COUNT_LOADED_AHEAD_USED, 1);
	occ_stats_ahead(OCC_COUNT_READ_AHEAD_USED, build_key->device_count);
	return pooled;
}

/* The driver may fork, or end the process, in a load. */
static bool is_ours_locked(void)
{
	for (unsigned i = 0; i < OCC_LOADING_THREADS_MAX; i++)
		if (occ_loading.is_running[i] &&
		    pthread_equal(occ_loading.threads[i], pthread_self()))
			return true;
	return false;
}

/*
 * Waits for some ms while one of them, or that one, is busy, and while programs
 * are released.
 */
static void await_locked(const struct occ_offer *one, unsigned milliseconds)
{
	uint64_t start = occ_log_now(), end = start + milliseconds * NS_PER_MS;
	bool busy = !is_ours_locked(), probed = milliseconds <= FORK_MS;

	while (busy && occ_log_now() < end &&
	       !is_in_vain_locked(start, &probed)) {
		busy = occ_loading.releasing;
		for (size_t i = 0; i < occ_loading.offer_count; i++)
			busy |= occ_loading.offers[i].busy &&
				(!one || one == &occ_loading.offers[i]);
		if (busy)
			occ_lock_wait_for(&occ_ahead.changed, PROBE_MS);
	}
}

void occ_load_ahead_drop_context(cl_context context)
{
	occ_lock();
	for (size_t i = 0; i < occ_loading.offer_count; i++) {
		struct occ_offer *offer = &occ_loading.offers[i];

		if (offer->context != context)
			continue;
		offer->number = UINT32_MAX;
		await_locked(offer, END_MS);
		occ_loading_release_locked(context);
		offer->context = NULL;
	}
	occ_unlock();
}

void occ_load_ahead_end(void)
{
	occ_lock();
	occ_ahead_stop_locked();
	await_locked(NULL, END_MS);
	/* As with other programs that are kept (lifecycle.c). */
	if (!occ_exit_is_child())
		occ_loading_release_locked(NULL);
	occ_unlock();
}

uint64_t occ_load_ahead_size(void)
{
	uint64_t size;

	occ_lock();
	size = occ_loading.size;
	occ_unlock();
	return size;
}

void occ_load_ahead_close(void)
{
	occ_lock();
	occ_ahead_stop_locked();
	occ_loading.closed = true;
	await_locked(NULL, END_MS);
	occ_unlock();
}

void occ_load_ahead_halt(void)
{
	uint64_t end = occ_log_now() + END_MS * NS_PER_MS;

	__atomic_store_n(&occ_loading_halted, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&occ_loading_in_driver, __ATOMIC_SEQ_CST) &&
	       occ_log_now() < end)
		usleep(HALT_PAUSE_US);
}

void occ_load_ahead_before_fork(void)
{
	occ_loading.paused = true;
	await_locked(NULL, FORK_MS);
}

void occ_load_ahead_after_fork(void)
{
	occ_loading.paused = false;
	occ_lock_wake_for(&occ_ahead.changed);
}

/*
 * Nothing more is loaded. What its parent has loaded goes with the context, as
 * the child's copy of that must; what was half made is lost.
 */
void occ_load_ahead_forked(void)
{
	memset(&occ_ahead.changed, 0, sizeof(occ_ahead.changed));
	occ_ahead_stop_locked();
	for (size_t i = 0; i < occ_ahead.count; i++)
		if (occ_ahead.items[i].stage == OCC_AHEAD_LOADING)
			occ_ahead.items[i].stage = OCC_AHEAD_OVER;
	for (size_t i = 0; i < occ_loading.offer_count; i++)
		occ_loading.offers[i].busy = 0;
	occ_loading.thread_count = 0;
	memset(occ_loading.is_running, 0, sizeof(occ_loading.is_running));
	occ_loading.waiting = 0;
	occ_loading.reading = false;
	occ_loading_in_driver = 0;
	occ_loading.paused = false;
	occ_loading.releasing = 0;
}

void occ_load_ahead_await(void)
{
	uint64_t end = occ_log_now() + END_MS * NS_PER_MS;

	occ_load_ahead_close();
	occ_lock();
	while (occ_loading.thread_count && occ_log_now() < end)
		occ_lock_wait_for(&occ_ahead.changed, OCC_LOADING_WAIT_MS);
	occ_unlock();
}

void occ_load_ahead_forget_all(void)
{
	bool is_lost;

	occ_lock();
	/* It takes too long: what it uses stays, and there is no other. */
	is_lost = occ_loading.thread_count > 0;
	for (size_t i = 0; !is_lost && i < occ_ahead.count; i++)
		occ_ahead_release_entries_locked(&occ_ahead.items[i]);
	if (!is_lost)
		free(occ_ahead.items);
	occ_loading_halted = false;
	memset(&occ_loading, 0, sizeof(occ_loading));
	memset(&occ_ahead, 0, sizeof(occ_ahead));
	occ_loading.closed = is_lost;
	occ_ahead.stopped = is_lost;
	occ_unlock();
}
