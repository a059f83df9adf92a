/* SPDX-License-Identifier: MIT */
#include "layer/serve/load_ahead.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cache/driver/driver.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/stores.h"
#include "layer/base/thread.h"
#include "layer/driver/device.h"
#include "layer/key/build_key_entry.h"
#include "layer/object/contexts.h"
#include "layer/serve/device_code.h"
#include "layer/serve/load_program.h"
#include "layer/serve/read_ahead.h"
#include "layer/serve/stats.h"
#include "layer/serve/working_set.h"

/* Contexts in which something is loaded ahead; later ones get nothing. */
#define OFFERS_MAX   8

/* So many programs, loaded and not taken. */
#define PROGRAMS_MAX 256

/* So long the driver may load before the first build has come true. */
#define UNPROVEN_NS  UINT64_C(5000000000)

/* What nobody has taken by then is released. */
#define IDLE_NS	     UINT64_C(30000000000)

/* For a load under way: at an end, and for fork(). */
#define END_MS	     5000
#define FORK_MS	     500
#define WAIT_MS	     1000

#define NS_PER_MS    1000000

/* A context of the application's. */
struct offer {
	cl_context context; /* NULL: it is gone */
	uint32_t number;
	bool busy; /* the driver is loading something in it */
};

/* The lock guards it. */
static struct {
	bool closed; /* nothing is released by the driver any more */
	bool paused; /* for fork() */
	bool begun;
	bool reading;  /* something may come yet, whoever wants it */
	bool threaded; /* there is a loader */
	pthread_t loader;
	struct offer offers[OFFERS_MAX];
	size_t offer_count;
	uint64_t size;	 /* of what is loaded and not taken */
	size_t programs; /* the same */
	uint64_t spent;	 /* ns, in the driver */
} ahead;

static struct offer *offer_of_locked(const struct occ_ahead_item *item)
{
	for (size_t i = 0; i < ahead.offer_count; i++)
		if (ahead.offers[i].context &&
		    ahead.offers[i].number == item->what.context)
			return &ahead.offers[i];
	return NULL;
}

/* The next one to be loaded, and where; NULL: none, at present. */
static struct occ_ahead_item *next_locked(struct offer **ret_offer)
{
	if (occ_ahead.stopped || !occ_ahead.certain ||
	    ahead.programs >= PROGRAMS_MAX ||
	    ahead.size >= occ_memory_capacity() / 2 ||
	    (!occ_ahead.right && ahead.spent > UNPROVEN_NS))
		return NULL;
	for (size_t i = 0; i < occ_ahead.count; i++) {
		struct occ_ahead_item *item = &occ_ahead.items[i];

		if (item->stage != OCC_AHEAD_READ)
			continue;
		*ret_offer = offer_of_locked(item);
		if (*ret_offer)
			return item;
	}
	return NULL;
}

