/* SPDX-License-Identifier: MIT */
/* The time that deadlines are counted in. */
#ifndef OCC_STORAGE_CLOCK_H
#define OCC_STORAGE_CLOCK_H

#include <stdint.h>

#include "cache/file.h"

/* Milliseconds of the monotonic clock. */
static inline uint64_t occ_storage_now(void)
{
	return occ_file_clock() / 1000000;
}

#endif
