/* SPDX-License-Identifier: MIT */
/*
 * Messages and the trace. Each is one line, written by one write(2) to
 * OCLCACHE_LOG_FILE (opened for appending and closed again each time, because
 * applications close or reuse descriptors), or else to standard error.
 *
 * Warnings are about the user's own settings and always appear. Debug messages
 * appear with PrintDebugMessages=1, the trace with BinaryCacheTrace=1. Without
 * these the layer prints nothing else. Characters that would control a
 * terminal, or not be visible on it (hash/utf8.h), become question marks in
 * messages, and are escaped in the trace.
 *
 * errno is preserved. Any thread.
 */
#ifndef OCC_LAYER_BASE_LOG_H
#define OCC_LAYER_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/digest.h"

/* Where lines go and which; set at initialisation (layer/base/settings.h). */
struct occ_log {
	const char *file;    /* OCLCACHE_LOG_FILE; NULL: standard error */
	bool debug_messages; /* PrintDebugMessages: occ_log_debug() prints */
	bool trace;	     /* BinaryCacheTrace */
};
extern struct occ_log occ_log;

void occ_log_warning(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void occ_log_debug(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * A line of the trace, as JSON; doc/switches.md lists the events. Absent are a
 * NULL op, hash, device, program, nearest or differs, and 0 bytes, looks or
 * build. A reason of hash/reason.h has its name beside it. `since` is
 * occ_log_now() when what is reported began, `until` when it ended, or 0 for
 * now.
 */
struct occ_trace {
	const char *event; /* "lookup", "explain", "store" ... */
	const char *op;	   /* of "remote": "get", "put" ... */
	uint64_t build; /* when it began: all lines of a build have the same */
	const char *program; /* what is built (hash/source_label.h) */
	const struct occ_digest *hash;
	const char *device;
	const char *result;
	const char *reason;
	const struct occ_digest *nearest; /* entry, of a miss */
	const char *differs;		  /* between its key and that entry's */
	size_t looks;			  /* entries compared; 0: all */
	uint64_t bytes;
	uint64_t since;
	uint64_t until;
};
void occ_log_trace(const struct occ_trace *trace);

/* Nanoseconds of the monotonic clock. */
uint64_t occ_log_now(void);

#endif
