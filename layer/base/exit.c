/* SPDX-License-Identifier: MIT */
#include "layer/base/exit.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer/base/lock.h"
#include "layer/base/section.h"

static const struct occ_exit_handlers *handlers;

/* All atomic. */
static bool begun;
static bool main_thread_ended;
static bool is_child;

static bool is_interrupted(void)
{
	return occ_lock_in_use() || occ_section_inside();
}

void occ_exit_init(const struct occ_exit_handlers *to)
{
	handlers = to;
}

static void end_process(void)
{
	handlers->process_ends(is_interrupted());
}

bool occ_exit_watch(void)
{
	static bool registered;
	bool result;

	occ_lock();
	if (!registered)
		registered = !atexit(end_process);
	result = registered;
	occ_unlock();
	return result;
}

static void end_contexts(void)
{
	handlers->contexts_end(is_interrupted());
}

void occ_exit_watch_context(void)
{
	static bool registered; /* atomic */

	if (!__atomic_exchange_n(&registered, true, __ATOMIC_ACQ_REL))
		atexit(end_contexts);
}

static void end_last(void)
{
	if (!is_interrupted() && !occ_exit_begun())
		handlers->last();
}

void occ_exit_watch_early(void)
{
	static bool registered; /* atomic */

	if (!__atomic_exchange_n(&registered, true, __ATOMIC_ACQ_REL))
		atexit(end_last);
}

/* glibc's: registers a destructor of a thread's own data. */
/* NOLINTBEGIN(cert-dcl51-cpp, bugprone-reserved-identifier) */
extern int __cxa_thread_atexit_impl(void (*run)(void *), void *data,
				    void *library) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));
/* NOLINTEND(cert-dcl51-cpp, bugprone-reserved-identifier) */

static void end_main_thread(void *data)
{
	(void)data;
	if (!is_interrupted())
		handlers->main_thread_ends();
	__atomic_store_n(&main_thread_ended, true, __ATOMIC_RELEASE);
}

/*
 * An exit handler of ours is too late for a fetch on a driver that compiles for
 * it: what it compiles with is gone by then (PoCL's LLVM).
 */
void occ_exit_watch_main_thread(void)
{
	static bool registered;
	bool wanted;

	if (gettid() != getpid() || !__cxa_thread_atexit_impl)
		return;
	occ_lock();
	wanted = !registered;
	registered = true;
	occ_unlock();
	if (wanted)
		__cxa_thread_atexit_impl(end_main_thread, NULL, &__dso_handle);
}

bool occ_exit_begun(void)
{
	return __atomic_load_n(&begun, __ATOMIC_ACQUIRE);
}

bool occ_exit_main_thread_ended(void)
{
	return __atomic_load_n(&main_thread_ended, __ATOMIC_ACQUIRE);
}

void occ_exit_begin(void)
{
	__atomic_store_n(&begun, true, __ATOMIC_RELEASE);
}

void occ_exit_forked(void)
{
	__atomic_store_n(&is_child, true, __ATOMIC_RELEASE);
}

bool occ_exit_is_child(void)
{
	return __atomic_load_n(&is_child, __ATOMIC_ACQUIRE);
}
