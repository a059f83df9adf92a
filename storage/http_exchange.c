/* SPDX-License-Identifier: MIT */
#include "storage/http_exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/version.h"
#include "storage/http_credentials.h"

#define REDIRECTIONS_MAX 3
/* Slower than this for the whole of request-timeout is a stall. */
#define BYTES_PER_SECOND 1024
/* A request as a whole, in request-timeouts. */
#define WHOLE_FACTOR	 6
/* Servers of S3 answer at once. */
#define PERMISSION_MS	 200
/* Entries are of 10 kB to some MB: with libcurl's 16 kB, calls are what costs.
 */
#define BUFFER_SIZE	 262144
#define FAILURE_SIZE_MAX 4096
/* Of what isn't a value. */
#define ANSWER_SIZE_MAX	 (1 << 20)

/* False: no more of it is wanted. */
static bool take_value(struct occ_http_exchange *exchange,
		       struct occ_span bytes)
{
	const struct occ_value_sink *sink = exchange->sink;
	curl_off_t size = -1;

	if (!exchange->has_begun) {
		exchange->has_begun = true;
		curl_easy_getinfo(exchange->curl,
				  CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
		if (size >= 0 && !sink->size(sink->context, (uint64_t)size))
			return false;
	}
	return sink->take(sink->context, bytes);
}

static size_t take_answer(char *data, size_t one, size_t size, void *context)
{
	struct occ_http_exchange *exchange = context;
	long status = 0;

	(void)one;
	curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 || status > 299) {
		size_t room = FAILURE_SIZE_MAX - exchange->answer.size;

		occ_buffer_append(&exchange->answer, data,
				  size < room ? size : room);
		return size;
	}
	if (status == 200 && exchange->sink)
		return take_value(exchange,
				  (struct occ_span){(unsigned char *)data,
						    size})
			       ? size
			       : 0;
	if (size > ANSWER_SIZE_MAX - exchange->answer.size) {
		exchange->is_too_large = true;
		return 0;
	}
	occ_buffer_append(&exchange->answer, data, size);
	return exchange->answer.failed ? 0 : size;
}

/* A line at a time, of each answer that there is until the last. */
static size_t take_header(char *data, size_t one, size_t size, void *context)
{
	struct occ_http_exchange *exchange = context;

	(void)one;
	if (size >= 5 && !memcmp(data, "HTTP/", 5))
		exchange->has_all_headers = false;
	else if (size && (*data == '\r' || *data == '\n'))
		exchange->has_all_headers = true;
	return size;
}

static size_t give_body(char *data, size_t one, size_t size, void *context)
{
	struct occ_http_exchange *exchange = context;
	size_t left = exchange->body.size - exchange->body_sent;

	size = size * one < left ? size * one : left;
	if (size)
		memcpy(data, exchange->body.data + exchange->body_sent, size);
	exchange->body_sent += size;
	return size;
}

/* When a kept connection turns out to be closed. */
static int rewind_body(void *context, curl_off_t offset, int origin)
{
	struct occ_http_exchange *exchange = context;

	if (origin != SEEK_SET || offset < 0 ||
	    (uint64_t)offset > exchange->body.size)
		return CURL_SEEKFUNC_FAIL;
	exchange->body_sent = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

static bool add_line(struct occ_http_exchange *exchange, const char *line)
{
	struct curl_slist *headers = curl_slist_append(exchange->headers, line);

	if (headers)
		exchange->headers = headers;
	return headers != NULL;
}

bool occ_http_add_header(struct occ_http_exchange *exchange, const char *name,
			 const char *value)
{
	size_t size = strlen(name) + strlen(value) + 3;
	char *line = malloc(size);
	bool added;

	if (!line)
		return false;
	/* libcurl drops a header that has no value, unless it ends so. */
	if (*value)
		snprintf(line, size, "%s: %s", name, value);
	else
		snprintf(line, size, "%s;", name);
	added = add_line(exchange, line);
	occ_storage_secret_free(line);
	return added;
}

static void free_headers(struct occ_http_exchange *exchange)
{
	for (struct curl_slist *at = exchange->headers; at; at = at->next)
		explicit_bzero(at->data, strlen(at->data));
	curl_slist_free_all(exchange->headers);
	exchange->headers = NULL;
}

static void set_times(struct occ_http_exchange *exchange)
{
	const struct occ_storage_options *options = exchange->settings->options;
	long seconds = (options->request_ms + 999) / 1000;
	CURL *curl = exchange->curl;

	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE,
			 (curl_off_t)OCC_ENTRY_SIZE_MAX);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)options->connect_ms);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)BYTES_PER_SECOND);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
			 (long)options->request_ms *
				 (exchange->method == OCC_HTTP_HEAD ||
						  exchange->method ==
							  OCC_HTTP_DELETE
					  ? 1
					  : WHOLE_FACTOR));
	curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
}

