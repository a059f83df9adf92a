/* SPDX-License-Identifier: MIT */
#include "storage/redis_connection.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "storage/backend.h"
#include "storage/clock.h"
#include "storage/options.h"
#include "storage/redis_error.h"

/* A command as a whole, in request-timeouts. */
#define WHOLE_FACTOR 6

/* What has to have gone before the next byte is waited for. */
#define PIECE_SIZE   ((size_t)256 * 1024)

#define WORDS_MAX    12

/* The server's CLIENT LIST has it. */
#define CLIENT_NAME  "oclcache-storage"

/* A value, and what may be around it. */
#define REPLY_MAX    ((size_t)OCC_ENTRY_SIZE_MAX + (1 << 20))
#define ANSWER_MAX   ((size_t)64 * 1024)

struct occ_redis_connection {
	struct occ_redis_settings settings;
	occ_redis_connect connect;
	struct occ_redis_transport *transport; /* NULL: not connected */
	struct occ_redis_reader *reader;
	bool repeated;
};

struct occ_redis_connection *occ_redis_connection_new(
	const struct occ_redis_settings *settings, occ_redis_connect connect)
{
	struct occ_redis_connection *connection =
		calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	connection->settings = *settings;
	connection->connect = connect;
	return connection;
}

static void disconnect(struct occ_redis_connection *connection)
{
	occ_redis_reader_free(connection->reader);
	connection->reader = NULL;
	if (connection->transport)
		connection->transport->close(connection->transport);
	connection->transport = NULL;
}

void occ_redis_connection_free(struct occ_redis_connection *connection)
{
	if (!connection)
		return;
	disconnect(connection);
	free(connection);
}

bool occ_redis_connection_repeated(
	const struct occ_redis_connection *connection)
{
	return connection->repeated;
}

