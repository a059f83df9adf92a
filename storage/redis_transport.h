/* SPDX-License-Identifier: MIT */
/*
 * Bytes to and from a Redis server, over TCP, TLS or a Unix socket: what
 * hiredis 0.14 does without TLS, without deadlines for names, and with SIGPIPE.
 * The one that connects is libcurl's; tests bring others.
 *
 * Deadlines are occ_storage_now()'s. One thread at a time per
 * object. SIGPIPE is ignored in the helper.
 */
#ifndef OCC_STORAGE_REDIS_TRANSPORT_H
#define OCC_STORAGE_REDIS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash/buffer.h"

struct occ_backend_error; /* storage/backend.h */

enum occ_redis_io {
	OCC_REDIS_IO_OK,
	OCC_REDIS_IO_CLOSED, /* by the server, or the network broke */
	OCC_REDIS_IO_LATE,   /* the deadline passed */
};

/* The first field of whatever implements it. */
struct occ_redis_transport {
	/* All of the bytes. */
	enum occ_redis_io (*send)(struct occ_redis_transport *transport,
				  struct occ_span bytes, uint64_t deadline);
	/* One byte at least, and `size` at most. */
	enum occ_redis_io (*receive)(struct occ_redis_transport *transport,
				     void *data, size_t size, uint64_t deadline,
				     size_t *ret_size);
	/* Is it open, and nothing has come? At once. */
	bool (*is_quiet)(struct occ_redis_transport *transport);
	/* Frees it, too. */
	void (*close)(struct occ_redis_transport *transport);
};

/* Borrowed for the call. */
struct occ_redis_address {
	const char *socket; /* NULL: host and port */
	const char *host;
	unsigned port;
	bool tls;	     /* verified, with the host's name */
	const char *ca_file; /* NULL: the system's */
	/* PEM files; NULL: none. */
	const char *client_certificate, *client_key;
};

/* NULL: not within `milliseconds`, or not at all; *ret_error says why. */
struct occ_redis_transport *occ_redis_transport_connect(
	const struct occ_redis_address *address, unsigned milliseconds,
	struct occ_backend_error *ret_error);

#endif