static void set_method(struct occ_http_exchange *exchange)
{
	CURL *curl = exchange->curl;

	switch (exchange->method) {
	case OCC_HTTP_GET:
		curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
		break;
	case OCC_HTTP_HEAD:
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
		break;
	case OCC_HTTP_DELETE:
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, "DELETE");
		break;
	case OCC_HTTP_PUT:
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
				 (curl_off_t)exchange->body.size);
		curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
		curl_easy_setopt(curl, CURLOPT_READDATA, exchange);
		curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, rewind_body);
		curl_easy_setopt(curl, CURLOPT_SEEKDATA, exchange);
		break;
	}
}

static void set_attribute(struct occ_http_exchange *exchange, CURLoption option,
			  const char *name)
{
	const char *value =
		occ_storage_attribute(exchange->settings->options, name);

	if (value)
		curl_easy_setopt(exchange->curl, option, value);
}

/*
 * Nothing is gained by waiting for the server's permission. With a signature
 * libcurl 7.88 would sign the header that it then doesn't send.
 */
static bool set_put_headers(struct occ_http_exchange *exchange)
{
	if (!occ_http_add_header(exchange, "Content-Type",
				 "application/octet-stream"))
		return false;
	if (!exchange->settings->is_s3)
		return add_line(exchange, "Expect:");
	curl_easy_setopt(exchange->curl, CURLOPT_EXPECT_100_TIMEOUT_MS,
			 (long)PERMISSION_MS);
	return true;
}

/* OpenSSL's variables, which libcurl leaves to its callers. */
static void set_authorities(struct occ_http_exchange *exchange)
{
	const char *file = getenv("SSL_CERT_FILE");
	const char *directory = getenv("SSL_CERT_DIR");

	if (file)
		curl_easy_setopt(exchange->curl, CURLOPT_CAINFO, file);
	if (directory)
		curl_easy_setopt(exchange->curl, CURLOPT_CAPATH, directory);
	set_attribute(exchange, CURLOPT_CAINFO, "ca-file");
}

static bool prepare(struct occ_http_exchange *exchange,
		    struct occ_backend_error *error)
{
	CURL *curl = exchange->curl;

	/* Keeps connections, and what was learnt about TLS and names. */
	curl_easy_reset(curl);
	occ_buffer_release(&exchange->answer);
	exchange->status = 0;
	exchange->body_sent = 0;
	exchange->is_too_large = false;
	exchange->has_all_headers = false;
	exchange->has_begun = false;
	*exchange->reason = '\0';
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->reason);
	curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)BUFFER_SIZE);
	curl_easy_setopt(curl, CURLOPT_UPLOAD_BUFFERSIZE, (long)BUFFER_SIZE);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_USERAGENT,
			 "oclcache-storage/" OCC_VERSION);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, exchange);
	curl_easy_setopt(curl, CURLOPT_SSLVERSION,
			 (long)CURL_SSLVERSION_TLSv1_2);
	set_authorities(exchange);
	set_attribute(exchange, CURLOPT_SSLCERT, "client-cert");
	set_attribute(exchange, CURLOPT_SSLKEY, "client-key");
	set_times(exchange);
	set_method(exchange);
	if (exchange->method == OCC_HTTP_PUT && !set_put_headers(exchange)) {
		snprintf(error->message, sizeof(error->message),
			 "out of memory");
		return false;
	}
	if (!occ_http_set_credentials(exchange, error))
		return false;
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, exchange->headers);
	return true;
}

/* Text of others, for a line of ours. */
static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
}

