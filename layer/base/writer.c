/* SPDX-License-Identifier: MIT */
#include "layer/base/writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/mutex.h"
#include "cache/process.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/thread.h"

/* More than this waiting is too much memory for being quick. */
#define BYTES_MAX ((size_t)64 << 20)

/*
 * How long the end of a process waits for a disk, and for a processor; for
 * either while another process waits, which gives up then (cache/build_lock.c);
 * and where everything is to be stored, or recorded.
 */
#define DISK_NS	  UINT64_C(50000000)
#define CPU_NS	  UINT64_C(1000000000)
#define WANTED_NS UINT64_C(2000000000)
#define EAGER_NS  UINT64_C(10000000000)

/* The queue. All but `count` are guarded by the lock. */
static struct occ_task *first, **last = &first;
static bool doing;		     /* the thread is at a task */
static struct occ_digest doing_hash; /* its hash: it frees itself */
static unsigned count;		     /* atomic; tasks, that one included */
static size_t bytes;
static bool running;	/* there is a thread */
static pid_t thread_id; /* the thread's; 0: it hasn't begun */
static bool ended;
static unsigned waiting; /* how many wait for the thread */

/* Not in the queue yet; NULL: none. */
static struct occ_task *later;
static uint64_t later_from;
static uint64_t later_due; /* atomic; 0: none */
static bool hurried;	   /* the thread is to do it before it ends */

/* Puts the task into the queue; false: it is too much. Lock held. */
static bool enqueue_locked(struct occ_task *task)
{
	if (ended || (task->bytes && bytes && bytes + task->bytes > BYTES_MAX))
		return false;
	task->next = NULL;
	*last = task;
	last = &task->next;
	bytes += task->bytes;
	__atomic_add_fetch(&count, 1, __ATOMIC_RELEASE);
	return true;
}

/* Lock held. */
static void set_later_locked(struct occ_task *task, uint64_t from, uint64_t due)
{
	later = task;
	later_from = from;
	__atomic_store_n(&later_due, due, __ATOMIC_RELEASE);
}

static struct occ_task *take(void)
{
	struct occ_task *task;

	if (!first && later && (hurried || occ_log_now() >= later_from)) {
		/* Once: what couldn't be done comes back. */
		hurried = false;
		task = later;
		set_later_locked(NULL, 0, 0);
		enqueue_locked(task);
	}
	task = first;
	if (!task) {
		running = hurried = false;
		return NULL;
	}
	doing = true;
	doing_hash = task->hash;
	first = task->next;
	if (!first)
		last = &first;
	return task;
}

static void *do_task(void *data)
{
	struct occ_task *task = data;

	occ_lock();
	thread_id = gettid();
	occ_unlock();
	task->run(task);
	return NULL;
}

static void do_now(struct occ_task *task)
{
	if (task->shared)
		task->run(task);
	else
		occ_thread_run_apart(do_task, task, OCC_THREAD_SMALL_STACK);
}

static void *work(void *data)
{
	pid_t self = gettid();
	struct occ_task *task;

	(void)data;
	occ_lock();
	thread_id = self;
	while ((task = take())) {
		size_t size = task->bytes;

		/* Another thread is about to be at it. */
		if (!task->shared)
			thread_id = 0;
		occ_unlock();
		do_now(task);
		occ_lock();
		thread_id = self;
		doing = false;
		bytes -= size;
		__atomic_sub_fetch(&count, 1, __ATOMIC_RELEASE);
		occ_lock_wake();
	}
	occ_unlock();
	return NULL;
}

/*
 * Does what is queued, as there is no thread for it. Like one it is sent no
 * signals: a child of fork() would go on with its parent's queue and files.
 */
static void work_here(void)
{
	struct occ_undisturbed before;

	occ_log_debug("can't start a thread for writing");
	occ_undisturbed_begin(&before);
	work(NULL);
	occ_undisturbed_end(&before);
}

static void do_here(struct occ_task *task)
{
	struct occ_undisturbed before;

	occ_undisturbed_begin(&before);
	task->run(task);
	occ_undisturbed_end(&before);
}

/* Returns when no task is left. */
static void await_all(void)
{
	occ_lock();
	waiting++;
	while (count && !ended)
		occ_lock_wait(100);
	waiting--;
	occ_unlock();
}

/* Is the caller to start the thread? Lock held. */
static bool claim_thread_locked(void)
{
	if (running)
		return false;
	running = true;
	thread_id = 0;
	return true;
}

