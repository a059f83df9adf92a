/* SPDX-License-Identifier: MIT */
/*
 * Values that came too late for who had asked, kept for a while for who asks
 * next: OCC_KEPT_MS each, OCC_KEPT_BYTES in all, the oldest go first.
 *
 * Times are occ_storage_now()'s. Memory only; the server's thread's.
 */
#ifndef OCC_STORAGE_KEPT_H
#define OCC_STORAGE_KEPT_H

#include "storage/value.h"

#define OCC_KEPT_MS    60000
#define OCC_KEPT_BYTES (UINT64_C(64) << 20)

struct occ_kept_value;

/* Starts as zeros. */
struct occ_kept {
	struct occ_kept_value *first; /* the oldest */
	uint64_t bytes;
};

/* Uses the value, too, if it fits and there is memory. */
void occ_kept_add(struct occ_kept *kept, struct occ_span key,
		  struct occ_value *value, uint64_t now);
/* NULL: there is none. It is borrowed. */
struct occ_value *occ_kept_find(struct occ_kept *kept, struct occ_span key,
				uint64_t now);
void occ_kept_remove(struct occ_kept *kept, struct occ_span key);

/* Removes what is too old. */
void occ_kept_expire(struct occ_kept *kept, uint64_t now);
/* When there will be some; UINT64_MAX: never. */
uint64_t occ_kept_next(const struct occ_kept *kept);

#endif
