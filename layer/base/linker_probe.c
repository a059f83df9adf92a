/* SPDX-License-Identifier: MIT */
#include "layer/base/linker_probe.h"

#include <dlfcn.h>
#include <stddef.h>

#include "layer/base/lock.h"
#include "layer/base/log.h"
#include "layer/base/thread.h"

#define PATIENCE_NS UINT64_C(50000000)
#define TURN_MS	    10

/* The lock. A late one of an earlier probe is as good. */
static unsigned come_through;

static void *try_linker(void *data)
{
	void *program = dlopen(NULL, RTLD_LAZY);

	(void)data;
	if (program)
		dlclose(program);
	occ_lock();
	come_through++;
	occ_lock_wake();
	occ_unlock();
	return NULL;
}

bool occ_linker_probe(void)
{
	uint64_t end = occ_log_now() + PATIENCE_NS;
	unsigned before;
	bool free;

	occ_lock();
	before = come_through;
	occ_unlock();
	if (!occ_thread_start(try_linker, NULL, OCC_THREAD_SMALL_STACK, NULL))
		return false;
	occ_lock();
	while (come_through == before && occ_log_now() < end)
		occ_lock_wait(TURN_MS);
	free = come_through != before;
	occ_unlock();
	return free;
}
