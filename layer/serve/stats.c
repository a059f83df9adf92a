/* SPDX-License-Identifier: MIT */
#include "layer/serve/stats.h"

#include <string.h>
#include <unistd.h>

#include "cache/error.h"
#include "cache/history.h"
#include "cache/mutex.h"
#include "cache/settings.h"
#include "cache/store.h"
#include "layer/base/executable.h"
#include "layer/base/exit.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/section.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/serve/stats_count.h"
#include "layer/serve/uses.h"
#include "layer/serve/working_set.h"

/* Between two writings to the store. */
#define INTERVAL_NS UINT64_C(100000000)

/* After a build before a thread is started for it: its result comes first. */
#define FIRST_NS    UINT64_C(10000000)

/* Between two that aren't due yet, and before a thread is tried for again. */
#define EARLY_NS    UINT64_C(1000000000)

/* The end of a process waits for 50 ms (layer/base/writer.c). */
#define PATIENCE_MS 30

static bool counted;	      /* atomic; this process is among them */
static bool is_unwritten;     /* atomic; something taken isn't in the store */
static uint64_t next_writing; /* atomic; 0: nothing was written yet */
static uint64_t next_early;   /* atomic; before it is due, at the earliest */
static pid_t owner;	      /* atomic; the process that counted; 0: none */

/*
 * Two, because at the end one must come behind all else that is queued, which
 * may be behind another.
 */
struct writing {
	struct occ_task task; /* first: tasks are these */
	bool is_queued;	      /* atomic */
};
static struct writing periodic, final;

/* What was taken, and where it goes, under the mutex. */
static struct occ_counters fresh, pending;
static struct occ_counters_record record;
static struct occ_history_program program;
static struct occ_mutex counters_mutex = OCC_MUTEX_INIT;

static bool is_store_written(void)
{
	return occ_settings.store_policy != OCC_STORE_NEVER &&
	       occ_stores_is_written();
}

/* Is there more than that the process is here? */
static bool has_news(const struct occ_counters *counters)
{
	for (unsigned i = 0; i < OCC_COUNTERS; i++)
		if (i != OCC_COUNT_PROCESSES && counters->numbers[i])
			return true;
	return counters->reason_count;
}

/*
 * From the numbers to `pending` and, where one is wanted, to the
 * process's record, which thus is right whenever it ends. In a section.
 */
static void take_counts(void)
{
	int error;

	occ_mutex_lock_undisturbed(&counters_mutex);
	occ_stats_count_take(&fresh);
	if (occ_settings_stats_file) {
		error = occ_counters_put(occ_settings_stats_file, &record,
					 &fresh);
		if (error)
			occ_log_debug("counters not written to %s: %s",
				      occ_settings_stats_file,
				      occ_error_string(error));
	}
	occ_counters_add(&pending, &fresh);
	if (has_news(&pending))
		__atomic_store_n(&is_unwritten, true, __ATOMIC_RELEASE);
	occ_mutex_unlock_undisturbed(&counters_mutex);
}

/* `oclcache run` is to know all of it, even if the process is killed. */
static void note_in_record(void)
{
	struct occ_section section;

	if (!occ_settings_stats_file || !occ_stats_count_any())
		return;
	occ_section_enter(&section);
	take_counts();
	occ_section_leave(&section);
}

static bool take_pending(struct occ_counters *ret_counters)
{
	bool any;

	occ_mutex_lock_undisturbed(&counters_mutex);
	any = has_news(&pending);
	if (any) {
		*ret_counters = pending;
		memset(&pending, 0, sizeof(pending));
	}
	__atomic_store_n(&is_unwritten, false, __ATOMIC_RELEASE);
	occ_mutex_unlock_undisturbed(&counters_mutex);
	return any;
}

static int merge(const struct occ_counters *counters)
{
	struct occ_history_program mine;
	int error;

	occ_mutex_lock_undisturbed(&counters_mutex);
	mine = program;
	occ_mutex_unlock_undisturbed(&counters_mutex);
	if (!*mine.name)
		occ_executable_program(mine.name, sizeof(mine.name));
	error = occ_history_merge(occ_stores(), counters, &mine, PATIENCE_MS);
	occ_mutex_lock_undisturbed(&counters_mutex);
	program = mine;
	occ_mutex_unlock_undisturbed(&counters_mutex);
	return error;
}

/* Nobody waits for the mutex meanwhile. */
static void write_store(void)
{
	struct occ_counters counters;
	int error;

	if (!is_store_written() || !take_pending(&counters))
		return;
	error = merge(&counters);
	if (!error)
		return;
	occ_log_debug("counters not written to %s: %s",
		      occ_store_directory(occ_stores()),
		      occ_error_string(error));
	occ_mutex_lock_undisturbed(&counters_mutex);
	occ_counters_add(&pending, &counters);
	__atomic_store_n(&is_unwritten, true, __ATOMIC_RELEASE);
	occ_mutex_unlock_undisturbed(&counters_mutex);
}

static void run_writing(struct occ_task *task);

