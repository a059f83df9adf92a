/* SPDX-License-Identifier: MIT */
/*
 * The backend for redis://, rediss:// and redis+unix://. Keys have the names,
 * and values the bytes, that ccache's own storage gives them.
 */
#include "storage/redis_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/lease.h"
#include "storage/options.h"
#include "storage/redis_error.h"

/*
 * Values from this size on aren't sent before it is known that they are
 * wanted: asking takes less than they do.
 */
#define ASK_SIZE ((size_t)16 << 10)

void occ_redis_name(const struct occ_backend_connection *connection,
		    struct occ_span key, const char *ending,
		    char ret_name[OCC_REDIS_NAME_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	int size = snprintf(ret_name, OCC_REDIS_NAME_SIZE,
			    "%s:", connection->settings.prefix);
	char *at = ret_name + size;

	for (size_t i = 0; i < key.size; i++) {
		*at++ = digits[key.data[i] >> 4];
		*at++ = digits[key.data[i] & 15];
	}
	memcpy(at, ending, strlen(ending) + 1);
}

struct occ_span occ_redis_word(const char *text)
{
	return (struct occ_span){(const unsigned char *)text, strlen(text)};
}

static enum occ_remote_result strange(struct occ_backend_error *ret_error)
{
	occ_redis_fail(ret_error, false,
		       "the server's answer doesn't match the command");
	return OCC_REMOTE_ERROR;
}

enum occ_remote_result occ_redis_count(
	struct occ_backend_connection *connection, const struct occ_span *words,
	size_t count, struct occ_backend_error *ret_error)
{
	struct occ_redis_reply reply = {0};
	enum occ_remote_result result = OCC_REMOTE_ERROR;

	if (!occ_redis_command(connection->redis, words, count, &reply,
			       ret_error))
		result = OCC_REMOTE_ERROR;
	else if (reply.kind == OCC_REDIS_REPLY_INTEGER && reply.integer >= 0)
		result = reply.integer ? OCC_REMOTE_OK : OCC_REMOTE_NOOP;
	else
		result = strange(ret_error);
	occ_redis_reply_release(&reply);
	return result;
}

enum occ_remote_result occ_redis_set(struct occ_backend_connection *connection,
				     const struct occ_span *words, size_t count,
				     struct occ_backend_error *ret_error)
{
	struct occ_redis_reply reply = {0};
	enum occ_remote_result result = OCC_REMOTE_ERROR;

	if (!occ_redis_command(connection->redis, words, count, &reply,
			       ret_error))
		result = OCC_REMOTE_ERROR;
	else if (reply.kind == OCC_REDIS_REPLY_STATUS)
		result = OCC_REMOTE_OK;
	else if (reply.kind == OCC_REDIS_REPLY_NIL)
		result = OCC_REMOTE_NOOP;
	else
		result = strange(ret_error);
	occ_redis_reply_release(&reply);
	return result;
}

static bool check(const struct occ_storage_options *options,
		  struct occ_backend_error *ret_error)
{
	static const char *const known[] = {
		"prefix",      "ttl",	     "db",	   "user", "ca-file",
		"client-cert", "client-key", "lease-time", NULL,
	};
	static const char *const secrets[] = {"password", NULL};
	struct occ_redis_settings settings;

	occ_redis_fail(ret_error, true, "%s", "");
	return occ_storage_attributes_check(options, known, secrets,
					    ret_error->message,
					    sizeof(ret_error->message)) &&
	       occ_redis_settings_read(options, &settings, ret_error) &&
	       occ_leases_check(options, ret_error);
}

static void close_connection(struct occ_backend_connection *connection)
{
	if (!connection)
		return;
	occ_redis_connection_free(connection->redis);
	free(connection);
}

static struct occ_backend_connection *open_connection(
	const struct occ_storage_options *options)
{
	struct occ_backend_connection *connection =
		calloc(1, sizeof(*connection));
	struct occ_backend_error error = {.is_fatal = false};

	if (!connection)
		return NULL;
	if (occ_redis_settings_read(options, &connection->settings, &error))
		connection->redis =
			occ_redis_connection_new(&connection->settings,
						 occ_redis_transport_connect);
	if (connection->redis)
		return connection;
	close_connection(connection);
	return NULL;
}

static enum occ_remote_result get(struct occ_backend_connection *connection,
				  struct occ_span key,
				  const struct occ_value_sink *sink,
				  struct occ_backend_error *ret_error)
{
	char name[OCC_REDIS_NAME_SIZE];
	struct occ_span words[2] = {occ_redis_word("GET")};
	struct occ_redis_reply reply = {.sink = sink};
	enum occ_remote_result result;

	occ_redis_name(connection, key, "", name);
	words[1] = occ_redis_word(name);
	if (!occ_redis_command(connection->redis, words, 2, &reply,
			       ret_error)) {
		result = OCC_REMOTE_ERROR;
	} else if (reply.kind == OCC_REDIS_REPLY_STRING) {
		result = OCC_REMOTE_OK;
	} else {
		result = reply.kind == OCC_REDIS_REPLY_NIL ? OCC_REMOTE_NOOP
							   : strange(ret_error);
	}
	occ_redis_reply_release(&reply);
	return result;
}

static enum occ_remote_result count_key(
	struct occ_backend_connection *connection, const char *command,
	struct occ_span key, struct occ_backend_error *ret_error)
{
	char name[OCC_REDIS_NAME_SIZE];
	struct occ_span words[2] = {occ_redis_word(command)};

	occ_redis_name(connection, key, "", name);
	words[1] = occ_redis_word(name);
	return occ_redis_count(connection, words, 2, ret_error);
}

static enum occ_remote_result exists(struct occ_backend_connection *connection,
				     struct occ_span key,
				     struct occ_backend_error *ret_error)
{
	return count_key(connection, "EXISTS", key, ret_error);
}

static enum occ_remote_result remove_key(
	struct occ_backend_connection *connection, struct occ_span key,
	struct occ_backend_error *ret_error)
{
	return count_key(connection, "DEL", key, ret_error);
}

static enum occ_remote_result set(struct occ_backend_connection *connection,
				  struct occ_span key, bool overwrite,
				  struct occ_span value,
				  struct occ_backend_error *ret_error)
{
	char name[OCC_REDIS_NAME_SIZE], ttl[16];
	struct occ_span words[6] = {occ_redis_word("SET")};
	size_t count = 3;

	occ_redis_name(connection, key, "", name);
	words[1] = occ_redis_word(name);
	words[2] = value;
	if (!overwrite)
		words[count++] = occ_redis_word("NX");
	if (connection->settings.ttl_s) {
		snprintf(ttl, sizeof(ttl), "%u", connection->settings.ttl_s);
		words[count++] = occ_redis_word("EX");
		words[count++] = occ_redis_word(ttl);
	}
	return occ_redis_set(connection, words, count, ret_error);
}

static enum occ_remote_result put(struct occ_backend_connection *connection,
				  struct occ_span key, bool overwrite,
				  struct occ_span value,
				  struct occ_backend_error *ret_error)
{
	enum occ_remote_result there;

	if (!overwrite && value.size >= ASK_SIZE) {
		there = exists(connection, key, ret_error);
		if (there != OCC_REMOTE_NOOP)
			return there == OCC_REMOTE_OK ? OCC_REMOTE_NOOP : there;
	}
	return set(connection, key, overwrite, value, ret_error);
}

static const char *const schemes[] = {"redis", "rediss", "redis+unix", NULL};

const struct occ_backend occ_backend_redis = {
	.schemes = schemes,
	.check = check,
	.open = open_connection,
	.close = close_connection,
	.get = get,
	.put = put,
	.remove = remove_key,
	.exists = exists,
	.lease = occ_redis_lease,
	.renew = occ_redis_renew,
	.release = occ_redis_release,
};