static struct occ_span word(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

/* The command as bytes, to be freed with redisFreeCommand(). NULL: no memory.
 */
static char *format_command(const struct occ_span *words, size_t count,
			    size_t *ret_size)
{
	const char *texts[WORDS_MAX];
	size_t sizes[WORDS_MAX], sum = 0;
	char *bytes = NULL;
	int size;

	for (size_t i = 0; i < count; i++) {
		texts[i] = words[i].data ? (const char *)words[i].data : "";
		sizes[i] = words[i].size;
		sum += sizes[i];
	}
	/* hiredis counts them in an int. */
	if (sum > REPLY_MAX)
		return NULL;
	size = redisFormatCommandArgv(&bytes, (int)count, texts, sizes);
	*ret_size = size < 0 ? 0 : (size_t)size;
	return size < 0 ? NULL : bytes;
}

static enum occ_redis_io send_command(struct occ_redis_transport *transport,
				      struct occ_span command,
				      const struct occ_redis_time *time)
{
	enum occ_redis_io result = OCC_REDIS_IO_OK;
	struct occ_span piece;

	while (command.size && result == OCC_REDIS_IO_OK) {
		piece = command;
		if (piece.size > PIECE_SIZE)
			piece.size = PIECE_SIZE;
		result = transport->send(transport, piece,
					 occ_redis_time_next(time));
		command.data += piece.size;
		command.size -= piece.size;
	}
	return result;
}

static enum occ_redis_read exchange(struct occ_redis_connection *connection,
				    struct occ_span command, size_t size_max,
				    const struct occ_redis_time *time,
				    struct occ_redis_reply *reply)
{
	switch (send_command(connection->transport, command, time)) {
	case OCC_REDIS_IO_CLOSED:
		return OCC_REDIS_READ_CLOSED;
	case OCC_REDIS_IO_LATE:
		return OCC_REDIS_READ_LATE;
	default:
		return occ_redis_reply_read(connection->reader,
					    connection->transport, time,
					    size_max, reply);
	}
}

static void explain(enum occ_redis_read read,
		    struct occ_backend_error *ret_error)
{
	static const char *const messages[] = {
		[OCC_REDIS_READ_OK] = "",
		[OCC_REDIS_READ_CLOSED] = "the server closed the connection",
		[OCC_REDIS_READ_TORN] =
			"the server closed the connection amid an answer",
		[OCC_REDIS_READ_LATE] = "the server didn't answer in time",
		[OCC_REDIS_READ_LARGE] = "the server's answer is too large",
		[OCC_REDIS_READ_STRANGE] =
			"the answer isn't that of a Redis server",
		[OCC_REDIS_READ_MEMORY] = "out of memory",
	};

	occ_redis_fail(ret_error, false, "%s", messages[read]);
	ret_error->is_late = read == OCC_REDIS_READ_LATE;
}

/* A short command without a value, and its reply. */
static enum occ_redis_read ask(struct occ_redis_connection *connection,
			       const struct occ_span *words, size_t count,
			       const struct occ_redis_time *time,
			       struct occ_redis_reply *reply)
{
	enum occ_redis_read read;
	size_t size;
	char *bytes = format_command(words, count, &size);

	if (!bytes)
		return OCC_REDIS_READ_MEMORY;
	read = exchange(connection,
			(struct occ_span){(unsigned char *)bytes, size},
			ANSWER_MAX, time, reply);
	/* A password may be in it. */
	explicit_bzero(bytes, size);
	redisFreeCommand(bytes);
	return read;
}

/* One of the commands that begin a connection. */
static bool introduce(struct occ_redis_connection *connection,
		      const struct occ_span *words, size_t count,
		      bool is_secret, const struct occ_redis_time *time,
		      struct occ_backend_error *ret_error)
{
	struct occ_redis_reply reply = {0};
	enum occ_redis_read read = ask(connection, words, count, time, &reply);
	bool is_done = read == OCC_REDIS_READ_OK &&
		       reply.kind != OCC_REDIS_REPLY_ERROR;

	if (read != OCC_REDIS_READ_OK)
		explain(read, ret_error);
	else if (!is_done)
		occ_redis_explain(occ_buffer_span(&reply.text), is_secret,
				  ret_error);
	occ_redis_reply_release(&reply);
	return is_done;
}

/* Read anew each time: who hands it out may have changed it. */
static bool authenticate(struct occ_redis_connection *connection,
			 const struct occ_redis_time *time,
			 struct occ_backend_error *ret_error)
{
	const struct occ_redis_settings *settings = &connection->settings;
	char problem[OCC_REMOTE_TEXT_MAX + 1] = "";
	char *secret = NULL;
	struct occ_span words[3] = {word("AUTH")};
	size_t count = 1;
	bool done = true;

	if (!settings->password)
		secret = occ_storage_secret(settings->options, "password",
					    problem, sizeof(problem));
	if (*problem) {
		occ_redis_fail(ret_error, true, "%s", problem);
		occ_storage_secret_free(secret);
		return false;
	}
	if (settings->password || secret) {
		if (settings->user)
			words[count++] = word(settings->user);
		words[count++] = word(secret ? secret : settings->password);
		done = introduce(connection, words, count, true, time,
				 ret_error);
	}
	occ_storage_secret_free(secret);
	return done;
}

static bool select_database(struct occ_redis_connection *connection,
			    const struct occ_redis_time *time,
			    struct occ_backend_error *ret_error)
{
	struct occ_span words[2] = {word("SELECT")};
	char number[16];

	if (!connection->settings.database)
		return true;
	snprintf(number, sizeof(number), "%u", connection->settings.database);
	words[1] = word(number);
	return introduce(connection, words, 2, false, time, ret_error);
}

/* It is for people: a server that doesn't take it, or may not, goes on. */
static bool give_name(struct occ_redis_connection *connection,
		      const struct occ_redis_time *time,
		      struct occ_backend_error *ret_error)
{
	const struct occ_span words[] = {word("CLIENT"), word("SETNAME"),
					 word(CLIENT_NAME)};
	struct occ_redis_reply reply = {0};
	enum occ_redis_read read = ask(connection, words, 3, time, &reply);

	occ_redis_reply_release(&reply);
	if (read != OCC_REDIS_READ_OK)
		explain(read, ret_error);
	return read == OCC_REDIS_READ_OK;
}

static unsigned time_to_connect(const struct occ_redis_connection *connection,
				const struct occ_redis_time *time)
{
	uint64_t now = occ_storage_now();
	uint64_t left = now < time->end ? time->end - now : 0;
	unsigned limit = connection->settings.options->connect_ms;

	return left < limit ? (unsigned)left + 1 : limit;
}

static bool connect_server(struct occ_redis_connection *connection,
			   const struct occ_redis_time *time,
			   struct occ_backend_error *ret_error)
{
	connection->reader = occ_redis_reader_new();
	if (!connection->reader) {
		explain(OCC_REDIS_READ_MEMORY, ret_error);
		return false;
	}
	connection->transport =
		connection->connect(&connection->settings.address,
				    time_to_connect(connection, time),
				    ret_error);
	if (connection->transport &&
	    authenticate(connection, time, ret_error) &&
	    give_name(connection, time, ret_error) &&
	    select_database(connection, time, ret_error))
		return true;
	disconnect(connection);
	return false;
}

/* Open, and without an answer to what wasn't asked. */
static bool is_usable(const struct occ_redis_connection *connection)
{
	return connection->transport &&
	       occ_redis_reader_is_empty(connection->reader) &&
	       connection->transport->is_quiet(connection->transport);
}

/*
 * A connection that was kept may be closed by now, which is seen before a
 * command is sent, or, if it happens just then, from its answer's absence.
 */
static enum occ_redis_read perform(struct occ_redis_connection *connection,
				   struct occ_span command,
				   const struct occ_redis_time *time,
				   struct occ_redis_reply *reply,
				   struct occ_backend_error *ret_error)
{
	enum occ_redis_read read;
	bool kept = is_usable(connection);

	if (!kept)
		disconnect(connection);
	for (;;) {
		if (!connection->transport &&
		    !connect_server(connection, time, ret_error))
			return OCC_REDIS_READ_CLOSED;
		read = exchange(connection, command, REPLY_MAX, time, reply);
		if (read == OCC_REDIS_READ_OK)
			return read;
		disconnect(connection);
		if (read != OCC_REDIS_READ_CLOSED || !kept)
			break;
		kept = false;
		connection->repeated = true;
	}
	explain(read, ret_error);
	return read;
}

bool occ_redis_command(struct occ_redis_connection *connection,
		       const struct occ_span *words, size_t count,
		       struct occ_redis_reply *ret_reply,
		       struct occ_backend_error *ret_error)
{
	unsigned pause = connection->settings.options->request_ms;
	const struct occ_redis_time time = {
		.end = occ_storage_now() + (uint64_t)pause * WHOLE_FACTOR,
		.pause = pause,
	};
	enum occ_redis_read read;
	size_t size;
	char *bytes = format_command(words, count, &size);

	connection->repeated = false;
	if (!bytes) {
		explain(OCC_REDIS_READ_MEMORY, ret_error);
		return false;
	}
	read = perform(connection,
		       (struct occ_span){(unsigned char *)bytes, size}, &time,
		       ret_reply, ret_error);
	redisFreeCommand(bytes);
	if (read != OCC_REDIS_READ_OK)
		return false;
	if (ret_reply->kind != OCC_REDIS_REPLY_ERROR)
		return true;
	occ_redis_explain(occ_buffer_span(&ret_reply->text), false, ret_error);
	/* Another password, or another server of that name, may do. */
	if (ret_error->is_fatal)
		disconnect(connection);
	return false;
}