/* On one processor the application would have to wait for us. */
static bool has_processors(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

/* By the driver, in a context that stays. NULL: it isn't to be. */
static struct occ_pooled *load(struct occ_ahead_item *item, cl_context context)
{
	struct occ_kept *const *entries = item->entries;
	struct occ_build_key *build_key = NULL;
	struct occ_pooled *pooled = NULL;
	struct occ_load_fault fault;
	cl_uint count = 0;
	cl_device_id *devices = occ_device_list_of_context(context, &count);
	bool code;

	if (devices && count == item->what.count)
		build_key = occ_build_key_of_entries(context, count, devices,
						     entries);
	free(devices);
	if (build_key && occ_build_key_driver(build_key)->loads_ahead) {
		code = occ_device_code_is_used(build_key, entries);
		/* What is in others' stores isn't ours to change. */
		item->lacks_code =
			!code && item->tier == OCC_TIER_STORE &&
			occ_device_code_is_supported(build_key) &&
			!occ_device_code_is_ruled_out(build_key, entries);
		if (code || entries[0]->entry.binary.data)
			pooled = occ_load_program(build_key, entries, code,
						  &fault);
	}
	occ_build_key_release(build_key);
	return pooled;
}

/*
 * Those that were made of it last time, unless a build is waiting for the
 * program.
 */
static void make_kernels(struct occ_pooled *pooled,
			 const struct occ_ahead_item *item)
{
	const char *name = item->what.kernels;

	if (!occ_build_key_driver(pooled->build_key)->kernels_ahead)
		return;
	for (; *name; name += strlen(name) + 1) {
		if (__atomic_load_n(&item->is_awaited, __ATOMIC_ACQUIRE))
			return;
		occ_kernels_ahead_make(pooled->program, name,
				       &pooled->kernels_ahead);
	}
}

/* Of one that is OCC_AHEAD_LOADING. */
static void load_item(struct occ_ahead_item *item, struct offer *offer)
{
	uint64_t start = occ_log_now();
	struct occ_pooled *pooled = load(item, offer->context);

	if (pooled) {
		make_kernels(pooled, item);
		/* The driver's exit handlers are before ours. */
		occ_exit_watch();
		occ_stats_ahead(OCC_COUNT_LOADED_AHEAD, 1);
		occ_log_trace(&(struct occ_trace){
			.event = "prefetch",
			.hash = &item->what.hashes[0],
			.device = pooled->build_key->identities[0]->name,
			.result = "loaded",
			.bytes = pooled->size,
			.since = start,
		});
	}
	occ_lock();
	ahead.spent += occ_log_now() - start;
	occ_ahead_release_entries_locked(item);
	item->pooled = pooled;
	item->stage = pooled ? OCC_AHEAD_LOADED : OCC_AHEAD_OVER;
	ahead.programs += pooled != NULL;
	ahead.size += pooled ? pooled->size : 0;
	offer->busy = false;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
}

/* NULL: it has none. */
static struct occ_pooled *take_program_locked(struct occ_ahead_item *item)
{
	struct occ_pooled *pooled = item->pooled;

	if (item->stage != OCC_AHEAD_LOADED)
		return NULL;
	item->pooled = NULL;
	item->stage = OCC_AHEAD_OVER;
	ahead.programs--;
	ahead.size -= pooled->size;
	return pooled;
}

/*
 * Releases what is loaded, of one context or of all (NULL). The lock is given
 * up meanwhile.
 */
static void release_loaded_locked(cl_context context)
{
	for (size_t i = 0; i < occ_ahead.count; i++) {
		struct occ_ahead_item *item = &occ_ahead.items[i];
		struct occ_pooled *pooled;

		if (ahead.closed)
			return;
		if (item->stage != OCC_AHEAD_LOADED ||
		    (context && item->pooled->build_key->context != context))
			continue;
		pooled = take_program_locked(item);
		occ_unlock();
		occ_pool_release(pooled);
		occ_lock();
	}
}

/* Is it worth waiting for what is to be read, or the first context? */
static bool comes_locked(void)
{
	return ahead.reading ||
	       (occ_ahead.count && occ_ahead.certain && !ahead.offer_count);
}

/* Loads what there is, and waits until that is taken, or isn't wanted. */
static void run_loader_locked(void)
{
	uint64_t idle_since = occ_log_now();
	struct offer *offer;
	struct occ_ahead_item *item;

	while (!occ_ahead.stopped) {
		item = ahead.paused ? NULL : next_locked(&offer);
		if (item) {
			item->stage = OCC_AHEAD_LOADING;
			offer->busy = true;
			occ_unlock();
			load_item(item, offer);
			occ_lock();
			idle_since = occ_log_now();
			continue;
		}
		if (!ahead.paused && !ahead.programs && !comes_locked())
			return;
		if (occ_log_now() - idle_since > IDLE_NS)
			break;
		occ_lock_wait_for(&occ_ahead.changed, WAIT_MS);
	}
	release_loaded_locked(NULL);
}

static void *load_all(void *data)
{
	(void)data;
	occ_lock();
	ahead.loader = pthread_self();
	run_loader_locked();
	ahead.threaded = false;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	return NULL;
}

static void start_thread(void)
{
	if (occ_thread_start(load_all, NULL, 0, NULL))
		return;
	occ_lock();
	ahead.threaded = false;
	occ_unlock();
}

/* If something is to be loaded, and nobody is at it. */
static void start_loader(void)
{
	struct offer *offer;
	bool wanted;

	occ_lock();
	wanted = !ahead.threaded && next_locked(&offer);
	ahead.threaded |= wanted;
	occ_unlock();
	if (wanted)
		start_thread();
}

void occ_load_ahead_begin(void)
{
	bool wanted = occ_working_set_is_on() && has_processors();

	occ_lock();
	wanted = wanted && !ahead.begun && !ahead.threaded;
	ahead.begun = true;
	ahead.threaded |= wanted;
	ahead.reading |= wanted;
	occ_unlock();
	if (wanted)
		start_thread();
}

void occ_load_ahead_read(const char *platform_name)
{
	occ_ahead_read(platform_name);
	occ_lock();
	ahead.reading = false;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
}

void occ_load_ahead_offer(cl_context context, bool quiet)
{
	struct occ_context_place place;

	if (!occ_working_set_is_on() || !quiet ||
	    !occ_context_place(context, &place) || !has_processors())
		return;
	/* Only there a load under way can be waited for before exit handlers
	 * run. */
	occ_exit_watch_main_thread();
	if (!occ_exit_main_thread_is_watched())
		return;
	occ_lock();
	if (!occ_ahead.stopped && ahead.offer_count < OFFERS_MAX) {
		ahead.offers[ahead.offer_count++] = (struct offer){
			.context = context,
			.number = place.number,
		};
		occ_lock_wake_for(&occ_ahead.changed);
	}
	occ_unlock();
	start_loader();
}

/* Is one of them busy, or that one, for some ms? */
static void await_locked(const struct offer *one, unsigned milliseconds)
{
	uint64_t end = occ_log_now() + (uint64_t)milliseconds * NS_PER_MS;
	bool busy = true;

	/* The driver may fork, or end the process, in a load. */
	if (ahead.threaded && pthread_equal(ahead.loader, pthread_self()))
		return;
	while (busy && occ_log_now() < end) {
		busy = false;
		for (size_t i = 0; i < ahead.offer_count; i++)
			busy |= ahead.offers[i].busy &&
				(!one || one == &ahead.offers[i]);
		if (busy)
			occ_lock_wait_for(&occ_ahead.changed, WAIT_MS);
	}
}

void occ_load_ahead_drop_context(cl_context context)
{
	occ_lock();
	for (size_t i = 0; i < ahead.offer_count; i++) {
		struct offer *offer = &ahead.offers[i];

		if (offer->context != context)
			continue;
		offer->number = UINT32_MAX;
		await_locked(offer, END_MS);
		release_loaded_locked(context);
		offer->context = NULL;
	}
	occ_unlock();
}

/* Waits for one that is being loaded, and else leaves it to the caller. */
static struct occ_pooled *take_locked(struct occ_ahead_item *item,
				      struct occ_build_key *build_key,
				      bool may_wait)
{
	__atomic_store_n(&item->is_awaited, true, __ATOMIC_RELEASE);
	while (may_wait && item->stage == OCC_AHEAD_LOADING)
		occ_lock_wait_for(&occ_ahead.changed, WAIT_MS);
	if (item->stage == OCC_AHEAD_UNREAD || item->stage == OCC_AHEAD_READ)
		item->stage = OCC_AHEAD_WANTED;
	if (occ_ahead.stopped || item->stage != OCC_AHEAD_LOADED ||
	    !occ_build_key_equal(item->pooled->build_key, build_key))
		return NULL;
	return take_program_locked(item);
}

struct occ_pooled *occ_load_ahead_take(struct occ_build_key *build_key,
				       bool may_wait, bool again,
				       enum occ_tier *ret_tier)
{
	struct occ_pooled *pooled = NULL;
	struct occ_context_place place;
	struct occ_build_key *own;
	struct occ_ahead_item *item;

	if (build_key->operation != OCC_BUILD || !occ_working_set_is_on() ||
	    !occ_context_place(build_key->context, &place))
		return NULL;
	occ_lock();
	item = occ_ahead_find_locked(build_key, place.number);
	if (!again)
		occ_ahead_judge_locked(item);
	if (item)
		pooled = take_locked(item, build_key, may_wait);
	if (pooled)
		*ret_tier = item->tier;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	start_loader();
	if (!pooled)
		return NULL;
	if (item->lacks_code)
		occ_stats_without_code();
	/* It can be built anew by this one. */
	own = pooled->build_key;
	pooled->build_key = occ_build_key_retain(build_key);
	occ_build_key_release(own);
	for (cl_uint i = 0; i < build_key->device_count; i++)
		occ_working_set_note_used(&build_key->keys[i].hash);
	occ_stats_ahead(OCC_COUNT_LOADED_AHEAD_USED, 1);
	occ_stats_ahead(OCC_COUNT_READ_AHEAD_USED, build_key->device_count);
	return pooled;
}

void occ_load_ahead_end(void)
{
	occ_lock();
	occ_ahead_stop_locked();
	await_locked(NULL, END_MS);
	release_loaded_locked(NULL);
	occ_unlock();
}

uint64_t occ_load_ahead_size(void)
{
	uint64_t size;

	occ_lock();
	size = ahead.size;
	occ_unlock();
	return size;
}

void occ_load_ahead_close(void)
{
	occ_lock();
	occ_ahead_stop_locked();
	ahead.closed = true;
	await_locked(NULL, END_MS);
	occ_unlock();
}

void occ_load_ahead_before_fork(void)
{
	ahead.paused = true;
	await_locked(NULL, FORK_MS);
}

void occ_load_ahead_after_fork(void)
{
	ahead.paused = false;
	occ_lock_wake_for(&occ_ahead.changed);
}

/* What the parent has loaded stays the parent's: it is a little memory. */
void occ_load_ahead_forked(void)
{
	memset(&ahead, 0, sizeof(ahead));
	memset(&occ_ahead, 0, sizeof(occ_ahead));
	occ_ahead.stopped = true;
}

void occ_load_ahead_forget_all(void)
{
	for (size_t i = 0; i < occ_ahead.count; i++)
		occ_ahead_release_entries_locked(&occ_ahead.items[i]);
	free(occ_ahead.items);
	memset(&ahead, 0, sizeof(ahead));
	memset(&occ_ahead, 0, sizeof(occ_ahead));
}
