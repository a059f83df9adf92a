/* SPDX-License-Identifier: MIT */
/* What ends loading ahead, or has to wait for it (load_ahead.h). */
#include "layer/serve/load_ahead_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"

/* For a load under way: at an end, and for fork(). */
#define END_MS	      5000
#define FORK_MS	      500

#define NS_PER_MS     UINT64_C(1000000)
#define HALT_PAUSE_US 100

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
	uint64_t end = occ_log_now() + milliseconds * NS_PER_MS;
	bool busy = !is_ours_locked();

	while (busy && occ_log_now() < end) {
		busy = occ_loading.releasing;
		for (size_t i = 0; i < occ_loading.offer_count; i++)
			busy |= occ_loading.offers[i].busy &&
				(!one || one == &occ_loading.offers[i]);
		if (busy)
			occ_lock_wait_for(&occ_ahead.changed,
					  OCC_LOADING_WAIT_MS);
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