void occ_writer_add(struct occ_task *task)
{
	bool queued, starting;

	occ_lock();
	queued = enqueue_locked(task);
	starting = queued && claim_thread_locked();
	occ_unlock();
	if (starting &&
	    !occ_thread_start(work, NULL, OCC_THREAD_SMALL_STACK, NULL))
		work_here();
	if (queued)
		return;
	/* After all that came before it. */
	await_all();
	do_here(task);
}

void occ_writer_add_copy(const struct occ_task *task, size_t size)
{
	struct occ_task *copy = malloc(size);

	if (!copy)
		return;
	memcpy(copy, task, size);
	copy->bytes = size;
	occ_writer_add(copy);
}

bool occ_writer_add_later(struct occ_task *task, uint64_t from, uint64_t due)
{
	bool added;

	occ_lock();
	added = !later && !ended;
	if (added)
		set_later_locked(task, from, due);
	occ_unlock();
	return added;
}

uint64_t occ_writer_due(void)
{
	return __atomic_load_n(&later_due, __ATOMIC_ACQUIRE);
}

/* There is no thread, but what waits can wait longer. */
static void put_off(uint64_t due)
{
	bool queued;

	occ_lock();
	hurried = false;
	queued = first;
	if (!queued)
		running = false;
	if (later)
		set_later_locked(later, later_from, due);
	occ_unlock();
	if (queued)
		work_here();
}

void occ_writer_do_later(uint64_t otherwise)
{
	bool starting;

	occ_lock();
	starting = later && claim_thread_locked();
	if (running)
		hurried = true;
	occ_unlock();
	if (starting &&
	    !occ_thread_start(work, NULL, OCC_THREAD_SMALL_STACK, NULL))
		put_off(otherwise);
}

bool occ_writer_busy(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

bool occ_writer_has_next(void)
{
	bool result;

	occ_lock();
	result = first && !ended;
	occ_unlock();
	return result;
}

bool occ_writer_is_awaited(void)
{
	bool result;

	occ_lock();
	result = first || waiting || ended;
	occ_unlock();
	return result;
}

static bool is_waiting(const struct occ_digest *hash)
{
	if (doing && !memcmp(&doing_hash, hash, sizeof(*hash)))
		return true;
	for (const struct occ_task *task = first; task; task = task->next)
		if (!memcmp(&task->hash, hash, sizeof(*hash)))
			return true;
	return false;
}

void occ_writer_await(const struct occ_digest *hash)
{
	if (!__atomic_load_n(&count, __ATOMIC_ACQUIRE))
		return;
	occ_lock();
	waiting++;
	while (is_waiting(hash))
		occ_lock_wait(100);
	waiting--;
	occ_unlock();
}

/* Does the thread have, or wait for, a processor? */
static bool is_runnable(pid_t thread)
{
	struct occ_process process;

	/* At 0 it is starting. */
	return !thread ||
	       (occ_process_look(thread, &process) && process.runnable);
}

static bool is_wanted(void)
{
	for (const struct occ_task *task = first; task; task = task->next)
		if (task->wanted && task->wanted(task))
			return true;
	return false;
}

static bool may_wait(uint64_t waited)
{
	if (occ_settings.store_policy == OCC_STORE_EAGER ||
	    occ_settings_record_file)
		return waited < EAGER_NS;
	return waited < DISK_NS ||
	       (waited < CPU_NS && is_runnable(thread_id)) ||
	       (waited < WANTED_NS && is_wanted());
}

void occ_writer_end(void)
{
	uint64_t start = occ_log_now();
	unsigned left;

	occ_lock();
	waiting++;
	while (count && may_wait(occ_log_now() - start))
		occ_lock_wait(5);
	waiting--;
	left = count;
	ended = true;
	set_later_locked(NULL, 0, 0);
	occ_lock_wake();
	occ_unlock();
	if (left)
		occ_log_debug("the process ends without waiting for %u writes "
			      "to the store",
			      left);
}

bool occ_writer_has_ended(void)
{
	bool result;

	occ_lock();
	result = ended;
	occ_unlock();
	return result;
}

void occ_writer_start(void)
{
	occ_lock();
	ended = false;
	set_later_locked(NULL, 0, 0);
	occ_unlock();
	await_all();
}

void occ_writer_forked(void)
{
	/* The tasks' memory is small, and other threads' to give back. */
	first = NULL;
	last = &first;
	doing = false;
	count = 0;
	bytes = 0;
	running = hurried = false;
	thread_id = 0;
	waiting = 0;
	set_later_locked(NULL, 0, 0);
}