static void explain(struct occ_http_exchange *exchange, CURLcode code,
		    struct occ_backend_error *error)
{
	const char *reason =
		*exchange->reason ? exchange->reason : curl_easy_strerror(code);

	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
		error->is_fatal = true;
		snprintf(error->message, sizeof(error->message), "TLS: %.200s",
			 reason);
		break;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
		snprintf(error->message, sizeof(error->message), "%.200s",
			 reason);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		snprintf(error->message, sizeof(error->message),
			 "the server didn't answer in time");
		error->is_late = true;
		break;
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		snprintf(error->message, sizeof(error->message),
			 "the server closed the connection");
		break;
	default:
		snprintf(error->message, sizeof(error->message),
			 exchange->is_too_large
				 ? "the server's value is too large"
				 : "%.200s",
			 curl_easy_strerror(code));
	}
	clean(error->message);
}

static bool has_same(CURLU *one, CURLU *other, CURLUPart part)
{
	char *mine = NULL, *its = NULL;
	bool same = curl_url_get(one, part, &mine, CURLU_DEFAULT_PORT) ==
			    CURLUE_OK &&
		    curl_url_get(other, part, &its, CURLU_DEFAULT_PORT) ==
			    CURLUE_OK &&
		    !strcasecmp(mine, its);

	curl_free(mine);
	curl_free(its);
	return same;
}

static bool has_scheme(CURLU *url, const char *scheme)
{
	char *found = NULL;
	bool has =
		curl_url_get(url, CURLUPART_SCHEME, &found, 0) == CURLUE_OK &&
		!strcmp(found, scheme);

	curl_free(found);
	return has;
}

static bool may_follow(const char *from, const char *to)
{
	CURLU *old = curl_url(), *new = curl_url();
	bool may =
		old &&
		new &&curl_url_set(old, CURLUPART_URL, from, 0) ==
			CURLUE_OK &&curl_url_set(new, CURLUPART_URL, to, 0) ==
			CURLUE_OK &&has_same(old, new, CURLUPART_HOST) &&
		(has_same(old, new, CURLUPART_SCHEME)
			 ? has_same(old, new, CURLUPART_PORT)
			 : has_scheme(new, "https"));

	curl_url_cleanup(old);
	curl_url_cleanup(new);
	return may;
}

/* Where a redirection leads that is followed; NULL: not one. To be freed. */
static char *redirection(const struct occ_http_exchange *exchange,
			 const char *url)
{
	char *to = NULL;
	bool keeps_method = exchange->status == 307 || exchange->status == 308;

	if (exchange->status < 301 || exchange->status > 308 ||
	    (!keeps_method && exchange->method != OCC_HTTP_GET &&
	     exchange->method != OCC_HTTP_HEAD))
		return NULL;
	curl_easy_getinfo(exchange->curl, CURLINFO_REDIRECT_URL, &to);
	return to && may_follow(url, to) ? strdup(to) : NULL;
}

static bool ask_once(struct occ_http_exchange *exchange, const char *url,
		     struct occ_backend_error *error)
{
	CURLcode code;

	if (!prepare(exchange, error)) {
		free_headers(exchange);
		return false;
	}
	curl_easy_setopt(exchange->curl, CURLOPT_URL, url);
	code = curl_easy_perform(exchange->curl);
	curl_easy_getinfo(exchange->curl, CURLINFO_RESPONSE_CODE,
			  &exchange->status);
	free_headers(exchange);
	/* Of an answer that ends among its headers libcurl makes an empty one.
	 */
	if (code == CURLE_OK && !exchange->has_all_headers)
		code = CURLE_PARTIAL_FILE;
	if (code == CURLE_OK)
		return true;
	explain(exchange, code, error);
	return false;
}

bool occ_http_ask(struct occ_http_exchange *exchange, struct occ_span key,
		  struct occ_backend_error *ret_error)
{
	char *url = occ_http_url(exchange->settings, key), *next = NULL;
	bool good = false;

	if (!url)
		snprintf(ret_error->message, sizeof(ret_error->message),
			 "out of memory");
	for (int i = 0; url && i <= REDIRECTIONS_MAX; i++) {
		good = ask_once(exchange, url, ret_error);
		next = good ? redirection(exchange, url) : NULL;
		if (!next)
			break;
		occ_storage_secret_free(url);
		url = next;
	}
	occ_storage_secret_free(url);
	return good;
}
