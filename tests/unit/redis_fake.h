/* SPDX-License-Identifier: MIT */
/*
 * A Redis server that says what a test has written down: each connection sends
 * the next script's bytes, in pieces of a given size, and then is closed, or
 * says nothing more. What was sent to it is kept.
 *
 * One at a time: `fake`.
 */
#ifndef TESTS_UNIT_REDIS_FAKE_H
#define TESTS_UNIT_REDIS_FAKE_H

#include "storage/backend.h"
#include "storage/redis_transport.h"

#define FAKE_SCRIPTS_MAX 4

struct fake_script {
	const char *bytes; /* NULL: the connection is refused */
	size_t size;
	bool stalls; /* behind the bytes; else it is closed */
	/* Closed, as is seen before a command is sent, after so many bytes. */
	size_t dead_at; /* 0: never */
};

struct fake {
	struct fake_script scripts[FAKE_SCRIPTS_MAX];
	size_t piece; /* 0: as much as is wanted */
	size_t connections, open;
	struct occ_buffer sent;
};

static struct fake fake;

struct fake_transport {
	struct occ_redis_transport transport;
	const struct fake_script *script;
	size_t at;
};

static enum occ_redis_io fake_send(struct occ_redis_transport *transport,
				   struct occ_span bytes, uint64_t deadline)
{
	struct fake_transport *ours = (struct fake_transport *)transport;

	(void)deadline;
	occ_buffer_append(&fake.sent, bytes.data, bytes.size);
	return ours->at < ours->script->size || ours->script->stalls
		       ? OCC_REDIS_IO_OK
		       : OCC_REDIS_IO_CLOSED;
}

static enum occ_redis_io fake_receive(struct occ_redis_transport *transport,
				      void *data, size_t size,
				      uint64_t deadline, size_t *ret_size)
{
	struct fake_transport *ours = (struct fake_transport *)transport;
	size_t left = ours->script->size - ours->at;

	(void)deadline;
	if (!left)
		return ours->script->stalls ? OCC_REDIS_IO_LATE
					    : OCC_REDIS_IO_CLOSED;
	if (fake.piece && size > fake.piece)
		size = fake.piece;
	if (size > left)
		size = left;
	memcpy(data, ours->script->bytes + ours->at, size);
	ours->at += size;
	*ret_size = size;
	return OCC_REDIS_IO_OK;
}

static bool fake_is_quiet(struct occ_redis_transport *transport)
{
	struct fake_transport *ours = (struct fake_transport *)transport;

	return !ours->script->dead_at || ours->at < ours->script->dead_at;
}

static void fake_close(struct occ_redis_transport *transport)
{
	fake.open--;
	free(transport);
}

static struct occ_redis_transport *fake_connect(
	const struct occ_redis_address *address, unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	struct fake_transport *ours = calloc(1, sizeof(*ours));

	(void)address;
	(void)milliseconds;
	if (fake.connections >= FAKE_SCRIPTS_MAX ||
	    !fake.scripts[fake.connections].bytes) {
		fake.connections++;
		free(ours);
		strcpy(ret_error->message, "refused");
		return NULL;
	}
	ours->transport.send = fake_send;
	ours->transport.receive = fake_receive;
	ours->transport.is_quiet = fake_is_quiet;
	ours->transport.close = fake_close;
	ours->script = &fake.scripts[fake.connections++];
	fake.open++;
	return &ours->transport;
}

#endif
