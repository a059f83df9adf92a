/* SPDX-License-Identifier: MIT */
#include "layer/lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void occ_lock(void)
{
	pthread_mutex_lock(&lock);
}

void occ_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

bool occ_lock_init(void)
{
	static bool registered;

	/* Once: handlers stay, and so does this library (-z nodelete). */
	if (!registered)
		registered = !pthread_atfork(occ_lock, occ_unlock, occ_unlock);
	return registered;
}
