/* SPDX-License-Identifier: MIT */
#include "layer/serve/single_flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/build_lock.h"
#include "cache/mutex.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "hash/key.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/stores.h"
#include "layer/base/writer.h"
#include "layer/driver/identity.h"
#include "layer/key/environment.h"
#include "layer/serve/stats.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* How often a follower looks whether waiting still makes sense. */
#define LOOK_MS	  500

/*
 * A process that uses less than BUSY_NS of processor time in STALL_NS isn't
 * compiling: its builder waits for something. Followers use far less.
 */
#define STALL_NS  (2 * NS_PER_S)
#define BUSY_NS	  (10 * NS_PER_MS)

struct occ_single_flight {
	struct occ_single_flight *next;
	unsigned references;  /* atomic: builder's call, thread, followers */
	struct occ_digest id; /* of all keys, see flight_id() */
	/* The lock guards what follows. */
	bool over;	     /* not in the list any more */
	bool abandoned;	     /* nobody shall join it */
	bool awaits_process; /* the builder waits for another process */
	unsigned waiting;
	struct occ_event finished;
	struct occ_build_lock *build_lock; /* set: OCC_BUILD_LOCK_MINE */
};

/* The lock. */
static struct occ_single_flight *flights;

/* Of the process of which this is a child. The lock. */
static struct occ_single_flight *parents_flights;

/* For other processes; NULL until needed, and without a store. The lock. */
static struct occ_build_lock *build_lock;

/* The flight of which the thread is the builder, retained. */
static pthread_key_t building;

/* How many calls of the driver the thread is in. */
OCC_FINDS_THREAD_LOCAL static unsigned *inside_driver(void)
{
	static _Thread_local unsigned here;

	return &here;
}

void occ_single_flight_enter_driver(void)
{
	occ_environment_look_at_build();
	++*inside_driver();
}

void occ_single_flight_leave_driver(void)
{
	--*inside_driver();
}

static void remove_flight(struct occ_single_flight *flight)
{
	struct occ_single_flight **link = &flights;

	while (*link != flight)
		link = &(*link)->next;
	*link = flight->next;
}

static struct occ_single_flight *retain(struct occ_single_flight *flight)
{
	__atomic_add_fetch(&flight->references, 1, __ATOMIC_RELAXED);
	return flight;
}

void occ_single_flight_release(struct occ_single_flight *flight)
{
	if (!flight ||
	    __atomic_sub_fetch(&flight->references, 1, __ATOMIC_ACQ_REL))
		return;
	free(flight);
}

/* Leaves the build lock when the entry is written. */
struct leave_task {
	struct occ_task task;
	struct occ_build_lock *build_lock;
	struct occ_digest id;
};

static void run_leave_task(struct occ_task *task)
{
	/* The first of its fields. */
	struct leave_task *leave = (struct leave_task *)task;

	occ_build_lock_leave(leave->build_lock, &leave->id);
	free(leave);
}

static bool is_leave_wanted(const struct occ_task *task)
{
	const struct leave_task *leave = (const struct leave_task *)task;

	return occ_build_lock_wanted(leave->build_lock, &leave->id);
}

static void leave_build_lock(struct occ_build_lock *lock,
			     const struct occ_digest *id)
{
	struct leave_task *leave =
		occ_writer_busy() ? calloc(1, sizeof(*leave)) : NULL;

	if (!leave) {
		occ_build_lock_leave(lock, id);
		return;
	}
	leave->task.run = run_leave_task;
	leave->task.shared = true;
	leave->task.wanted = is_leave_wanted;
	leave->build_lock = lock;
	leave->id = *id;
	occ_writer_add(&leave->task);
}

static void finish_flight(struct occ_single_flight *flight)
{
	struct occ_build_lock *ours;

	occ_lock();
	ours = flight->build_lock;
	flight->build_lock = NULL;
	if (!flight->over) {
		flight->over = true;
		remove_flight(flight);
		occ_lock_wake_for(&flight->finished);
	}
	occ_unlock();
	if (ours)
		leave_build_lock(ours, &flight->id);
}

void occ_single_flight_end(struct occ_single_flight *flight)
{
	if (!flight)
		return;
	finish_flight(flight);
	if (pthread_getspecific(building) == flight) {
		pthread_setspecific(building, NULL);
		occ_single_flight_release(flight);
	}
}

/* The builder's thread ends in the midst of it: it was cancelled. */
static void thread_ends(void *data)
{
	struct occ_single_flight *flight = data;

	finish_flight(flight);
	occ_single_flight_release(flight);
}

