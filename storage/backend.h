/* SPDX-License-Identifier: MIT */
/*
 * A remote storage's server, as the helper's threads use it: one interface for
 * HTTP (and S3, which is HTTP with a signature) and Redis.
 *
 * Calling sequence: open one per thread of the helper, which keeps its
 * connection; then any calls; then close. What several threads share (TLS
 * contexts, credentials, the breaker) is the backend's own, locked by itself.
 *
 * Keys are the protocol's, at most 255 bytes; names on the server are the
 * backend's matter (hex digits, the layout, the prefix). Values are bytes that
 * nothing is known of.
 *
 * Every call ends within the deadlines of `struct occ_storage_options`. A
 * failure has a short message for people, without credentials, and is never
 * taken for "not there".
 */
#ifndef OCC_STORAGE_BACKEND_H
#define OCC_STORAGE_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/remote_protocol.h"
#include "hash/buffer.h"

struct occ_storage_options; /* storage/options.h: URL, attributes, deadlines */
struct occ_backend_connection; /* a backend's own */

struct occ_backend_error {
	char message[OCC_REMOTE_TEXT_MAX + 1];
	bool is_fatal;	  /* trying again is in vain: denied, bad URL */
	bool is_answered; /* by the server: it can be reached */
	bool is_late; /* its time was over: another one would cost as much */
};

/* Takes a value while it comes. False: no more of it is wanted. */
struct occ_value_sink {
	/* How many bytes will come: before the first, where that is known. */
	bool (*size)(void *context, uint64_t size);
	bool (*take)(void *context, struct occ_span bytes);
	void *context;
};

struct occ_backend {
	/* The schemes that it serves, a NULL at the end. */
	const char *const *schemes;
	/* Checks URL and attributes before anything is bound; no I/O. */
	bool (*check)(const struct occ_storage_options *options,
		      struct occ_backend_error *ret_error);
	/* NULL: out of memory. It connects when it is first used. */
	struct occ_backend_connection *(*open)(
		const struct occ_storage_options *options);
	void (*close)(struct occ_backend_connection *connection);
	/*
	 * What the sink took is a value only if this is ok. If the sink didn't
	 * want it, this is an error.
	 */
	enum occ_remote_result (*get)(struct occ_backend_connection *connection,
				      struct occ_span key,
				      const struct occ_value_sink *sink,
				      struct occ_backend_error *ret_error);
	enum occ_remote_result (*put)(struct occ_backend_connection *connection,
				      struct occ_span key, bool overwrite,
				      struct occ_span value,
				      struct occ_backend_error *ret_error);
	enum occ_remote_result (*remove)(
		struct occ_backend_connection *connection, struct occ_span key,
		struct occ_backend_error *ret_error);
	enum occ_remote_result (*exists)(
		struct occ_backend_connection *connection, struct occ_span key,
		struct occ_backend_error *ret_error);
	/*
	 * Leases; NULL: the server has none. `token` (16 random bytes) is the
	 * holder's. lease: ok it is taken, noop another has it. renew and
	 * release: noop it isn't the token's (any more). Who gave_nothing may
	 * leave it open for some seconds: then each lease is ok, and nobody's.
	 */
	enum occ_remote_result (*lease)(
		struct occ_backend_connection *connection, struct occ_span key,
		const unsigned char token[16], unsigned milliseconds,
		struct occ_backend_error *ret_error);
	enum occ_remote_result (*renew)(
		struct occ_backend_connection *connection, struct occ_span key,
		const unsigned char token[16], unsigned milliseconds,
		struct occ_backend_error *ret_error);
	enum occ_remote_result (*release)(
		struct occ_backend_connection *connection, struct occ_span key,
		const unsigned char token[16], bool gave_nothing,
		struct occ_backend_error *ret_error);
};

extern const struct occ_backend occ_backend_http;
extern const struct occ_backend occ_backend_redis;

#endif
