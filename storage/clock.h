/* SPDX-License-Identifier: MIT */
/* The time that deadlines are counted in. */
#ifndef OCC_STORAGE_CLOCK_H
#define OCC_STORAGE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/file.h"

/* Milliseconds of the monotonic clock. */
static inline uint64_t occ_storage_now(void)
{
	return occ_file_clock() / 1000000;
}

/* Has so much passed? `since` may be later than `now`, which was read before.
 */
static inline bool occ_storage_has_passed(uint64_t now, uint64_t since,
					  uint64_t time)
{
	return now >= since + time;
}

#endif
