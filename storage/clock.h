/* SPDX-License-Identifier: MIT */
/* The time that deadlines are counted in. */
#ifndef OCC_STORAGE_CLOCK_H
#define OCC_STORAGE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds of the monotonic clock. */
static inline uint64_t occ_storage_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
