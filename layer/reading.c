/* SPDX-License-Identifier: MIT */
#include "layer/reading.h"

#include <stdlib.h>

#include "layer/lock.h"
#include "layer/thread.h"

/* To look up from waiting; the thread wakes who waits. */
#define WAIT_MS 1000

struct occ_reading {
	struct occ_installation *installation;
	bool done; /* under the lock */
};

static void *work(void *data)
{
	struct occ_inventory inventory = OCC_INVENTORY_INIT;
	struct occ_reading *reading = data;

	occ_thread_own_descriptors();
	occ_installation_read(reading->installation, &inventory);
	occ_inventory_release(&inventory);
	occ_lock();
	reading->done = true;
	occ_lock_wake();
	occ_unlock();
	return NULL;
}

struct occ_reading *occ_reading_start(struct occ_installation *installation)
{
	struct occ_reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->installation = installation;
	if (occ_thread_start(work, reading, OCC_THREAD_SMALL_STACK, NULL))
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
