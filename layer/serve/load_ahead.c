/* SPDX-License-Identifier: MIT */
#include "layer/serve/load_ahead.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/thread.h"
#include "layer/object/contexts.h"
#include "layer/serve/foreseen_program.h"
#include "layer/serve/read_ahead.h"
#include "layer/serve/stats.h"
#include "layer/serve/working_set.h"

/* Threads that load at once. */
#define LOADERS_MAX   4

/* Contexts in which something is loaded ahead; later ones get nothing. */
#define OFFERS_MAX    8

/* So many programs, loaded and not taken. */
#define PROGRAMS_MAX  256

/* So long the driver may load before the first build has come true. */
#define UNPROVEN_NS   UINT64_C(5000000000)

/* What nobody has taken by then is released. */
#define IDLE_NS	      UINT64_C(30000000000)

/* For a load under way: at an end, and for fork(). */
#define END_MS	      5000
#define FORK_MS	      500
#define WAIT_MS	      1000

#define NS_PER_MS     UINT64_C(1000000)
#define HALT_PAUSE_US 100

/* A context of the application's. */
struct offer {
	cl_context context; /* NULL: it is gone */
	uint32_t number;
	unsigned busy; /* programs that the driver is loading in it */
};

/* The lock guards it. */
static struct {
	bool closed; /* nothing is released by the driver any more */
	bool paused; /* for fork() */
	bool begun;
	bool reading;	     /* something may come yet, whoever wants it */
	unsigned processors; /* that the process may use */
	unsigned waiting;    /* builds, for a program that is being loaded */
	unsigned loaders;
	bool is_loader[LOADERS_MAX];
	pthread_t threads[LOADERS_MAX]; /* of those */
	struct offer offers[OFFERS_MAX];
	size_t offer_count;
	uint64_t size;	 /* of what is loaded and not taken */
	size_t programs; /* the same */
	uint64_t spent;	 /* ns, in the driver */
} ahead;

/* For who can't take the lock; atomic. */
static unsigned in_driver; /* loaders */
static bool halted;

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

static unsigned count_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set)
		       ? 1
		       : (unsigned)CPU_COUNT(&set);
}

/*
 * How many may load. One processor is the application's, unless it waits for
 * us: where there is no other it would have to.
 */
static unsigned allowed_locked(void)
{
	unsigned count =
		ahead.processors > 1 ? ahead.processors - 1 + ahead.waiting : 0;

	return count < LOADERS_MAX ? count : LOADERS_MAX;
}

/* A place for one more; false: they are enough. */
static bool add_loader_locked(void)
{
	if (ahead.loaders >= allowed_locked())
		return false;
	ahead.loaders++;
	return true;
}

/* Of one that is OCC_AHEAD_LOADING. */
static void load_item(struct occ_ahead_item *item, struct offer *offer)
{
	uint64_t start = occ_log_now();
	struct occ_pooled *pooled = NULL;

	__atomic_add_fetch(&in_driver, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&halted, __ATOMIC_SEQ_CST))
		pooled = occ_foreseen_load(item, offer->context);
	__atomic_sub_fetch(&in_driver, 1, __ATOMIC_SEQ_CST);
	occ_lock();
	ahead.spent += occ_log_now() - start;
	occ_ahead_release_entries_locked(item);
	item->pooled = pooled;
	item->stage = pooled ? OCC_AHEAD_LOADED : OCC_AHEAD_OVER;
	ahead.programs += pooled != NULL;
	ahead.size += pooled ? pooled->size : 0;
	offer->busy--;
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

static void load_next_locked(struct occ_ahead_item *item, struct offer *offer)
{
	item->stage = OCC_AHEAD_LOADING;
	offer->busy++;
	occ_unlock();
	load_item(item, offer);
	occ_lock();
}

/*
 * Loads what there is, and waits until that is taken, or isn't wanted: for that
 * one is enough.
 */
