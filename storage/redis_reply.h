/* SPDX-License-Identifier: MIT */
/*
 * Replies of a Redis server, read by hiredis from a transport. Replies that
 * are arrays aren't taken: no command here has one. What is read is bounded,
 * whatever lengths a server names.
 *
 * One thread at a time per object.
 */
#ifndef OCC_STORAGE_REDIS_REPLY_H
#define OCC_STORAGE_REDIS_REPLY_H

#include "storage/backend.h"
#include "storage/redis_transport.h"

enum occ_redis_reply_kind {
	OCC_REDIS_REPLY_NIL,
	OCC_REDIS_REPLY_STATUS,
	OCC_REDIS_REPLY_ERROR,
	OCC_REDIS_REPLY_INTEGER,
	OCC_REDIS_REPLY_STRING,
};

/* Starts as zeros; `text` is the caller's to release. */
struct occ_redis_reply {
	enum occ_redis_reply_kind kind;
	long long integer;
	struct occ_buffer text; /* of a status, an error or a string */
	/* Has a string's bytes, while they come, instead; NULL: there is none.
	 */
	const struct occ_value_sink *sink;
	size_t taken; /* by it */
	bool has_begun;
};

enum occ_redis_read {
	OCC_REDIS_READ_OK,
	OCC_REDIS_READ_CLOSED, /* before the first byte of the reply */
	OCC_REDIS_READ_TORN,   /* after it */
	OCC_REDIS_READ_LATE,
	OCC_REDIS_READ_LARGE,	/* more than `size_max` bytes */
	OCC_REDIS_READ_STRANGE, /* not a reply, or an array */
	OCC_REDIS_READ_MEMORY,
};

/* How long an exchange may take; of occ_storage_now(), and in ms. */
struct occ_redis_time {
	uint64_t end;	/* as a whole */
	unsigned pause; /* without a byte */
};

/* When the next byte has to have come, or gone. */
uint64_t occ_redis_time_next(const struct occ_redis_time *time);

/* What is between two replies of a connection. */
struct occ_redis_reader;

/* NULL when out of memory. */
struct occ_redis_reader *occ_redis_reader_new(void);
void occ_redis_reader_free(struct occ_redis_reader *reader); /* NULL: nothing */

/* Nothing has come behind the last reply. */
bool occ_redis_reader_is_empty(const struct occ_redis_reader *reader);

/*
 * The next reply. After anything but OCC_REDIS_READ_OK the reader and the
 * transport are of no use any more.
 */
enum occ_redis_read occ_redis_reply_read(struct occ_redis_reader *reader,
					 struct occ_redis_transport *transport,
					 const struct occ_redis_time *time,
					 size_t size_max,
					 struct occ_redis_reply *ret_reply);
void occ_redis_reply_release(struct occ_redis_reply *reply);

#endif
