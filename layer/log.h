/* SPDX-License-Identifier: MIT */
/*
 * Messages and the trace. Each is one line, written by one write(2) to
 * OCLCACHE_LOG_FILE (opened for appending and closed again each time, because
 * applications close or reuse descriptors), or else to standard error.
 *
 * Warnings are about the user's own settings and always appear. Debug
 * messages appear with PrintDebugMessages=1, the trace with
 * BinaryCacheTrace=1. Without these the layer prints nothing. Control
 * characters in messages become question marks.
 *
 * errno is preserved. Any thread.
 */
#ifndef OCC_LAYER_LOG_H
#define OCC_LAYER_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "hash/digest.h"

void occ_log_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void occ_log_debug(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * A line of the trace, as JSON; README.md lists the events. Absent parts:
 * hash, device, nearest and differs NULL, bytes 0. `since` is occ_log_now() at
 * the start of what is reported, `until` at its end, or 0 for now.
 */
struct occ_trace {
	const char *event; /* "lookup", "store" or "materialise" */
	const struct occ_digest *hash;
	const char *device;
	const char *result;
	const char *reason;
	const struct occ_digest *nearest; /* of a miss: what it is near to */
	const char *differs;		  /* and in what it differs from that */
	uint64_t bytes;
	uint64_t since;
	uint64_t until;
};
void occ_log_trace(const struct occ_trace *trace);

/* Nanoseconds of the monotonic clock. */
uint64_t occ_log_now(void);

#endif
