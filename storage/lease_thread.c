/* SPDX-License-Identifier: MIT */
#include "storage/lease_internal.h"

#include <unistd.h>

#include "storage/clock.h"

/*
 * That a lease is in the table is certain here without the lock, as only this
 * thread removes any; what others change of it needs the lock.
 */

/* Between two looks at who holds leases, in ms; ends are seen at once. */
#define LOOK_MS	      250

/* Nobody sends a value for longer, in ms: it was forgotten to say its end. */
#define UPLOAD_MAX_MS UINT64_C(600000)

/* Waits for an end, or something to do. */
static void wait_for_events(struct occ_leases *leases)
{
	nfds_t count = 1;
	uint64_t events;
	int timeout;

	leases->files[0] = (struct pollfd){leases->wake, POLLIN, 0};
	pthread_mutex_lock(&leases->lock);
	for (struct occ_lease *lease = leases->first; lease;
	     lease = lease->next)
		/* One that ends while its value is sent is waited for. */
		if (lease->pidfd >= 0 && !lease->uploading)
			leases->files[count++] =
				(struct pollfd){lease->pidfd, POLLIN, 0};
	timeout = leases->first ? LOOK_MS : -1;
	pthread_mutex_unlock(&leases->lock);
	poll(leases->files, count, timeout);
	if (read(leases->wake, &events, sizeof(events)) < 0)
		return;
}

static bool has_ended(const struct occ_lease *lease)
{
	struct pollfd file = {lease->pidfd, POLLIN, 0};

	if (lease->pidfd >= 0)
		return poll(&file, 1, 0) > 0;
	return !occ_process_watch_is_alive(&lease->watch);
}

/* (H2), (H3), (H5) */
static bool is_over(struct occ_leases *leases, struct occ_lease *lease,
		    uint64_t now)
{
	if (leases->is_stopped || lease->is_over)
		return true;
	if (lease->is_lost || now - lease->renewed >= leases->time_ms) {
		lease->is_lost = true;
		return true;
	}
	if (lease->uploading)
		return now - lease->uploading >= UPLOAD_MAX_MS;
	return has_ended(lease) || !occ_process_watch_is_busy(&lease->watch);
}

/* Those that are over, out of the table. */
static struct occ_lease *take_over(struct occ_leases *leases)
{
	struct occ_lease **link = &leases->first, *lease, *over = NULL;
	uint64_t now;

	pthread_mutex_lock(&leases->lock);
	now = occ_storage_now();
	while ((lease = *link)) {
		if (!is_over(leases, lease, now)) {
			link = &lease->next;
			continue;
		}
		*link = lease->next;
		leases->count--;
		lease->next = over;
		over = lease;
	}
	pthread_mutex_unlock(&leases->lock);
	return over;
}

static bool connect_backend(struct occ_leases *leases)
{
	if (!leases->connection)
		leases->connection = leases->backend->open(&leases->options);
	return leases->connection != NULL;
}

static struct occ_span key_of(const struct occ_lease *lease)
{
	return (struct occ_span){lease->key, lease->key_size};
}

/* One that can't be given back ends by its time, as do then the others. */
static void give_back(struct occ_leases *leases, struct occ_lease *over)
{
	struct occ_backend_error error;
	struct occ_lease *next;
	bool fails = !over || !connect_backend(leases);

	for (; over; over = next) {
		next = over->next;
		if (!fails && !over->is_lost)
			fails = leases->backend->release(leases->connection,
							 key_of(over),
							 over->token,
							 over->gave_nothing,
							 &error) ==
				OCC_REMOTE_ERROR;
		occ_lease_free(over);
	}
}

/* The next one whose time it is; NULL: none. */
static struct occ_lease *find_due(struct occ_leases *leases)
{
	struct occ_lease *lease;
	uint64_t now;

	pthread_mutex_lock(&leases->lock);
	now = occ_storage_now();
	lease = leases->first;
	while (lease && (lease->is_over || leases->is_stopped ||
			 now - lease->tried < leases->time_ms / 3))
		lease = lease->next;
	if (lease)
		lease->tried = now;
	pthread_mutex_unlock(&leases->lock);
	return lease;
}

/* False: the server doesn't answer; others are tried later. */
static bool renew(struct occ_leases *leases, struct occ_lease *lease)
{
	struct occ_backend_error error;
	enum occ_remote_result result = OCC_REMOTE_ERROR;
	uint64_t now = occ_storage_now();

	if (connect_backend(leases))
		result = leases->backend->renew(leases->connection,
						key_of(lease), lease->token,
						leases->time_ms, &error);
	if (result == OCC_REMOTE_OK)
		lease->renewed = now;
	lease->is_lost = result == OCC_REMOTE_NOOP;
	return result != OCC_REMOTE_ERROR;
}

static bool is_stopped(struct occ_leases *leases)
{
	bool stopped;

	pthread_mutex_lock(&leases->lock);
	stopped = leases->is_stopped;
	pthread_mutex_unlock(&leases->lock);
	return stopped;
}

void *occ_leases_watch(void *data)
{
	struct occ_leases *leases = data;
	struct occ_lease *due;
	bool stopped = false;

	while (!stopped) {
		wait_for_events(leases);
		stopped = is_stopped(leases);
		give_back(leases, take_over(leases));
		do
			due = find_due(leases);
		while (due && renew(leases, due));
	}
	if (leases->connection)
		leases->backend->close(leases->connection);
	pthread_mutex_lock(&leases->lock);
	leases->has_ended = true;
	pthread_cond_broadcast(&leases->ended);
	pthread_mutex_unlock(&leases->lock);
	return NULL;
}