bool occ_single_flight_init(void)
{
	static bool made;

	/* Once: there are few keys, and this library stays (-z nodelete). */
	if (!made)
		made = !pthread_key_create(&building, thread_ends);
	return made;
}

void occ_single_flight_forked(void)
{
	struct occ_single_flight *flight;

	/* The call that this thread may be in has no flight any more. */
	while ((flight = flights)) {
		flight->over = true;
		flight->build_lock = NULL;
		remove_flight(flight);
		flight->next = parents_flights;
		parents_flights = retain(flight);
	}
	if (build_lock)
		occ_build_lock_forked(build_lock);
}

void occ_single_flight_forget_all(void)
{
	occ_build_lock_free(build_lock);
	build_lock = NULL;
}

/*
 * Without the driver's identity, which some threads and processes may know when
 * others are still reading its files.
 */
static void add_key(struct occ_digest_state *state, const struct occ_key *key)
{
	const unsigned char *data = key->stored.data;
	struct occ_field field;
	size_t offset = 0, start = 0;

	for (; occ_field_next(data, key->stored.size, &offset, &field) == 1;
	     start = offset)
		if (field.id != OCC_KEY_DRIVER_IDENTITY)
			occ_digest_update(state, data + start, offset - start);
}

/*
 * An operation for several devices is one flight. Different operations with the
 * same id would only wait for each other without need.
 */
static struct occ_digest flight_id(const struct occ_build_key *build_key)
{
	struct occ_digest_state *state = occ_digest_new(OCC_SEED_NAME);
	struct occ_digest id = {{0}};

	for (cl_uint i = 0; i < build_key->device_count; i++)
		add_key(state, &build_key->keys[i]);
	occ_digest_finish(state, &id);
	return id;
}

static struct occ_single_flight *find_flight(struct occ_single_flight *flight,
					     const struct occ_digest *id)
{
	while (flight &&
	       (flight->abandoned || memcmp(&flight->id, id, sizeof(*id)) != 0))
		flight = flight->next;
	return flight;
}

/* This thread is the builder from now on; NULL when out of memory. */
static struct occ_single_flight *begin_flight(const struct occ_digest *id)
{
	struct occ_single_flight *flight = calloc(1, sizeof(*flight));

	if (!flight)
		return NULL;
	if (pthread_setspecific(building, flight)) {
		free(flight);
		return NULL;
	}
	flight->references = 2;
	flight->id = *id;
	flight->next = flights;
	flights = flight;
	return flight;
}

/* What a follower sees of its own process. */
struct progress {
	uint64_t deadline;
	uint64_t cpu;	/* when it was last seen to compute */
	uint64_t since; /* when that was */
};

