/* SPDX-License-Identifier: MIT */
/*
 * A connection to a Redis server that is kept from command to command: made
 * when it is needed, with a password and the database, and once more when it
 * turns out that the server has closed it.
 *
 * A command ends when nothing has come, or gone, for the request's time (struct
 * occ_storage_options), or after six times that as a whole, what connecting
 * takes included, of which that has its own limit.
 *
 * One thread at a time per object.
 */
#ifndef OCC_STORAGE_REDIS_CONNECTION_H
#define OCC_STORAGE_REDIS_CONNECTION_H

#include "storage/redis_reply.h"
#include "storage/redis_settings.h"

struct occ_redis_connection;

/* occ_redis_transport_connect(), or a test's. */
typedef struct occ_redis_transport *(*occ_redis_connect)(
	const struct occ_redis_address *address, unsigned milliseconds,
	struct occ_backend_error *ret_error);

/* No I/O. `settings` are copied. NULL when out of memory. */
struct occ_redis_connection *occ_redis_connection_new(
	const struct occ_redis_settings *settings, occ_redis_connect connect);
void occ_redis_connection_free(
	struct occ_redis_connection *connection); /* NULL: nothing */

/*
 * Sends a command and reads its reply. False: there is none, or it is an error;
 * *ret_error says why. *ret_reply starts as zeros, and is to be released.
 */
bool occ_redis_command(struct occ_redis_connection *connection,
		       const struct occ_span *words, size_t count,
		       struct occ_redis_reply *ret_reply,
		       struct occ_backend_error *ret_error);

/*
 * Was the last command sent twice, because the connection was found to be
 * closed after the first time? Then the server may have done it twice.
 */
bool occ_redis_connection_repeated(
	const struct occ_redis_connection *connection);

#endif
