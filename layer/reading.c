/* SPDX-License-Identifier: MIT */
#include "layer/reading.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "layer/lock.h"

/* Enough for paths, digests and the C library. */
#define STACK_SIZE ((size_t)256 << 10)

/* To look up from waiting; the thread wakes who waits. */
#define WAIT_MS	   1000

struct occ_reading {
	struct occ_installation *installation;
	bool done; /* under the lock */
};

static void *work(void *data)
{
	struct occ_inventory inventory = OCC_INVENTORY_INIT;
	struct occ_reading *reading = data;

	occ_installation_read(reading->installation, &inventory);
	occ_inventory_release(&inventory);
	occ_lock();
	reading->done = true;
	occ_lock_wake();
	occ_unlock();
	return NULL;
}

/* Signals are for the application's threads. */
static bool start_thread(struct occ_reading *reading,
			 const pthread_attr_t *attributes)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before))
		return false;
	error = pthread_create(&thread, attributes, work, reading);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !error;
}

static bool start(struct occ_reading *reading)
{
	pthread_attr_t attributes;
	bool started;

	if (pthread_attr_init(&attributes))
		return false;
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	started = !pthread_attr_setdetachstate(&attributes,
					       PTHREAD_CREATE_DETACHED) &&
		  start_thread(reading, &attributes);
	pthread_attr_destroy(&attributes);
	return started;
}

struct occ_reading *occ_reading_start(struct occ_installation *installation)
{
	struct occ_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->installation = installation;
	if (start(reading))
		return reading;
	free(reading);
	return NULL;
}

bool occ_reading_done(const struct occ_reading *reading)
{
	return reading->done;
}

void occ_reading_wait(const struct occ_reading *reading)
{
	occ_lock();
	while (!reading->done)
		occ_lock_wait(WAIT_MS);
	occ_unlock();
}

/* The installation is the thread's, which may have been half-way: it stays. */
void occ_reading_forked(struct occ_reading *reading)
{
	if (!reading->done)
		reading->installation = NULL;
	reading->done = true;
}

void occ_reading_release(struct occ_reading *reading)
{
	if (!reading)
		return;
	occ_installation_release(reading->installation);
	free(reading);
}
