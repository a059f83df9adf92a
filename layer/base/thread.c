/* SPDX-License-Identifier: MIT */
#include "layer/base/thread.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cache/mutex.h"

/* The last ones that began: more are hardly there at once. */
#define BEGUN_MAX  8

/* A look ahead, a writer, one of its tasks. */
#define STARTS_MAX 4

/* Linux' include/uapi/linux/close_range.h; older headers lack it. */
#define UNSHARE	   2U

#define PAUSE_US   50
#define PAUSES	   200

static pid_t begun[BEGUN_MAX]; /* atomic */
static unsigned begun_count;   /* atomic */

struct start {
	void *(*run)(void *data);
	void *data;
	bool taken; /* of `starts` */
};

/*
 * Of those that haven't begun; when all are taken, more are from the heap. But
 * to a thread that frees something the C library gives a heap of its own, two
 * mappings more in the list that Intel's driver reads for every program
 * (doc/drivers.md).
 */
static struct start starts[STARTS_MAX];

/* Guards only these: who starts a thread may have the layer's lock. */
static struct occ_mutex lock = OCC_MUTEX_INIT;

/* NULL: all are taken. */
static struct start *take_start(void)
{
	unsigned i = 0;

	occ_mutex_lock(&lock);
	while (i < STARTS_MAX && starts[i].taken)
		i++;
	if (i < STARTS_MAX)
		starts[i].taken = true;
	occ_mutex_unlock(&lock);
	return i < STARTS_MAX ? &starts[i] : NULL;
}

/* NULL: nothing. */
static void give_back(void *data)
{
	struct start *listed = data;

	if (!listed)
		return;
	occ_mutex_lock(&lock);
	listed->taken = false;
	occ_mutex_unlock(&lock);
}

static void *run_start(struct start *start, void (*release)(void *start))
{
	unsigned place = __atomic_fetch_add(&begun_count, 1, __ATOMIC_RELAXED);
	void *(*run)(void *data) = start->run;
	void *data = start->data;

	release(start);
	__atomic_store_n(&begun[place % BEGUN_MAX], gettid(), __ATOMIC_RELEASE);
	return run(data);
}

static void *run_listed(void *data)
{
	return run_start(data, give_back);
}

static void *run_allocated(void *data)
{
	return run_start(data, free);
}

void occ_threads_forked(void)
{
	occ_mutex_forked(&lock);
	memset(starts, 0, sizeof(starts));
}

void occ_threads_await(void)
{
	unsigned pauses = 0;

	for (unsigned i = 0; i < BEGUN_MAX; i++) {
		pid_t id = __atomic_load_n(&begun[i], __ATOMIC_ACQUIRE);

		while (id && !tgkill(getpid(), id, 0) && pauses++ < PAUSES)
			usleep(PAUSE_US);
	}
}

static bool prepare(pthread_attr_t *attributes, size_t stack_size, bool joined)
{
	int state = joined ? PTHREAD_CREATE_JOINABLE : PTHREAD_CREATE_DETACHED;

	/* One with another stack than was asked for will do. */
	if (stack_size)
		pthread_attr_setstacksize(attributes, stack_size);
	return !pthread_attr_setdetachstate(attributes, state);
}

/* Signals stay blocked in it. */
static bool create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *data), void *data)
{
	sigset_t all, before;
	bool created;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return false;
	created = !pthread_create(thread, attributes, run, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return created;
}

static bool start_with(struct start *start, void *(*run)(void *data),
		       size_t stack_size, pthread_t *ret_thread)
{
	pthread_attr_t attributes;
	pthread_t unused;
	bool started;

	if (pthread_attr_init(&attributes))
		return false;
	started = prepare(&attributes, stack_size, ret_thread) &&
		  create(ret_thread ? ret_thread : &unused, &attributes, run,
			 start);
	pthread_attr_destroy(&attributes);
	return started;
}

static bool start_undisturbed(void *(*run)(void *data), void *data,
			      size_t stack_size, pthread_t *ret_thread)
{
	struct start *listed = take_start(), *allocated = NULL;
	struct start *start = listed;
	bool started = false;

	if (!start)
		start = allocated = calloc(1, sizeof(*allocated));
	if (start) {
		start->run = run;
		start->data = data;
		started = start_with(start, listed ? run_listed : run_allocated,
				     stack_size, ret_thread);
	}
	if (!started) {
		give_back(listed);
		free(allocated);
	}
	return started;
}

bool occ_thread_start(void *(*run)(void *data), void *data, size_t stack_size,
		      pthread_t *ret_thread)
{
	struct occ_undisturbed before;
	bool started;

	/* A handler may fork: of a child all that was taken is free. */
	occ_undisturbed_begin(&before);
	started = start_undisturbed(run, data, stack_size, ret_thread);
	occ_undisturbed_end(&before);
	return started;
}

void occ_thread_own_descriptors(void)
{
/* (ThreadSanitizer takes the same number in two threads for the same.) */
#if defined(SYS_close_range) && !defined(__SANITIZE_THREAD__)
	/* One call: a copy of a pipe's end would keep the other from its EOF.
	 */
	syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, UNSHARE);
#endif
}

static void *run_apart(void *data)
{
	const struct start *start = data;

	occ_thread_own_descriptors();
	return start->run(start->data);
}

void occ_thread_run_apart(void *(*run)(void *data), void *data,
			  size_t stack_size)
{
	struct start start = {.run = run, .data = data};
	pthread_t thread;

	if (occ_thread_start(run_apart, &start, stack_size, &thread))
		pthread_join(thread, NULL);
	else
		run(data);
}
