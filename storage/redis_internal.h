/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Redis backend share: a connection with the names that
 * keys have on the server.
 *
 * One thread at a time per object.
 */
#ifndef OCC_STORAGE_REDIS_INTERNAL_H
#define OCC_STORAGE_REDIS_INTERNAL_H

#include "storage/backend.h"
#include "storage/redis_connection.h"

/* Bytes with the NUL: of the prefix, ':', hex digits, and ":lease". */
#define OCC_REDIS_NAME_SIZE (128 + 1 + 2 * OCC_REMOTE_TEXT_MAX + 8)

struct occ_backend_connection {
	struct occ_redis_settings settings;
	struct occ_redis_connection *redis;
};

/* PREFIX:<hex digits of the key>, as ccache has it, and `ending`. */
void occ_redis_name(const struct occ_backend_connection *connection,
		    struct occ_span key, const char *ending,
		    char ret_name[OCC_REDIS_NAME_SIZE]);

struct occ_span occ_redis_word(const char *text); /* borrowed */

/*
 * Sends a command whose reply is a number, and maps it: 1 or more is ok, 0
 * noop, anything else an error.
 */
enum occ_remote_result occ_redis_count(
	struct occ_backend_connection *connection, const struct occ_span *words,
	size_t count, struct occ_backend_error *ret_error);

/* The same of a SET with NX or without: ok, or noop where there was one. */
enum occ_remote_result occ_redis_set(struct occ_backend_connection *connection,
				     const struct occ_span *words, size_t count,
				     struct occ_backend_error *ret_error);

/* Of struct occ_backend; in redis_lease.c. */
enum occ_remote_result occ_redis_lease(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error);
enum occ_remote_result occ_redis_renew(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], unsigned milliseconds,
	struct occ_backend_error *ret_error);
enum occ_remote_result occ_redis_release(
	struct occ_backend_connection *connection, struct occ_span key,
	const unsigned char token[16], bool gave_nothing,
	struct occ_backend_error *ret_error);

#endif
