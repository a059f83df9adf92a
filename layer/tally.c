/* SPDX-License-Identifier: MIT */
#include "layer/tally.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/config.h"
#include "layer/disk.h"
#include "layer/lock.h"
#include "layer/log.h"
#include "layer/program.h"
#include "layer/section.h"
#include "layer/thread.h"
#include "layer/writer.h"

/* Between two writings to the store. */
#define INTERVAL_NS UINT64_C(100000000)

/* After a build before a thread is started for it: its result comes first. */
#define FIRST_NS    UINT64_C(10000000)

/* Between two that aren't due yet, and before a thread is tried for again. */
#define EARLY_NS    UINT64_C(1000000000)

/* The end of a process waits for 50 ms (layer/writer.c). */
#define PATIENCE_MS 30

/* More than there are; what doesn't fit has no reason. */
#define REASONS_MAX 128

/* All atomic. They are taken to be written, and are 0 again. */
static uint64_t numbers[OCC_COUNTERS];

struct reason {
	const char *text; /* NULL: free, and all that follow */
	uint64_t count;
};
static struct reason reasons[OCC_COUNTED_KINDS][REASONS_MAX];

static bool counted;	      /* atomic; this process is among them */
static bool has_more;	      /* atomic; than was taken */
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
static struct writing now_and_then, last;

/* What was taken, under the mutex. */
static struct occ_counters fresh, pending;
static struct occ_counters_record record = OCC_COUNTERS_RECORD_INIT;
static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;

static bool is_store_written(void)
{
	return occ_config.store_policy != OCC_STORE_NEVER &&
	       occ_disk_is_written();
}

static bool is_active(void)
{
	return occ_config.stats_file || is_store_written();
}

static void add(enum occ_counter counter, uint64_t more)
{
	if (!more)
		return;
	__atomic_add_fetch(&numbers[counter], more, __ATOMIC_RELAXED);
	__atomic_store_n(&has_more, true, __ATOMIC_RELEASE);
}

