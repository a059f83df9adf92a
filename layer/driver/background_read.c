/* SPDX-License-Identifier: MIT */
#include "layer/driver/background_read.h"

#include <stdlib.h>

#include "layer/base/lock.h"
#include "layer/base/thread.h"
#include "layer/driver/driver_components.h"

/* To look up from waiting; the thread wakes who waits. */
#define WAIT_MS 1000

struct occ_background_read {
	struct occ_driver_files *installation;
	bool done; /* under the lock */
};

static void *work(void *data)
{
	struct occ_driver_components components = OCC_DRIVER_COMPONENTS_INIT;
	struct occ_background_read *reading = data;

	occ_thread_own_descriptors();
	occ_driver_files_read(reading->installation, &components);
	occ_driver_components_release(&components);
	occ_lock();
	reading->done = true;
	occ_lock_wake();
	occ_unlock();
	return NULL;
}

struct occ_background_read *occ_background_read_start(
	struct occ_driver_files *installation)
{
	struct occ_background_read *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->installation = installation;
	if (occ_thread_start(work, reading, OCC_THREAD_SMALL_STACK, NULL))
		return reading;
	free(reading);
	return NULL;
}

bool occ_background_read_done_locked(const struct occ_background_read *reading)
{
	occ_assert_locked();
	return reading->done;
}

void occ_background_read_wait(const struct occ_background_read *reading)
{
	occ_lock();
	while (!reading->done)
		occ_lock_wait(WAIT_MS);
	occ_unlock();
}

/* The installation is the thread's, which may have been half-way: it stays. */
void occ_background_read_forked(struct occ_background_read *reading)
{
	if (!reading->done)
		reading->installation = NULL;
	reading->done = true;
}

void occ_background_read_release(struct occ_background_read *reading)
{
	if (!reading)
		return;
	occ_driver_files_release(reading->installation);
	free(reading);
}
