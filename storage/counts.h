/* SPDX-License-Identifier: MIT */
/*
 * What a helper has done since it was started, for its answer to info.
 *
 * Threads: any.
 */
#ifndef OCC_STORAGE_COUNTS_H
#define OCC_STORAGE_COUNTS_H

#include <stdint.h>

#include "cache/remote_protocol.h"
#include "hash/buffer.h"

enum occ_storage_count {
	OCC_STORAGE_GETS,
	OCC_STORAGE_HITS,
	OCC_STORAGE_MISSES,
	OCC_STORAGE_GET_ERRORS,
	OCC_STORAGE_ABANDONED, /* gets whose client left before it had all */
	OCC_STORAGE_PUTS,      /* accepted */
	OCC_STORAGE_STORED,    /* the server has them */
	OCC_STORAGE_KEPT,      /* it had another one before, which stays */
	OCC_STORAGE_DROPPED,   /* refused: no room, or no writing */
	OCC_STORAGE_GIVEN_UP,
	OCC_STORAGE_BYTES_GOT,	/* as they came, compressed or not */
	OCC_STORAGE_BYTES_SENT, /* the same */
	OCC_STORAGE_COUNTS,
};

void occ_storage_count(enum occ_storage_count what, uint64_t number);
uint64_t occ_storage_counted(enum occ_storage_count what);

/* Counts a failure by its message. Of those behind the first few, the number.
 */
void occ_storage_count_error(const char *message);

/*
 * Calls with each line, such as "3 errors: the server denies access (403)".
 */
void occ_storage_errors(void (*line)(void *context, const char *text),
			void *context);

#endif
