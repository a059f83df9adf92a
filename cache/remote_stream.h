/* SPDX-License-Identifier: MIT */
/*
 * A connection to a remote storage helper that never costs more time than its
 * deadlines, for cache/remote.h, whose R1 to R3 it keeps to.
 *
 * Calling sequence: occ_remote_stream_open(), and what it greets with is
 * received; occ_remote_stream_allow(), maybe occ_remote_stream_allow_rate(),
 * and send or receive, as often as wanted; occ_remote_stream_close(), in any
 * case. From the first failure on, all fail, and `fault` says why.
 *
 * SIGPIPE can't come; signals don't shorten or lengthen anything. errno isn't
 * preserved. Threads: a struct is one thread's.
 */
#ifndef OCC_CACHE_REMOTE_STREAM_H
#define OCC_CACHE_REMOTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/remote.h"

struct occ_remote_stream {
	int descriptor; /* -1: none */
	enum occ_remote_fault fault;
	bool is_greeted;
	/* Of the monotonic clock, in ns. */
	uint64_t deadline; /* for the next byte */
	uint64_t since;	   /* the rate counts from then on; 0: it doesn't */
	uint64_t grace;
	uint64_t moved;	   /* bytes since then */
	bool awaits_first; /* then it counts */
	/* What was received and not asked for yet. */
	size_t first, end;
	unsigned char bytes[512];
};

/*
 * Connects, and looks whose the helper is. `path` fits into a sockaddr_un.
 * These milliseconds are also those of all that is received until the next
 * occ_remote_stream_allow(). Faults: OCC_REMOTE_FAULT_ABSENT, _SOCKET,
 * _CONNECT, _PEER.
 */
bool occ_remote_stream_open(struct occ_remote_stream *stream, const char *path,
			    unsigned milliseconds);

/* The same of a connection that there is; the stream's from now on. */
void occ_remote_stream_take(struct occ_remote_stream *stream, int descriptor,
			    unsigned milliseconds);
void occ_remote_stream_close(struct occ_remote_stream *stream);

/* All that comes now is to be over in so many milliseconds. */
void occ_remote_stream_allow(struct occ_remote_stream *stream,
			     unsigned milliseconds);

/*
 * After occ_remote_stream_allow(): what holds `from_now` on, or else from the
 * next byte on, is (R3).
 */
void occ_remote_stream_allow_rate(struct occ_remote_stream *stream,
				  unsigned grace_ms, bool from_now);

/* Faults: OCC_REMOTE_FAULT_CONNECT, _STALL, _CLOSED. */
bool occ_remote_stream_send(struct occ_remote_stream *stream, const void *data,
			    size_t size);
bool occ_remote_stream_receive(struct occ_remote_stream *stream, void *data,
			       size_t size);

#endif
