/* SPDX-License-Identifier: MIT */
#include "layer/lifecycle.h"

#include "cache/include_files.h"
#include "cache/memory.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/thread.h"
#include "layer/base/writer.h"
#include "layer/driver/blocked_platforms.h"
#include "layer/driver/current_directory.h"
#include "layer/driver/driver_traits.h"
#include "layer/driver/fingerprint.h"
#include "layer/driver/identity.h"
#include "layer/driver/load_cost.h"
#include "layer/driver/prefetch.h"
#include "layer/driver/refused_files.h"
#include "layer/hook/wrapper.h"
#include "layer/key/environment.h"
#include "layer/key/include_dirs.h"
#include "layer/key/key_memo.h"
#include "layer/object/contexts.h"
#include "layer/object/program.h"
#include "layer/object/program_pool.h"
#include "layer/serve/load_ahead.h"
#include "layer/serve/pending.h"
#include "layer/serve/record.h"
#include "layer/serve/remote_client.h"
#include "layer/serve/remote_lease.h"
#include "layer/serve/remote_offer.h"
#include "layer/serve/single_flight.h"
#include "layer/serve/stats.h"
#include "layer/serve/uses.h"
#include "layer/serve/working_set.h"

/*
 * Drivers may be gone: only memory is given back. From what refers to others to
 * what they refer to; the settings last, which all look at.
 */
void occ_lifecycle_forget(void)
{
	/* Threads of an earlier life, which use what is forgotten. */
	occ_load_ahead_await();
	occ_prefetch_forget_all();
	occ_writer_start();
	occ_program_forget_all();
	occ_key_memo_clear();
	occ_pool_forget_all();
	occ_context_forget_all();
	occ_single_flight_forget_all();
	occ_load_ahead_forget_all();
	occ_uses_forget();
	occ_working_set_forget();
	occ_record_forget();
	occ_remote_offer_forget();
	occ_remote_lease_forget_all();
	occ_remote_client_forget();
	occ_load_cost_release_all();
	occ_identity_release_all();
	occ_current_directory_end();
	occ_include_dirs_end();
	occ_driver_traits_release_all();
	occ_blocked_platforms_forget_all();
	occ_wrapper_forget_all();
	occ_environment_release();
	occ_memory_clear();
	occ_stores_close();
	occ_settings_unload();
}

/*
 * In the child of a fork(), with the lock held: other threads are gone, and
 * what they were doing will never end. First what other modules' tables are
 * read by.
 */
static void forked(void)
{
	occ_exit_forked();
	occ_memory_forked();
	occ_include_files_forked();
	occ_program_forked();
	occ_identity_forked();
	occ_single_flight_forked();
	occ_threads_forked();
	occ_writer_forked();
	occ_stats_forked();
	occ_prefetch_forked();
	occ_uses_forked();
	occ_working_set_forked();
	occ_record_forked();
	occ_remote_client_forked();
	occ_remote_offer_forked();
	occ_remote_lease_forked();
	occ_load_ahead_forked();
}

/*
 * exit(): drivers end a process by a signal if they load meanwhile. Nothing is
 * left to be done where end_process() was called.
 */
static void end_loading(bool interrupted)
{
	if (interrupted)
		occ_load_ahead_halt();
	else
		occ_load_ahead_close();
}

/*
 * exit(), when the driver's statics are still there: releases what the layer
 * keeps, where the driver allows that, and writes what is to be kept. Where a
 * signal's handler called exit() inside the layer, neither; a child of fork()
 * has no driver.
 */
static void end_process(bool interrupted)
{
	end_loading(interrupted);
	if (!interrupted && !occ_exit_is_child())
		occ_pool_release_at_exit();
	occ_exit_begin();
	if (interrupted)
		return;
	occ_pending_store_descriptions();
	occ_working_set_save_at_end();
	occ_record_end();
	occ_stats_flush();
	occ_writer_end();
	occ_threads_await();
}

/* exit() of a process in which no driver built anything. */
static void end_counted_process(void)
{
	occ_load_ahead_close();
	occ_working_set_save_at_end();
	occ_record_end();
	if (!occ_stats_flush() && !occ_record_is_on())
		return;
	occ_writer_end();
	occ_threads_await();
}

static void end_main_thread(void)
{
	occ_load_ahead_end();
	occ_pending_store_at_exit();
}

bool occ_lifecycle_start(void)
{
	static const struct occ_exit_handlers handlers = {
		.main_thread_ends = end_main_thread,
		.process_ends = end_process,
		.contexts_end = end_loading,
		.last = end_counted_process,
	};

	static const struct occ_fork_handlers fork_handlers = {
		.before = occ_load_ahead_before_fork,
		.after = occ_load_ahead_after_fork,
		.in_child = forked,
	};

	occ_settings_load();
	occ_memory_set_capacity(occ_settings.memory_size);
	occ_fingerprint_start();
	occ_current_directory_start();
	occ_refused_files_start();
	occ_include_dirs_start();
	occ_exit_init(&handlers);
	if (occ_settings.disabled || !occ_lock_init(&fork_handlers) ||
	    !occ_single_flight_init() || !occ_environment_init())
		return false;
	occ_stats_start();
	return true;
}

void occ_lifecycle_end(void)
{
	if (occ_lock_in_use() || occ_section_inside())
		return;
	occ_load_ahead_close();
	occ_pool_close();
	occ_pending_store_descriptions();
	occ_working_set_save_at_end();
	occ_record_end();
	occ_stats_flush();
	occ_writer_end();
}
