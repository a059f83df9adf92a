/* SPDX-License-Identifier: MIT */
#include "storage/redis_reply.h"

#include <hiredis/read.h>
#include <stdlib.h>

#include "storage/clock.h"

#define PIECE_SIZE ((size_t)64 << 10)

struct occ_redis_reader {
	redisReader *hiredis;
	unsigned char *piece;
};

static struct occ_redis_reply *reply_of(const redisReadTask *task)
{
	return task->privdata;
}

/* What has come of a string of `size` bytes; false: it isn't wanted. */
static bool pass_on(struct occ_redis_reply *reply, size_t size,
		    struct occ_span come)
{
	const struct occ_value_sink *sink = reply->sink;
	size_t taken = reply->taken;

	if (!reply->has_begun) {
		reply->has_begun = true;
		if (!sink->size(sink->context, size))
			return false;
	}
	reply->taken = come.size;
	return sink->take(sink->context, (struct occ_span){come.data + taken,
							   come.size - taken});
}

/* Of statuses and errors, too. */
static void *make_string(const redisReadTask *task, char *text, size_t size)
{
	struct occ_redis_reply *reply = reply_of(task);

	reply->kind = task->type == REDIS_REPLY_STATUS ? OCC_REDIS_REPLY_STATUS
		      : task->type == REDIS_REPLY_ERROR
			      ? OCC_REDIS_REPLY_ERROR
			      : OCC_REDIS_REPLY_STRING;
	if (reply->kind == OCC_REDIS_REPLY_STRING && reply->sink)
		return pass_on(reply, size,
			       (struct occ_span){(unsigned char *)text, size})
			       ? reply
			       : NULL;
	occ_buffer_append(&reply->text, text, size);
	return reply->text.failed ? NULL : reply;
}

/* hiredis stops, and nothing is allocated for what a server promises. */
static void *refuse_array(const redisReadTask *task, int elements)
{
	(void)task;
	(void)elements;
	return NULL;
}

static void *make_integer(const redisReadTask *task, long long integer)
{
	struct occ_redis_reply *reply = reply_of(task);

	reply->kind = OCC_REDIS_REPLY_INTEGER;
	reply->integer = integer;
	return reply;
}

static void *make_nil(const redisReadTask *task)
{
	struct occ_redis_reply *reply = reply_of(task);

	reply->kind = OCC_REDIS_REPLY_NIL;
	return reply;
}

/* It is the caller's. */
static void keep(void *reply)
{
	(void)reply;
}

static redisReplyObjectFunctions functions = {
	.createString = make_string,
	.createArray = refuse_array,
	.createInteger = make_integer,
	.createNil = make_nil,
	.freeObject = keep,
};

struct occ_redis_reader *occ_redis_reader_new(void)
{
	struct occ_redis_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->hiredis = redisReaderCreateWithFunctions(&functions);
	reader->piece = malloc(PIECE_SIZE);
	if (reader->hiredis && reader->piece)
		return reader;
	occ_redis_reader_free(reader);
	return NULL;
}

void occ_redis_reader_free(struct occ_redis_reader *reader)
{
	if (!reader)
		return;
	if (reader->hiredis)
		redisReaderFree(reader->hiredis);
	free(reader->piece);
	free(reader);
}

uint64_t occ_redis_time_next(const struct occ_redis_time *time)
{
	uint64_t next = occ_storage_now() + time->pause;

	return next < time->end ? next : time->end;
}

bool occ_redis_reader_is_empty(const struct occ_redis_reader *reader)
{
	return reader->hiredis->pos == reader->hiredis->len;
}

static enum occ_redis_read feed(struct occ_redis_reader *reader,
				struct occ_redis_transport *transport,
				const struct occ_redis_time *time, size_t *size)
{
	size_t got = 0;

	switch (transport->receive(transport, reader->piece, PIECE_SIZE,
				   occ_redis_time_next(time), &got)) {
	case OCC_REDIS_IO_LATE:
		return OCC_REDIS_READ_LATE;
	case OCC_REDIS_IO_CLOSED:
		return *size ? OCC_REDIS_READ_TORN : OCC_REDIS_READ_CLOSED;
	default:
		break;
	}
	*size += got;
	return redisReaderFeed(reader->hiredis, (const char *)reader->piece,
			       got)
		       ? OCC_REDIS_READ_MEMORY
		       : OCC_REDIS_READ_OK;
}

/*
 * hiredis has a string only as a whole: until then it is in its buffer, behind
 * the type, as "LENGTH\r\n" and bytes. False: it isn't wanted.
 */
static bool look_at_part(const struct occ_redis_reader *reader,
			 struct occ_redis_reply *reply)
{
	const redisReader *hiredis = reader->hiredis;
	struct occ_span part = {(const unsigned char *)hiredis->buf +
					hiredis->pos,
				hiredis->len - hiredis->pos};
	size_t at = 0, size = 0;

	if (!reply->sink || hiredis->ridx != 0 || !hiredis->pos ||
	    part.data[-1] != '$')
		return true;
	for (; at < part.size && part.data[at] >= '0' && part.data[at] <= '9' &&
	       size < SIZE_MAX / 16;
	     at++)
		size = size * 10 + (part.data[at] - '0');
	if (!at || at + 2 >= part.size || part.data[at] != '\r')
		return true;
	part.data += at + 2;
	part.size -= at + 2;
	if (part.size > size)
		part.size = size;
	return pass_on(reply, size, part);
}

enum occ_redis_read occ_redis_reply_read(struct occ_redis_reader *reader,
					 struct occ_redis_transport *transport,
					 const struct occ_redis_time *time,
					 size_t size_max,
					 struct occ_redis_reply *ret_reply)
{
	/* What came behind the last one is of this one. */
	size_t size = reader->hiredis->len - reader->hiredis->pos;
	enum occ_redis_read result = OCC_REDIS_READ_OK;
	void *whole = NULL;

	reader->hiredis->privdata = ret_reply;
	while (result == OCC_REDIS_READ_OK) {
		if (redisReaderGetReply(reader->hiredis, &whole))
			return ret_reply->text.failed ? OCC_REDIS_READ_MEMORY
						      : OCC_REDIS_READ_STRANGE;
		if (whole)
			return OCC_REDIS_READ_OK;
		if (size > size_max || !look_at_part(reader, ret_reply))
			return OCC_REDIS_READ_LARGE;
		result = feed(reader, transport, time, &size);
	}
	return result;
}

void occ_redis_reply_release(struct occ_redis_reply *reply)
{
	occ_buffer_release(&reply->text);
}
