/* SPDX-License-Identifier: MIT */
#include "layer/serve/remote_lease.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/error.h"
#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/settings.h"
#include "layer/base/writer.h"
#include "layer/serve/remote_client.h"
#include "layer/serve/stats.h"

#define NS_PER_MS      UINT64_C(1000000)
#define NS_PER_S       UINT64_C(1000000000)

/* Between two questions: for short compiles, and for a server's sake. */
#define PAUSE_FIRST_MS 50
#define PAUSE_MOST_MS  250

/* More than there are tasks one after the other until an entry is put. */
#define ROUNDS_MAX     8

/* Of operations for several devices the first one's key stands for all. */
#define DEVICE	       0

/* What this process has. */
struct lease {
	struct lease *next;
	struct occ_build_key *build_key;
};

/* The lock. */
static struct lease *leases;

void occ_remote_lease_forked(void)
{
	/* The parent's; not freed, as the thread that forks may be at it. */
	leases = NULL;
}

void occ_remote_lease_forget_all(void)
{
	struct lease *lease;

	while ((lease = leases)) {
		leases = lease->next;
		occ_build_key_release(lease->build_key);
		free(lease);
	}
}

static const struct occ_digest *hash_of(const struct occ_build_key *build_key)
{
	return &build_key->keys[DEVICE].hash;
}

/* Takes it out of the list; NULL: there is none. */
static struct lease *take(const struct occ_digest *hash)
{
	struct lease **link = &leases, *lease;

	occ_lock();
	while ((lease = *link) &&
	       memcmp(hash_of(lease->build_key), hash, sizeof(*hash)) != 0)
		link = &lease->next;
	if (lease)
		*link = lease->next;
	occ_unlock();
	return lease;
}

bool occ_remote_lease_is_held(const struct occ_build_key *build_key)
{
	struct lease *lease;

	if (!build_key)
		return false;
	occ_lock();
	lease = leases;
	while (lease && memcmp(hash_of(lease->build_key), hash_of(build_key),
			       sizeof(struct occ_digest)) != 0)
		lease = lease->next;
	occ_unlock();
	return lease != NULL;
}

static void free_lease(struct lease *lease)
{
	if (!lease)
		return;
	occ_build_key_release(lease->build_key);
	free(lease);
}

void occ_remote_lease_forget(const struct occ_digest *hash)
{
	free_lease(take(hash));
}

/* Without memory it ends by itself, with the process. */
static void note_lease(struct occ_build_key *build_key)
{
	struct lease *lease = calloc(1, sizeof(*lease));

	if (!lease)
		return;
	lease->build_key = occ_build_key_retain(build_key);
	occ_lock();
	lease->next = leases;
	leases = lease;
	occ_unlock();
}

/* Longer each time. False: there is no time left. */
static bool pause_before_next(struct occ_remote_wait *wait)
{
	uint64_t now = occ_log_now();
	struct timespec pause = {0};

	if (!wait->start) {
		wait->start = now;
		wait->pause_ms = PAUSE_FIRST_MS;
	}
	if (now - wait->start >= occ_settings.wait * NS_PER_S)
		return false;
	pause.tv_nsec = (long)(wait->pause_ms * NS_PER_MS);
	nanosleep(&pause, NULL);
	wait->pause_ms += wait->pause_ms / 2;
	if (wait->pause_ms > PAUSE_MOST_MS)
		wait->pause_ms = PAUSE_MOST_MS;
	return true;
}

bool occ_remote_lease_await(struct occ_build_key *build_key,
			    struct occ_remote_wait *wait)
{
	struct occ_remote_question question = {
		.kind = OCC_REMOTE_QUESTION_LEASE,
		.apart = true,
		.build_key = build_key,
		.device = DEVICE,
	};
	int error;

	/* Who gives nothing needn't keep others waiting. */
	if (wait->is_mine || !occ_remote_client_can_lease() ||
	    !occ_remote_client_gives())
		return false;
	error = occ_remote_client_ask(&question);
	if (error)
		return error == OCC_E_BUSY && pause_before_next(wait);
	note_lease(build_key);
	wait->is_mine = true;
	return true;
}

/* Behind all that was queued before it, and what that has added. */
struct release_task {
	struct occ_task task; /* first: tasks are these */
	struct occ_build_key *build_key;
	unsigned rounds;
};

static void run_release(struct occ_task *task)
{
	struct release_task *release = (struct release_task *)task;
	struct occ_remote_question question = {
		.kind = OCC_REMOTE_QUESTION_RELEASE,
		.build_key = release->build_key,
		.device = DEVICE,
	};
	struct lease *lease;

	/* Stored, described, offered: each by a task that the last one adds. */
	if (release->rounds < ROUNDS_MAX &&
	    (!release->rounds++ || occ_writer_is_awaited())) {
		occ_writer_add(&release->task);
		return;
	}
	lease = take(hash_of(release->build_key));
	if (lease)
		occ_remote_client_ask(&question);
	free_lease(lease);
	occ_build_key_release(release->build_key);
	free(release);
}

void occ_remote_lease_end(struct occ_build_key *build_key)
{
	struct release_task *release;
	bool any;

	if (!build_key)
		return;
	occ_lock();
	any = leases;
	occ_unlock();
	release = any ? calloc(1, sizeof(*release)) : NULL;
	if (!release)
		return;
	release->task.run = run_release;
	release->build_key = occ_build_key_retain(build_key);
	occ_writer_add(&release->task);
}

void occ_remote_lease_end_wait(struct occ_build_key *build_key,
			       const struct occ_remote_wait *wait, bool found)
{
	if (found && wait->is_mine)
		occ_remote_lease_end(build_key);
	if (!wait->start)
		return;
	occ_stats_remote(OCC_COUNT_LEASE_WAITS, 1);
	occ_stats_remote(OCC_COUNT_LEASE_WAITED_NS,
			 occ_log_now() - wait->start);
	occ_log_trace(&(struct occ_trace){
		.event = "wait",
		.hash = hash_of(build_key),
		.device = build_key->identities[DEVICE]->name,
		.result = found ? "over" : "given up",
		.reason = "another machine builds it",
		.since = wait->start,
	});
}
