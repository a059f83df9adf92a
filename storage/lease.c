/* SPDX-License-Identifier: MIT */
#include "storage/lease.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "cache/process_watch.h"
#include "storage/clock.h"
#include "storage/lease_internal.h"
#include "storage/options.h"

#define TIME_DEFAULT_S 15
#define TIME_MAX_S     3600

/* Seconds; 0: it isn't a number of them. */
static unsigned lease_seconds(const struct occ_storage_options *options)
{
	const char *text = occ_storage_attribute(options, "lease-time");
	unsigned long seconds;
	char *end;

	if (!text)
		return TIME_DEFAULT_S;
	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	seconds = strtoul(text, &end, 10);
	return errno || *end || seconds > TIME_MAX_S ? 0 : (unsigned)seconds;
}

bool occ_leases_check(const struct occ_storage_options *options,
		      struct occ_backend_error *ret_error)
{
	if (lease_seconds(options))
		return true;
	strcpy(ret_error->message, "lease-time must be 1 to 3600 seconds");
	ret_error->is_fatal = true;
	ret_error->is_answered = false;
	return false;
}

struct occ_leases *occ_leases_new(const struct occ_backend *backend,
				  const struct occ_storage_options *options)
{
	struct occ_leases *leases;

	if (!backend->lease)
		return NULL;
	leases = calloc(1, sizeof(*leases));
	if (!leases)
		return NULL;
	leases->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (leases->wake < 0) {
		free(leases);
		return NULL;
	}
	pthread_mutex_init(&leases->lock, NULL);
	pthread_cond_init(&leases->ended, NULL);
	leases->backend = backend;
	leases->time_ms = lease_seconds(options) * 1000;
	if (!leases->time_ms)
		leases->time_ms = TIME_DEFAULT_S * 1000;
	leases->options = *options;
	/* One that isn't renewed in time is of no use. */
	if (leases->options.request_ms > leases->time_ms / 3)
		leases->options.request_ms = leases->time_ms / 3;
	return leases;
}

static void wake(struct occ_leases *leases)
{
	uint64_t one = 1;

	/* It can't be full, and if it were, the thread would be awake. */
	if (write(leases->wake, &one, sizeof(one)) < 0)
		return;
}

void occ_leases_stop(struct occ_leases *leases, unsigned milliseconds)
{
	struct timespec until;
	bool has_ended;

	if (!leases)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += milliseconds / 1000;
	pthread_mutex_lock(&leases->lock);
	leases->is_stopped = true;
	wake(leases);
	while (leases->has_thread && !leases->has_ended &&
	       !pthread_cond_clockwait(&leases->ended, &leases->lock,
				       CLOCK_MONOTONIC, &until))
		;
	has_ended = leases->has_thread && leases->has_ended;
	leases->has_thread &= !has_ended;
	pthread_mutex_unlock(&leases->lock);
	if (has_ended)
		pthread_join(leases->thread, NULL);
}

void occ_leases_free(struct occ_leases *leases)
{
	if (!leases)
		return;
	occ_leases_stop(leases, 0);
	if (leases->has_thread)
		pthread_join(leases->thread, NULL);
	close(leases->wake);
	pthread_cond_destroy(&leases->ended);
	pthread_mutex_destroy(&leases->lock);
	free(leases);
}

static bool is_of_key(const struct occ_lease *lease, struct occ_span key)
{
	return occ_span_equal((struct occ_span){lease->key, lease->key_size},
			      key);
}

/* The lock is held. */
static struct occ_lease *find(struct occ_leases *leases, struct occ_span key)
{
	struct occ_lease *lease = leases->first;

	while (lease && (lease->is_over || !is_of_key(lease, key)))
		lease = lease->next;
	return lease;
}

void occ_lease_free(struct occ_lease *lease)
{
	if (!lease)
		return;
	if (lease->pidfd >= 0)
		close(lease->pidfd);
	free(lease);
}

/* NULL: out of memory, or there is no such process (*ret_gone). */
static struct occ_lease *new_lease(struct occ_span key, pid_t pid,
				   bool *ret_gone)
{
	struct occ_lease *lease = calloc(1, sizeof(*lease));

	*ret_gone = false;
	if (!lease)
		return NULL;
	/* Before anything that takes time. */
	lease->pidfd = pid > 0 ? pidfd_open(pid, 0) : -1;
	*ret_gone = pid > 0 && lease->pidfd < 0 && errno == ESRCH;
	if (*ret_gone || getrandom(lease->token, sizeof(lease->token), 0) !=
				 (ssize_t)sizeof(lease->token)) {
		occ_lease_free(lease);
		return NULL;
	}
	occ_process_watch_begin(&lease->watch, pid);
	memcpy(lease->key, key.data, key.size);
	lease->key_size = key.size;
	return lease;
}