/* Soon, but not so soon after the last time. */
static void queue_soon(void)
{
	uint64_t from = __atomic_load_n(&next_writing, __ATOMIC_RELAXED);
	uint64_t due = occ_log_now() + FIRST_NS;

	if (__atomic_exchange_n(&periodic.is_queued, true, __ATOMIC_ACQ_REL))
		return;
	periodic.task = (struct occ_task){.run = run_writing};
	if (!is_store_written() ||
	    !occ_writer_add_later(&periodic.task, from,
				  from > due ? from : due))
		__atomic_store_n(&periodic.is_queued, false, __ATOMIC_RELEASE);
}

/* What tasks have added at the end is counted if there is time for them. */
static void queue_final_again(void)
{
	if (occ_writer_has_next() &&
	    !__atomic_exchange_n(&final.is_queued, true, __ATOMIC_ACQ_REL))
		occ_writer_add(&final.task);
}

static void run_writing(struct occ_task *task)
{
	struct occ_section section;
	uint64_t files, bytes;

	__atomic_store_n(&next_writing, occ_log_now() + INTERVAL_NS,
			 __ATOMIC_RELAXED);
	/* What is counted from now on is another's. */
	__atomic_store_n(&((struct writing *)task)->is_queued, false,
			 __ATOMIC_RELEASE);
	occ_section_enter(&section);
	if (occ_stores_is_written()) {
		occ_store_take_evicted(occ_stores(), &files, &bytes);
		occ_stats_count_add(OCC_COUNT_EVICTED, files);
		occ_stats_count_add(OCC_COUNT_EVICTED_BYTES, bytes);
	}
	take_counts();
	write_store();
	occ_uses_write(task == &final.task);
	occ_working_set_save();
	/* For the next time. */
	if (__atomic_load_n(&is_unwritten, __ATOMIC_ACQUIRE))
		queue_soon();
	if (task == &final.task)
		queue_final_again();
	occ_section_leave(&section);
}

/* The numbers of a process whose child this is, which will write them. */
static void reset_counts(void)
{
	occ_stats_count_clear();
	memset(&pending, 0, sizeof(pending));
	memset(&record, 0, sizeof(record));
	counted = false;
	is_unwritten = false;
	next_writing = 0;
	next_early = 0;
	occ_mutex_forked(&counters_mutex);
	owner = getpid();
}

/* fork() calls occ_stats_forked(), but the bare system call doesn't. */
static void check_owner(void)
{
	pid_t self = getpid(),
	      before = __atomic_load_n(&owner, __ATOMIC_RELAXED);

	if (before == self)
		return;
	if (before) {
		occ_lock_see_process();
		reset_counts();
	}
	__atomic_store_n(&owner, self, __ATOMIC_RELAXED);
}

bool occ_stats_flush(void)
{
	check_owner();
	/* Also what the writer still has to do will be counted. */
	if (!occ_stats_count_any() && !occ_uses_any() &&
	    !__atomic_load_n(&is_unwritten, __ATOMIC_ACQUIRE) &&
	    !(__atomic_load_n(&counted, __ATOMIC_ACQUIRE) && occ_writer_busy()))
		return false;
	if (!(occ_settings_stats_file || is_store_written()) ||
	    occ_writer_has_ended())
		return false;
	if (__atomic_exchange_n(&final.is_queued, true, __ATOMIC_ACQ_REL))
		return true;
	/*
	 * Behind all else. At the end no thread is likely to close
	 * others' descriptors, and another thread for that takes as long as the
	 * writing.
	 */
	final.task = (struct occ_task){.run = run_writing, .shared = true};
	occ_writer_add(&final.task);
	return true;
}

/* This process is one of those that count. */
static void count_process(void)
{
	check_owner();
	if (__atomic_load_n(&counted, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&counted, true, __ATOMIC_ACQ_REL))
		return;
	occ_stats_count_add(OCC_COUNT_PROCESSES, 1);
	/* Also of forked children. */
	occ_exit_watch_early();
}

/* A build was counted. */
static void note_and_queue(void)
{
	note_in_record();
	queue_soon();
}

void occ_stats_start(void)
{
	periodic.is_queued = false;
	final.is_queued = false;
	if (!occ_settings_stats_file || occ_settings.disabled)
		return;
	count_process();
	note_in_record();
}

/* By the writer, whether it has a thread so far or not. */
static void let_writer_write(void)
{
	struct occ_section section;

	occ_section_enter(&section);
	check_owner();
	occ_writer_do_later(occ_log_now() + EARLY_NS);
	occ_section_leave(&section);
}

void occ_stats_write_due(void)
{
	uint64_t due = occ_writer_due();

	if (due && occ_log_now() >= due)
		let_writer_write();
}

void occ_stats_write_early(void)
{
	uint64_t now = occ_log_now();

	occ_stats_write_due();
	if (now < __atomic_load_n(&next_early, __ATOMIC_RELAXED) ||
	    (!occ_writer_due() && !occ_writer_busy()))
		return;
	__atomic_store_n(&next_early, now + EARLY_NS, __ATOMIC_RELAXED);
	let_writer_write();
}

