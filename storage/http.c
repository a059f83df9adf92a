/* SPDX-License-Identifier: MIT */
/* The backend for http://, https:// and s3://. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/backend.h"
#include "storage/http_exchange.h"
#include "storage/http_settings.h"

#define CODE_SIZE 40

struct occ_backend_connection {
	struct occ_http_settings settings;
	struct occ_http_exchange exchange;
};

static bool check(const struct occ_storage_options *options,
		  struct occ_backend_error *ret_error)
{
	struct occ_http_settings settings;
	bool good = occ_http_settings_make(options, &settings, ret_error);

	occ_http_settings_release(&settings);
	for (size_t i = 0; good && i < options->attribute_count; i++)
		if (!strcmp(options->attributes[i].key, "header") &&
		    !strchr(options->attributes[i].value, '='))
			return occ_http_fail(ret_error,
					     "attribute header isn't "
					     "NAME=VALUE");
	return good;
}

static void close_connection(struct occ_backend_connection *connection)
{
	if (connection->exchange.curl)
		curl_easy_cleanup(connection->exchange.curl);
	occ_buffer_release(&connection->exchange.answer);
	occ_http_settings_release(&connection->settings);
	free(connection);
}

static struct occ_backend_connection *open_connection(
	const struct occ_storage_options *options)
{
	struct occ_backend_connection *connection =
		calloc(1, sizeof(*connection));
	struct occ_backend_error error;

	if (!connection)
		return NULL;
	connection->exchange.settings = &connection->settings;
	connection->exchange.curl = curl_easy_init();
	if (!connection->exchange.curl ||
	    !occ_http_settings_make(options, &connection->settings, &error)) {
		close_connection(connection);
		return NULL;
	}
	return connection;
}

/* What S3 says about a failure: <Code>ExpiredToken</Code>. */
static void append_code(const struct occ_buffer *answer, char *text,
			size_t size)
{
	static const char begin[] = "<Code>";
	const unsigned char *at = answer->size
					  ? memmem(answer->data, answer->size,
						   begin, sizeof(begin) - 1)
					  : NULL;
	size_t used = strlen(text), left, length = 0;

	if (!at)
		return;
	at += sizeof(begin) - 1;
	left = answer->size - (size_t)(at - answer->data);
	while (length < left && length < CODE_SIZE && isalnum(at[length]))
		length++;
	if (length)
		snprintf(text + used, size - used, ", %.*s", (int)length, at);
}

static const char *meaning(long status)
{
	switch (status) {
	case 400:
		return "the server rejects the request";
	case 401:
	case 403:
	case 407:
		return "the server denies access";
	case 405:
	case 501:
		return "the server doesn't allow this method";
	case 413:
		return "the value is too large for the server";
	case 429:
	case 503:
		return "the server is busy";
	case 507:
		return "the server is full";
	default:
		return status >= 300 && status < 400
			       ? "the server redirects elsewhere"
		       : status >= 500 ? "the server failed"
				       : "unexpected answer from the server";
	}
}

/* Those after which the same request may succeed. */
static bool is_temporary(long status)
{
	return status >= 500 ? status != 501
			     : status == 408 || status == 425 || status == 429;
}

static enum occ_remote_result refuse(const struct occ_http_exchange *exchange,
				     struct occ_backend_error *error)
{
	char code[CODE_SIZE + 8] = "";

	if (exchange->settings->is_s3)
		append_code(&exchange->answer, code, sizeof(code));
	snprintf(error->message, sizeof(error->message), "%s (%ld%s)",
		 meaning(exchange->status), exchange->status, code);
	error->is_fatal = !is_temporary(exchange->status);
	error->is_answered = true;
	return OCC_REMOTE_ERROR;
}

/* Asks, and knows the answers that all methods share. */
static enum occ_remote_result ask(struct occ_backend_connection *connection,
				  enum occ_http_method method,
				  struct occ_span key,
				  struct occ_backend_error *error)
{
	struct occ_http_exchange *exchange = &connection->exchange;

	exchange->method = method;
	if (!occ_http_ask(exchange, key, error))
		return OCC_REMOTE_ERROR;
	if (exchange->status == 404 || exchange->status == 410)
		return OCC_REMOTE_NOOP;
	if (exchange->status < 200 || exchange->status > 299)
		return refuse(exchange, error);
	return OCC_REMOTE_OK;
}

static enum occ_remote_result get(struct occ_backend_connection *connection,
				  struct occ_span key,
				  const struct occ_value_sink *sink,
				  struct occ_backend_error *ret_error)
{
	struct occ_http_exchange *exchange = &connection->exchange;
	enum occ_remote_result result;

	exchange->sink = sink;
	result = ask(connection, OCC_HTTP_GET, key, ret_error);
	exchange->sink = NULL;
	/* Of others, such as 206, there is no whole value. */
	if (result == OCC_REMOTE_OK && exchange->status != 200)
		return refuse(exchange, ret_error);
	return result;
}

static enum occ_remote_result exists(struct occ_backend_connection *connection,
				     struct occ_span key,
				     struct occ_backend_error *ret_error)
{
	return ask(connection, OCC_HTTP_HEAD, key, ret_error);
}

static enum occ_remote_result put(struct occ_backend_connection *connection,
				  struct occ_span key, bool overwrite,
				  struct occ_span value,
				  struct occ_backend_error *ret_error)
{
	struct occ_http_exchange *exchange = &connection->exchange;
	enum occ_remote_result result;

	if (!overwrite) {
		result = exists(connection, key, ret_error);
		if (result == OCC_REMOTE_ERROR)
			return result;
		if (result == OCC_REMOTE_OK)
			return OCC_REMOTE_NOOP;
	}
	exchange->body = value;
	result = ask(connection, OCC_HTTP_PUT, key, ret_error);
	exchange->body = (struct occ_span){NULL, 0};
	/* There is no place for it, which isn't that it's there. */
	return result == OCC_REMOTE_NOOP ? refuse(exchange, ret_error) : result;
}

static enum occ_remote_result remove_value(
	struct occ_backend_connection *connection, struct occ_span key,
	struct occ_backend_error *ret_error)
{
	return ask(connection, OCC_HTTP_DELETE, key, ret_error);
}

static const char *const schemes[] = {"http", "https", "s3", NULL};

const struct occ_backend occ_backend_http = {
	.schemes = schemes,
	.check = check,
	.open = open_connection,
	.close = close_connection,
	.get = get,
	.put = put,
	.remove = remove_value,
	.exists = exists,
};