/* Into the table, and the thread is told. False: no thread, or no room. */
static bool add(struct occ_leases *leases, struct occ_lease *lease)
{
	bool added;

	pthread_mutex_lock(&leases->lock);
	if (!leases->has_thread && !leases->is_stopped)
		leases->has_thread = !pthread_create(&leases->thread, NULL,
						     occ_leases_watch, leases);
	added = leases->has_thread && !leases->is_stopped &&
		leases->count < OCC_LEASES_MAX;
	if (added) {
		lease->next = leases->first;
		leases->first = lease;
		leases->count++;
	}
	pthread_mutex_unlock(&leases->lock);
	if (added)
		wake(leases);
	return added;
}

static enum occ_remote_result fail(const char *message,
				   struct occ_backend_error *ret_error)
{
	snprintf(ret_error->message, sizeof(ret_error->message), "%s", message);
	ret_error->is_fatal = false;
	ret_error->is_answered = true;
	return OCC_REMOTE_ERROR;
}

/* Does a process of this machine have it? Then the server needn't be asked. */
static bool is_held(struct occ_leases *leases, struct occ_span key, pid_t pid,
		    enum occ_remote_result *ret_result)
{
	struct occ_lease *lease;

	pthread_mutex_lock(&leases->lock);
	lease = find(leases, key);
	*ret_result = lease && lease->watch.pid == pid ? OCC_REMOTE_OK
						       : OCC_REMOTE_NOOP;
	pthread_mutex_unlock(&leases->lock);
	return lease != NULL;
}

enum occ_remote_result occ_leases_take(
	struct occ_leases *leases, struct occ_backend_connection *connection,
	struct occ_span key, pid_t pid, struct occ_backend_error *ret_error)
{
	enum occ_remote_result result;
	struct occ_lease *lease;
	struct occ_backend_error error;
	bool is_gone;

	if (!leases)
		return fail("the server doesn't support leases", ret_error);
	if (is_held(leases, key, pid, &result))
		return result;
	lease = new_lease(key, pid, &is_gone);
	if (!lease)
		return is_gone ? OCC_REMOTE_NOOP
			       : fail("out of memory", ret_error);
	lease->renewed = lease->tried = occ_storage_now();
	result = leases->backend->lease(connection, key, lease->token,
					leases->time_ms, ret_error);
	if (result == OCC_REMOTE_OK && add(leases, lease))
		return result;
	if (result == OCC_REMOTE_OK) {
		leases->backend->release(connection, key, lease->token, false,
					 &error);
		result = fail("too many leases", ret_error);
	}
	occ_lease_free(lease);
	return result;
}

enum occ_remote_result occ_leases_release(struct occ_leases *leases,
					  struct occ_span key, pid_t pid)
{
	struct occ_lease *lease;

	if (!leases)
		return OCC_REMOTE_NOOP;
	pthread_mutex_lock(&leases->lock);
	lease = find(leases, key);
	if (lease && lease->watch.pid != pid)
		lease = NULL;
	/* (H3) */
	if (lease && !lease->uploading)
		lease->is_over = lease->gave_nothing = true;
	pthread_mutex_unlock(&leases->lock);
	if (!lease)
		return OCC_REMOTE_NOOP;
	wake(leases);
	return OCC_REMOTE_OK;
}

void occ_leases_put_accepted(struct occ_leases *leases, struct occ_span key)
{
	struct occ_lease *lease;

	if (!leases)
		return;
	pthread_mutex_lock(&leases->lock);
	lease = find(leases, key);
	if (lease)
		lease->uploading = occ_storage_now();
	pthread_mutex_unlock(&leases->lock);
}

void occ_leases_put_done(struct occ_leases *leases, struct occ_span key)
{
	struct occ_lease *lease;

	if (!leases)
		return;
	pthread_mutex_lock(&leases->lock);
	lease = find(leases, key);
	if (lease)
		lease->is_over = true;
	pthread_mutex_unlock(&leases->lock);
	if (lease)
		wake(leases);
}

size_t occ_leases_count(struct occ_leases *leases)
{
	size_t count;

	if (!leases)
		return 0;
	pthread_mutex_lock(&leases->lock);
	count = leases->count;
	pthread_mutex_unlock(&leases->lock);
	return count;
}