static void run_loader_locked(void)
{
	uint64_t idle_since = occ_log_now();
	struct offer *offer;
	struct occ_ahead_item *item;

	while (!occ_ahead.stopped) {
		if (ahead.loaders > 1 && ahead.loaders > allowed_locked())
			return;
		item = ahead.paused ? NULL : next_locked(&offer);
		if (item) {
			load_next_locked(item, offer);
			idle_since = occ_log_now();
			continue;
		}
		if (ahead.loaders > 1 ||
		    (!ahead.paused && !ahead.programs && !comes_locked()))
			return;
		if (occ_log_now() - idle_since > IDLE_NS)
			break;
		occ_lock_wait_for(&occ_ahead.changed, WAIT_MS);
	}
	release_loaded_locked(NULL);
}

static void *load_all(void *data)
{
	unsigned place = 0;

	(void)data;
	occ_lock();
	while (place < LOADERS_MAX - 1 && ahead.is_loader[place])
		place++;
	ahead.is_loader[place] = true;
	ahead.threads[place] = pthread_self();
	run_loader_locked();
	ahead.is_loader[place] = false;
	ahead.loaders--;
	occ_lock_wake_for(&occ_ahead.changed);
	occ_unlock();
	return NULL;
}

/* One that counts already. */
static void start_thread(void)
{
	if (occ_thread_start(load_all, NULL, 0, NULL))
		return;
	occ_lock();
	ahead.loaders--;
	occ_unlock();
}

/* If something is to be loaded, and more may be at it. */
static void start_loader(void)
{
	struct offer *offer;
	bool wanted;

	occ_lock();
	wanted = next_locked(&offer) && add_loader_locked();
	occ_unlock();
	if (wanted)
		start_thread();
}

void occ_load_ahead_begin(void)
{
	unsigned processors = count_processors();
	bool wanted = occ_working_set_is_on();

	occ_lock();
	ahead.processors = processors;
	wanted = wanted && !ahead.begun && add_loader_locked();
	ahead.begun = true;
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
	    !occ_context_place(context, &place))
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

/* The driver may fork, or end the process, in a load. */
static bool is_loader_locked(void)
{
	for (unsigned i = 0; i < LOADERS_MAX; i++)
		if (ahead.is_loader[i] &&
		    pthread_equal(ahead.threads[i], pthread_self()))
			return true;
	return false;
}

/* While one of them is busy, or that one, for some ms. */
static void await_locked(const struct offer *one, unsigned milliseconds)
{
	uint64_t end = occ_log_now() + milliseconds * NS_PER_MS;
	bool busy = !is_loader_locked();

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

/* The others may be loaded where the build isn't at work. */
static void await_item_locked(struct occ_ahead_item *item)
{
	__atomic_store_n(&item->is_awaited, true, __ATOMIC_RELEASE);
	ahead.waiting++;
	occ_unlock();
	start_loader();
	occ_lock();
	while (item->stage == OCC_AHEAD_LOADING)
		occ_lock_wait_for(&occ_ahead.changed, WAIT_MS);
	ahead.waiting--;
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

	if (build_key->operation == OCC_COMPILE || !occ_working_set_is_on() ||
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

void occ_load_ahead_halt(void)
{
	uint64_t end = occ_log_now() + END_MS * NS_PER_MS;

	__atomic_store_n(&halted, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&in_driver, __ATOMIC_SEQ_CST) &&
	       occ_log_now() < end)
		usleep(HALT_PAUSE_US);
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
	in_driver = 0;
}

void occ_load_ahead_forget_all(void)
{
	for (size_t i = 0; i < occ_ahead.count; i++)
		occ_ahead_release_entries_locked(&occ_ahead.items[i]);
	free(occ_ahead.items);
	halted = false;
	memset(&ahead, 0, sizeof(ahead));
	memset(&occ_ahead, 0, sizeof(occ_ahead));
}