void occ_stats_hit(enum occ_tier tier, uint64_t compile_ns, uint64_t start,
		   bool driver_caches)
{
	static const enum occ_counter counters[] = {
		[OCC_TIER_PROGRAM] = OCC_COUNT_LIVE,
		[OCC_TIER_MEMORY] = OCC_COUNT_MEMORY,
		[OCC_TIER_STORE] = OCC_COUNT_STORE,
		[OCC_TIER_READ_ONLY] = OCC_COUNT_READ_ONLY,
		[OCC_TIER_REMOTE] = OCC_COUNT_REMOTE,
	};
	uint64_t load_ns = occ_log_now() - start;
	uint64_t saved_ns = compile_ns > load_ns ? compile_ns - load_ns : 0;

	count_process();
	occ_stats_count_add(counters[tier], 1);
	occ_stats_count_add(OCC_COUNT_LOADED_NS, load_ns);
	occ_stats_count_add(OCC_COUNT_SAVED_NS, saved_ns);
	if (driver_caches)
		occ_stats_count_add(OCC_COUNT_SAVED_WITH_OWN_CACHE_NS,
				    saved_ns);
	note_and_queue();
}

void occ_stats_without_code(void)
{
	occ_stats_count_add(OCC_COUNT_WITHOUT_CODE, 1);
}

void occ_stats_read(uint64_t bytes)
{
	occ_stats_count_add(OCC_COUNT_READ_BYTES, bytes);
}

void occ_stats_miss(enum occ_reason reason)
{
	if (!reason)
		return;
	if (occ_settings.mode == OCC_MODE_RECACHE &&
	    reason == OCC_REASON_NOT_FOUND)
		reason = OCC_REASON_RECACHE;
	count_process();
	occ_stats_count_add(OCC_COUNT_MISSES, 1);
	occ_stats_count_note(OCC_COUNTED_MISS, reason);
	note_in_record();
}

void occ_stats_uncacheable(enum occ_reason reason)
{
	count_process();
	occ_stats_count_add(OCC_COUNT_UNCACHEABLE, 1);
	occ_stats_count_note(OCC_COUNTED_UNCACHEABLE, reason);
	note_in_record();
}

void occ_stats_refused(void)
{
	occ_stats_count_add(OCC_COUNT_REFUSED, 1);
	note_and_queue();
}

void occ_stats_compiled(uint64_t start, bool failed)
{
	occ_stats_count_add(OCC_COUNT_COMPILED_NS, occ_log_now() - start);
	if (failed)
		occ_stats_count_add(OCC_COUNT_FAILED, 1);
	count_process();
	note_and_queue();
}

void occ_stats_stored(int error, uint64_t bytes, bool improves)
{
	if (error == OCC_E_EXISTS)
		return;
	if (error) {
		occ_stats_count_add(OCC_COUNT_ERRORS, 1);
		occ_stats_count_note(OCC_COUNTED_ERROR,
				     occ_error_reason(error));
	} else {
		occ_stats_count_add(improves ? OCC_COUNT_IMPROVED
					     : OCC_COUNT_STORED,
				    1);
		occ_stats_count_add(OCC_COUNT_STORED_BYTES, bytes);
	}
	note_and_queue();
}

void occ_stats_completed(int error)
{
	/* It has gone since: nothing is wrong. */
	if (error != OCC_E_NOT_FOUND)
		occ_stats_stored(error, 0, true);
}

void occ_stats_not_stored(enum occ_reason reason)
{
	occ_stats_count_add(OCC_COUNT_NOT_STORED, 1);
	occ_stats_count_note(OCC_COUNTED_NOT_STORED, reason);
	note_in_record();
}

void occ_stats_waited(uint64_t start)
{
	occ_stats_count_add(OCC_COUNT_WAITS, 1);
	occ_stats_count_add(OCC_COUNT_WAITED_NS, occ_log_now() - start);
}

void occ_stats_materialised(uint64_t start)
{
	occ_stats_count_add(OCC_COUNT_MATERIALISED, 1);
	occ_stats_count_add(OCC_COUNT_COMPILED_NS, occ_log_now() - start);
	note_and_queue();
}

void occ_stats_ahead(enum occ_counter counter, uint64_t count)
{
	count_process();
	occ_stats_count_add(counter, count);
}

void occ_stats_remote(enum occ_counter counter, uint64_t count)
{
	count_process();
	occ_stats_count_add(counter, count);
}

void occ_stats_remote_put(uint64_t bytes)
{
	occ_stats_remote(OCC_COUNT_REMOTE_PUTS, 1);
	occ_stats_remote(OCC_COUNT_REMOTE_PUT_BYTES, bytes);
	note_and_queue();
}

void occ_stats_remote_failed(enum occ_counter counter, enum occ_reason reason)
{
	occ_stats_remote(counter, 1);
	occ_stats_count_note(OCC_COUNTED_REMOTE, reason);
	note_and_queue();
}

void occ_stats_forked(void)
{
	reset_counts();
	periodic.is_queued = false;
	final.is_queued = false;
}