static uint64_t cpu_time(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool is_worth_waiting(struct progress *progress, bool awaits_process)
{
	uint64_t now = occ_log_now(), cpu = cpu_time();

	if (now >= progress->deadline)
		return false;
	if (awaits_process || cpu - progress->cpu >= BUSY_NS) {
		progress->cpu = cpu;
		progress->since = now;
	}
	return now - progress->since < STALL_NS;
}

static void trace_wait(const struct occ_build_key *build_key,
		       const char *result, const char *reason, uint64_t start)
{
	occ_stats_waited(start);
	occ_log_trace(&(struct occ_trace){
		.event = "wait",
		.hash = &build_key->keys[0].hash,
		.device = build_key->identities[0]->name,
		.result = result,
		.reason = reason,
		.since = start,
	});
}

/* Waits for the builder of a flight that was retained for the caller. */
static void await_flight(struct occ_single_flight *flight,
			 const struct occ_build_key *build_key)
{
	uint64_t start = occ_log_now();
	struct progress progress = {
		.deadline = start + occ_settings.wait * NS_PER_S,
		.cpu = cpu_time(),
		.since = start,
	};
	bool over;

	occ_lock();
	flight->waiting++;
	while (!flight->over &&
	       is_worth_waiting(&progress, flight->awaits_process))
		occ_lock_wait_for(&flight->finished, LOOK_MS);
	flight->waiting--;
	over = flight->over;
	/* No other thread is to wait for this builder. */
	flight->abandoned |= !over;
	occ_unlock();
	occ_single_flight_release(flight);
	trace_wait(build_key, over ? "over" : "given up",
		   "another thread builds it", start);
}

/* NULL when nothing could be found that others make, or no memory. */
static struct occ_build_lock *open_build_lock(void)
{
	struct occ_build_lock *result;

	if (!occ_stores_is_written() || occ_settings.mode == OCC_MODE_RECACHE)
		return NULL;
	occ_lock();
	if (!build_lock)
		build_lock =
			occ_build_lock_new(occ_settings.directory,
					   occ_settings.directory_is_default);
	result = build_lock;
	occ_unlock();
	return result;
}

/* The builder of a flight, as others in the process see it. */
static void set_awaiting_process(struct occ_single_flight *flight,
				 bool awaits_process,
				 struct occ_build_lock *ours)
{
	occ_lock();
	flight->awaits_process = awaits_process;
	flight->build_lock = ours;
	occ_unlock();
}

/* Waits while another process makes it. */
static enum occ_build_lock_result enter_build_lock(
	struct occ_build_lock *lock, struct occ_single_flight *flight,
	const struct occ_build_key *build_key, uint64_t deadline)
{
	static const char *const results[] = {
		[OCC_BUILD_LOCK_DONE] = "over",
		[OCC_BUILD_LOCK_DIED] = "ended",
		[OCC_BUILD_LOCK_IDLE] = "given up",
	};
	static bool said;
	uint64_t start = occ_log_now();
	enum occ_build_lock_result result;

	set_awaiting_process(flight, true, NULL);
	result = occ_build_lock_enter(lock, &flight->id, deadline);
	set_awaiting_process(flight, false,
			     result == OCC_BUILD_LOCK_MINE ? lock : NULL);
	if (result == OCC_BUILD_LOCK_NO_LOCK &&
	    !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		occ_log_debug("no locks in %s: processes don't wait for each "
			      "other",
			      occ_settings.directory);
	if (result != OCC_BUILD_LOCK_NO_LOCK && result != OCC_BUILD_LOCK_MINE)
		trace_wait(build_key, results[result],
			   "another process builds it", start);
	return result;
}

/*
 * This process's builder waits for another process that builds the same. True:
 * served. False: it is to build, as are all other processes that waited for one
 * that stored nothing. If that one has exited, one of them takes its place, but
 * only once: a process that was killed looks like one that failed and exited.
 */
static bool await_processes(struct occ_single_flight *flight,
			    const struct occ_build_key *build_key,
			    occ_single_flight_serve serve, void *data)
{
	uint64_t deadline = occ_log_now() + occ_settings.wait * NS_PER_S;
	struct occ_build_lock *lock = open_build_lock();
	enum occ_build_lock_result result = OCC_BUILD_LOCK_DIED;

	if (!flight || !lock)
		return serve(data, false);
	for (int i = 0; i < 2 && result == OCC_BUILD_LOCK_DIED; i++) {
		result = enter_build_lock(lock, flight, build_key, deadline);
		/* It may have been made since we looked. */
		if (serve(data, result != OCC_BUILD_LOCK_MINE &&
					result != OCC_BUILD_LOCK_NO_LOCK))
			return true;
	}
	return false;
}

bool occ_single_flight_may_wait(const struct occ_build_key *build_key,
				bool blocks)
{
	return blocks && !*inside_driver() &&
	       !occ_identity_not_ready(build_key->identities[0], false);
}

/* Would what one thread makes be there for others? */
static bool may_share(const struct occ_build_key *build_key, bool blocks)
{
	return occ_settings.wait &&
	       occ_settings.store_policy != OCC_STORE_NEVER &&
	       occ_single_flight_may_wait(build_key, blocks);
}

bool occ_single_flight_join(const struct occ_build_key *build_key, bool blocks,
			    occ_single_flight_serve serve, void *data,
			    struct occ_single_flight **ret_flight)
{
	struct occ_single_flight *flight, *mine = NULL;
	struct occ_digest id;
	bool alone;

	*ret_flight = NULL;
	if (!may_share(build_key, blocks))
		return false;
	id = flight_id(build_key);
	occ_lock();
	flight = find_flight(flights, &id);
	/* The parent process may be waiting for this one. */
	alone = find_flight(parents_flights, &id);
	if (flight)
		retain(flight);
	else if (!alone)
		mine = begin_flight(&id);
	occ_unlock();
	if (flight) {
		await_flight(flight, build_key);
		return serve(data, true);
	}
	if (!await_processes(mine, build_key, serve, data)) {
		*ret_flight = mine;
		return false;
	}
	occ_single_flight_end(mine);
	occ_single_flight_release(mine);
	return true;
}

bool occ_single_flight_wanted(struct occ_single_flight *flight)
{
	struct occ_build_lock *ours;
	bool wanted;

	if (!flight)
		return false;
	occ_lock();
	wanted = flight->waiting > 0;
	ours = flight->build_lock;
	occ_unlock();
	return wanted || (ours && occ_build_lock_wanted(ours, &flight->id));
}