static uint64_t take_number(enum occ_counter counter)
{
	uint64_t *number = &numbers[counter];

	if (!__atomic_load_n(number, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(number, 0, __ATOMIC_RELAXED);
}

/* Has the place that reason, or may it have it from now on? */
static bool is_place_of(struct reason *place, const char *text)
{
	const char *there = __atomic_load_n(&place->text, __ATOMIC_ACQUIRE);

	if (!there &&
	    __atomic_compare_exchange_n(&place->text, &there, text, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return true;
	return there == text || !strcmp(there, text);
}

static void note(enum occ_counted kind, const char *text)
{
	for (size_t i = 0; i < REASONS_MAX; i++)
		if (is_place_of(&reasons[kind][i], text)) {
			__atomic_add_fetch(&reasons[kind][i].count, 1,
					   __ATOMIC_RELAXED);
			return;
		}
}

static void take_reasons(enum occ_counted kind, struct occ_counters *counters)
{
	for (size_t i = 0; i < REASONS_MAX; i++) {
		struct reason *place = &reasons[kind][i];
		const char *text =
			__atomic_load_n(&place->text, __ATOMIC_ACQUIRE);

		if (!text)
			return;
		if (__atomic_load_n(&place->count, __ATOMIC_RELAXED))
			occ_counters_note(
				counters, kind, text,
				__atomic_exchange_n(&place->count, 0,
						    __ATOMIC_RELAXED));
	}
}

static void take_evicted(void)
{
	uint64_t files, bytes;

	if (!occ_disk_is_written())
		return;
	occ_store_take_evicted(occ_disk(), &files, &bytes);
	add(OCC_COUNT_EVICTED, files);
	add(OCC_COUNT_EVICTED_BYTES, bytes);
}

static void take(struct occ_counters *ret_counters)
{
	memset(ret_counters, 0, sizeof(*ret_counters));
	for (unsigned i = 0; i < OCC_COUNTERS; i++)
		ret_counters->numbers[i] = take_number((enum occ_counter)i);
	for (unsigned i = 0; i < OCC_COUNTED_KINDS; i++)
		take_reasons((enum occ_counted)i, ret_counters);
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
 * From the numbers to the books and, where one is wanted, to the process's
 * record, which thus is right whenever it ends. In a section.
 */
static void collect(void)
{
	int error;

	pthread_mutex_lock(&books);
	__atomic_store_n(&has_more, false, __ATOMIC_RELEASE);
	take(&fresh);
	if (occ_config.stats_file) {
		error = occ_counters_put(occ_config.stats_file, &record,
					 &fresh);
		if (error)
			occ_log_debug("counters not written to %s: %s",
				      occ_config.stats_file,
				      occ_error_string(error));
	}
	occ_counters_add(&pending, &fresh);
	if (has_news(&pending))
		__atomic_store_n(&is_unwritten, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&books);
}

/* Who runs the program wants to know all of it, should it be killed. */
static void note_down(void)
{
	struct occ_section section;

	if (!occ_config.stats_file ||
	    !__atomic_load_n(&has_more, __ATOMIC_ACQUIRE))
		return;
	occ_section_enter(&section);
	collect();
	occ_section_leave(&section);
}

static bool take_pending(struct occ_counters *ret_counters)
{
	bool any;

	pthread_mutex_lock(&books);
	any = has_news(&pending);
	if (any) {
		*ret_counters = pending;
		memset(&pending, 0, sizeof(pending));
	}
	__atomic_store_n(&is_unwritten, false, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&books);
	return any;
}

static void give_back(const struct occ_counters *counters)
{
	pthread_mutex_lock(&books);
	occ_counters_add(&pending, counters);
	__atomic_store_n(&is_unwritten, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&books);
}

/* Nobody waits for the mutex meanwhile. */
static void write_store(void)
{
	struct occ_counters counters;
	int error;

	if (!is_store_written() || !take_pending(&counters))
		return;
	error = occ_counters_merge(occ_disk(), &counters, PATIENCE_MS);
	if (!error)
		return;
	occ_log_debug("counters not written to %s: %s",
		      occ_store_directory(occ_disk()), occ_error_string(error));
	give_back(&counters);
}

static void run(struct occ_task *task);

/* Soon, but not so soon after the last time. */
static void queue_soon(void)
{
	uint64_t from = __atomic_load_n(&next_writing, __ATOMIC_RELAXED);
	uint64_t due = occ_log_now() + FIRST_NS;

	if (__atomic_exchange_n(&now_and_then.is_queued, true,
				__ATOMIC_ACQ_REL))
		return;
	now_and_then.task = (struct occ_task){.run = run};
	if (!is_store_written() ||
	    !occ_writer_add_later(&now_and_then.task, from,
				  from > due ? from : due))
		__atomic_store_n(&now_and_then.is_queued, false,
				 __ATOMIC_RELEASE);
}

static void run(struct occ_task *task)
{
	struct occ_section section;

	__atomic_store_n(&next_writing, occ_log_now() + INTERVAL_NS,
			 __ATOMIC_RELAXED);
	/* What is counted from now on is another's. */
	__atomic_store_n(&((struct writing *)task)->is_queued, false,
			 __ATOMIC_RELEASE);
	occ_section_enter(&section);
	take_evicted();
	collect();
	write_store();
	/* For the next time. */
	if (__atomic_load_n(&is_unwritten, __ATOMIC_ACQUIRE))
		queue_soon();
	occ_section_leave(&section);
}

/* The numbers of a process whose child this is, and who will write them. */
static void forget(void)
{
	memset(numbers, 0, sizeof(numbers));
	for (unsigned i = 0; i < OCC_COUNTED_KINDS; i++)
		for (size_t j = 0; j < REASONS_MAX; j++)
			reasons[i][j].count = 0;
	memset(&pending, 0, sizeof(pending));
	memset(&record, 0, sizeof(record));
	counted = false;
	has_more = false;
	is_unwritten = false;
	next_writing = 0;
	next_early = 0;
	pthread_mutex_init(&books, NULL);
	owner = getpid();
}

/*
 * fork() calls occ_tally_forked(), but the bare system call doesn't. There the
 * writer has in its queue what it had.
 */
static void see_who_counts(void)
{
	pid_t self = getpid(),
	      before = __atomic_load_n(&owner, __ATOMIC_RELAXED);

	if (before == self)
		return;
	__atomic_store_n(&owner, self, __ATOMIC_RELAXED);
	if (before)
		forget();
}

/* At the end, behind all else. */
static void queue_last(void)
{
	if (__atomic_exchange_n(&last.is_queued, true, __ATOMIC_ACQ_REL))
		return;
	/*
	 * At the end there is hardly anybody who closes others' descriptors,
	 * and another thread for that takes as long as the writing.
	 */
	last.task = (struct occ_task){.run = run, .shared = true};
	occ_writer_add(&last.task);
}

/* Also what the writer still has to do will be counted. */
static bool is_worth_it(void)
{
	see_who_counts();
	return (__atomic_load_n(&has_more, __ATOMIC_ACQUIRE) ||
		__atomic_load_n(&is_unwritten, __ATOMIC_ACQUIRE) ||
		(__atomic_load_n(&counted, __ATOMIC_ACQUIRE) &&
		 occ_writer_busy())) &&
	       is_active() && !occ_writer_has_ended();
}

void occ_tally_flush(void)
{
	if (is_worth_it())
		queue_last();
}

/*
 * In processes that have an exit handler of layer/program.c that one does it;
 * it was registered later, and so came first.
 */
static void note_exit(void)
{
	if (occ_lock_in_use() || occ_section_inside() ||
	    occ_program_exiting() || !is_worth_it())
		return;
	queue_last();
	occ_writer_end();
	occ_threads_await();
}

/* This process is one of those that count. */
static void begin(void)
{
	static bool registered; /* atomic; also of forked children */

	see_who_counts();
	if (__atomic_load_n(&counted, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(&counted, true, __ATOMIC_ACQ_REL))
		return;
	add(OCC_COUNT_PROCESSES, 1);
	if (!__atomic_exchange_n(&registered, true, __ATOMIC_ACQ_REL))
		atexit(note_exit);
}

/* A build was counted. */
static void come_by(void)
{
	note_down();
	queue_soon();
}

void occ_tally_start(void)
{
	now_and_then.is_queued = false;
	last.is_queued = false;
	if (!occ_config.stats_file || occ_config.disabled)
		return;
	begin();
	note_down();
}

/* By the writer, whether it has a thread so far or not. */
static void write_waiting(void)
{
	struct occ_section section;
	int saved_errno = errno;

	occ_section_enter(&section);
	see_who_counts();
	occ_writer_do_later(occ_log_now() + EARLY_NS);
	occ_section_leave(&section);
	errno = saved_errno;
}

void occ_tally_write_due(void)
{
	uint64_t due = occ_writer_due();

	if (due && occ_log_now() >= due)
		write_waiting();
}

void occ_tally_write_early(void)
{
	uint64_t now = occ_log_now();

	occ_tally_write_due();
	if (now < __atomic_load_n(&next_early, __ATOMIC_RELAXED) ||
	    (!occ_writer_due() && !occ_writer_busy()))
		return;
	__atomic_store_n(&next_early, now + EARLY_NS, __ATOMIC_RELAXED);
	write_waiting();
}

static enum occ_counter tier_of(const char *found_in)
{
	if (!strcmp(found_in, "live program"))
		return OCC_COUNT_LIVE;
	if (!strcmp(found_in, "memory"))
		return OCC_COUNT_MEMORY;
	if (!strcmp(found_in, "user store"))
		return OCC_COUNT_STORE;
	return OCC_COUNT_READ_ONLY;
}

void occ_tally_hit(const char *found_in, uint64_t compile_ns, uint64_t start)
{
	uint64_t load_ns = occ_log_now() - start;

	begin();
	add(tier_of(found_in), 1);
	add(OCC_COUNT_LOADED_NS, load_ns);
	if (compile_ns > load_ns)
		add(OCC_COUNT_SAVED_NS, compile_ns - load_ns);
	come_by();
}

/* What is in others' stores isn't ours to change. */
void occ_tally_without_code(const char *found_in)
{
	if (!found_in || tier_of(found_in) == OCC_COUNT_STORE)
		add(OCC_COUNT_WITHOUT_CODE, 1);
}

void occ_tally_read(uint64_t bytes)
{
	add(OCC_COUNT_READ_BYTES, bytes);
}

void occ_tally_miss(const char *reason)
{
	if (!reason)
		return;
	if (occ_config.mode == OCC_MODE_RECACHE &&
	    !strcmp(reason, occ_error_string(OCC_E_NOT_FOUND)))
		reason = "OCLCACHE_MODE=recache";
	begin();
	add(OCC_COUNT_MISSES, 1);
	note(OCC_COUNTED_MISS, reason);
	note_down();
}

void occ_tally_uncacheable(const char *reason)
{
	begin();
	add(OCC_COUNT_UNCACHEABLE, 1);
	note(OCC_COUNTED_UNCACHEABLE, reason);
	note_down();
}

void occ_tally_refused(void)
{
	add(OCC_COUNT_REFUSED, 1);
	come_by();
}

void occ_tally_compiled(uint64_t start, bool failed)
{
	add(OCC_COUNT_COMPILED_NS, occ_log_now() - start);
	if (failed)
		add(OCC_COUNT_FAILED, 1);
	begin();
	come_by();
}

static void count_stored(int error, uint64_t bytes, bool improves)
{
	if (error) {
		add(OCC_COUNT_ERRORS, 1);
		note(OCC_COUNTED_ERROR, occ_error_string(error));
		return;
	}
	add(improves ? OCC_COUNT_IMPROVED : OCC_COUNT_STORED, 1);
	add(OCC_COUNT_STORED_BYTES, bytes);
}

void occ_tally_stored(int error, uint64_t bytes, bool improves)
{
	if (error == OCC_E_EXISTS)
		return;
	count_stored(error, bytes, improves);
	come_by();
}

void occ_tally_completed(int error)
{
	/* It has gone since: nothing is wrong. */
	if (error != OCC_E_NOT_FOUND)
		occ_tally_stored(error, 0, true);
}

void occ_tally_not_stored(const char *reason)
{
	add(OCC_COUNT_NOT_STORED, 1);
	note(OCC_COUNTED_NOT_STORED, reason);
	note_down();
}

void occ_tally_waited(uint64_t start)
{
	add(OCC_COUNT_WAITS, 1);
	add(OCC_COUNT_WAITED_NS, occ_log_now() - start);
}

void occ_tally_materialised(uint64_t start)
{
	add(OCC_COUNT_MATERIALISED, 1);
	add(OCC_COUNT_COMPILED_NS, occ_log_now() - start);
	come_by();
}

void occ_tally_forked(void)
{
	forget();
	now_and_then.is_queued = false;
	last.is_queued = false;
}
