/* SPDX-License-Identifier: MIT */
/*
 * storage/redis*.h: any bytes as a server's replies, in pieces of a size that
 * the first byte says, on each of its connections. A value that is got was
 * sent, is the same in whatever pieces it comes, and a failure says why.
 */
#include "tests/fuzz/fuzz.h"

#include "storage/options.h"
#include "storage/redis_internal.h"
#include "tests/unit/redis_fake.h"

static const struct occ_span key = {(const unsigned char *)"key", 3};

static struct occ_backend_connection *begin(struct occ_storage_options *options,
					    const uint8_t *data, size_t size,
					    size_t piece, bool closes)
{
	struct occ_backend_connection *connection =
		calloc(1, sizeof(*connection));
	struct occ_backend_error error;

	memset(&fake, 0, sizeof(fake));
	fake.piece = piece;
	for (size_t i = 0; i < FAKE_SCRIPTS_MAX; i++)
		fake.scripts[i] =
			(struct fake_script){.bytes = (const char *)data,
					     .size = size,
					     .stalls = !closes || i % 2};
	fuzz_expect(connection && occ_redis_settings_read(options,
							  &connection->settings,
							  &error),
		    "settings");
	connection->redis =
		occ_redis_connection_new(&connection->settings, fake_connect);
	fuzz_expect(connection->redis, "a connection");
	return connection;
}

static void end(struct occ_backend_connection *connection)
{
	occ_backend_redis.close(connection);
	fuzz_expect(!fake.open, "all are closed");
	occ_buffer_release(&fake.sent);
}

static enum occ_remote_result expect_result(enum occ_remote_result result,
					    struct occ_backend_error *error)
{
	fuzz_expect(result == OCC_REMOTE_OK || result == OCC_REMOTE_NOOP ||
			    (result == OCC_REMOTE_ERROR && *error->message &&
			     memchr(error->message, '\0',
				    sizeof(error->message))),
		    "a result");
	error->message[0] = '\0';
	return result;
}

static bool take_size(void *context, uint64_t size)
{
	(void)context;
	(void)size;
	return true;
}

static bool take_bytes(void *context, struct occ_span bytes)
{
	struct occ_buffer *value = context;

	occ_buffer_append(value, bytes.data, bytes.size);
	return !value->failed;
}

/* One get; its value, or what came of it, is the caller's. */
static enum occ_remote_result get(struct occ_storage_options *options,
				  const uint8_t *data, size_t size,
				  size_t piece, struct occ_buffer *ret_value)
{
	struct occ_backend_connection *connection =
		begin(options, data, size, piece, false);
	struct occ_backend_error error = {{0}, false, false};
	const struct occ_value_sink sink = {take_size, take_bytes, ret_value};
	enum occ_remote_result result = expect_result(
		occ_backend_redis.get(connection, key, &sink, &error), &error);

	fuzz_expect(result != OCC_REMOTE_NOOP || !ret_value->size,
		    "a value only if there is one");
	fuzz_expect(ret_value->size <= size, "a value that was sent");
	/* What came of one that isn't whole depends on the pieces. */
	if (result == OCC_REMOTE_ERROR)
		occ_buffer_release(ret_value);
	end(connection);
	return result;
}

static void expect_same(struct occ_storage_options *options,
			const uint8_t *data, size_t size, size_t piece)
{
	struct occ_buffer one = OCC_BUFFER_INIT, other = OCC_BUFFER_INIT;

	fuzz_expect(get(options, data, size, 1, &one) ==
			    get(options, data, size, piece, &other),
		    "the same in pieces");
	fuzz_expect(fuzz_same(occ_buffer_span(&one), occ_buffer_span(&other)),
		    "the same bytes in pieces");
	occ_buffer_release(&one);
	occ_buffer_release(&other);
}

/* Whatever state each of them leaves the connection in. */
static void play(struct occ_storage_options *options, const uint8_t *data,
		 size_t size, size_t piece)
{
	const struct occ_backend *backend = &occ_backend_redis;
	struct occ_backend_connection *connection =
		begin(options, data, size, piece, true);
	struct occ_backend_error error = {{0}, false, false};
	const unsigned char token[16] = {1};
	struct occ_buffer value = OCC_BUFFER_INIT;
	const struct occ_value_sink sink = {take_size, take_bytes, &value};

	expect_result(backend->exists(connection, key, &error), &error);
	expect_result(backend->put(connection, key, false, key, &error),
		      &error);
	expect_result(backend->lease(connection, key, token, 1, &error),
		      &error);
	expect_result(backend->get(connection, key, &sink, &error), &error);
	expect_result(backend->release(connection, key, token, true, &error),
		      &error);
	occ_buffer_release(&value);
	end(connection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct occ_storage_options options = {
		.scheme = (char *)"redis",
		.host = (char *)"localhost",
		.path = (char *)"",
		.user = (char *)"user",
		.password = (char *)"secret",
		.request_ms = 1000,
	};
	unsigned char *replies;

	if (!size)
		return 0;
	replies = fuzz_copy(data + 1, size - 1);
	expect_same(&options, replies, size - 1, data[0] + (size_t)1);
	play(&options, replies, size - 1, data[0] + (size_t)1);
	free(replies);
	return 0;
}
