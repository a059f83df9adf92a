/* SPDX-License-Identifier: MIT */
/*
 * What a Redis server refuses, as short messages for people. What a server
 * says is shown only where it can't repeat what was sent: it may have been
 * a password.
 *
 * Threads: no state.
 */
#ifndef OCC_STORAGE_REDIS_ERROR_H
#define OCC_STORAGE_REDIS_ERROR_H

#include <stdbool.h>

#include "hash/buffer.h"

struct occ_backend_error; /* storage/backend.h */

/* Cut where it doesn't fit. */
__attribute__((format(printf, 3, 4))) void occ_redis_fail(
	struct occ_backend_error *ret_error, bool is_fatal, const char *format,
	...);

/*
 * Of an error reply, without its '-'. `is_secret`: what was sent had a secret
 * in it.
 */
void occ_redis_explain(struct occ_span reply, bool is_secret,
		       struct occ_backend_error *ret_error);

#endif
