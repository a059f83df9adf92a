/* SPDX-License-Identifier: MIT */
#include "storage/redis_transport.h"

#include <curl/curl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/backend.h"
#include "storage/clock.h"
#include "storage/redis_error.h"

/* Of a poll(), in ms: no more than a deadline is looked at this often. */
#define WAIT_MAX 1000

struct curl_transport {
	struct occ_redis_transport transport;
	CURL *curl;
	curl_socket_t socket;
};

/* False: the deadline passed. */
static bool await(const struct curl_transport *curl_transport, short events,
		  uint64_t deadline)
{
	struct pollfd poll_fd = {
		.fd = curl_transport->socket,
		.events = events,
	};
	uint64_t now = occ_storage_now();

	if (now >= deadline)
		return false;
	/* Interrupted, or nothing yet: the caller tries and comes again. */
	poll(&poll_fd, 1,
	     deadline - now < WAIT_MAX ? (int)(deadline - now) : WAIT_MAX);
	return true;
}

static enum occ_redis_io send_all(struct occ_redis_transport *transport,
				  struct occ_span bytes, uint64_t deadline)
{
	struct curl_transport *ours = (struct curl_transport *)transport;
	size_t done = 0, sent;
	CURLcode code;

	while (done < bytes.size) {
		sent = 0;
		code = curl_easy_send(ours->curl, bytes.data + done,
				      bytes.size - done, &sent);
		done += sent;
		if (code == CURLE_AGAIN) {
			if (!await(ours, POLLOUT, deadline))
				return OCC_REDIS_IO_LATE;
		} else if (code) {
			return OCC_REDIS_IO_CLOSED;
		} else if (occ_storage_now() >= deadline) {
			/* One who takes a little at a time. */
			return OCC_REDIS_IO_LATE;
		}
	}
	return OCC_REDIS_IO_OK;
}

static enum occ_redis_io receive(struct occ_redis_transport *transport,
				 void *data, size_t size, uint64_t deadline,
				 size_t *ret_size)
{
	struct curl_transport *ours = (struct curl_transport *)transport;
	CURLcode code;

	/* First of all: TLS may have bytes that poll() doesn't know of. */
	while ((code = curl_easy_recv(ours->curl, data, size, ret_size)) ==
	       CURLE_AGAIN)
		if (!await(ours, POLLIN, deadline))
			return OCC_REDIS_IO_LATE;
	if (code || !*ret_size)
		return OCC_REDIS_IO_CLOSED;
	return occ_storage_now() < deadline ? OCC_REDIS_IO_OK
					    : OCC_REDIS_IO_LATE;
}

static bool is_quiet(struct occ_redis_transport *transport)
{
	struct curl_transport *ours = (struct curl_transport *)transport;
	size_t size = 0;
	char byte;

	return curl_easy_recv(ours->curl, &byte, 1, &size) == CURLE_AGAIN;
}

static void close_transport(struct occ_redis_transport *transport)
{
	struct curl_transport *ours = (struct curl_transport *)transport;

	curl_easy_cleanup(ours->curl);
	free(ours);
}

static CURLcode set_tls(CURL *curl, const struct occ_redis_address *address)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_SSL_ENABLE_ALPN, 0L);

	if (!code && address->ca_file)
		code = curl_easy_setopt(curl, CURLOPT_CAINFO, address->ca_file);
	/* What the file has, and nothing of the system's. */
	if (!code && address->ca_file)
		code = curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	if (!code && address->client_certificate)
		code = curl_easy_setopt(curl, CURLOPT_SSLCERT,
					address->client_certificate);
	if (!code && address->client_key)
		code = curl_easy_setopt(curl, CURLOPT_SSLKEY,
					address->client_key);
	return code;
}

static CURLcode set_url(CURL *curl, const struct occ_redis_address *address)
{
	const char *scheme = address->tls ? "https" : "http";
	bool is_ipv6 = address->host && strchr(address->host, ':');
	char url[512];
	int length;

	if (address->socket) {
		CURLcode code = curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH,
						 address->socket);

		return code ? code
			    : curl_easy_setopt(curl, CURLOPT_URL,
					       "http://localhost");
	}
	length = snprintf(url, sizeof(url), "%s://%s%s%s:%u", scheme,
			  is_ipv6 ? "[" : "", address->host, is_ipv6 ? "]" : "",
			  address->port);
	if (length < 0 || (size_t)length >= sizeof(url))
		return CURLE_URL_MALFORMAT;
	return curl_easy_setopt(curl, CURLOPT_URL, url);
}

/* The scheme is only for whether there is TLS: nothing of HTTP is spoken. */
static CURLcode set_options(CURL *curl, const struct occ_redis_address *address,
			    unsigned milliseconds)
{
	const struct {
		CURLoption option;
		long value;
	} numbers[] = {
		{CURLOPT_CONNECT_ONLY, 1},
		{CURLOPT_CONNECTTIMEOUT_MS, (long)milliseconds},
		{CURLOPT_NOSIGNAL, 1},
		/* Doesn't wait for a name that isn't resolved in time. */
		{CURLOPT_QUICK_EXIT, 1},
		{CURLOPT_TCP_KEEPALIVE, 1},
	};
	CURLcode code = set_url(curl, address);

	for (size_t i = 0; !code && i < sizeof(numbers) / sizeof(*numbers); i++)
		code = curl_easy_setopt(curl, numbers[i].option,
					numbers[i].value);
	/* Not by the environment's, either. */
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_PROXY, "");
	if (!code && address->tls)
		code = set_tls(curl, address);
	return code;
}

static void explain(CURL *curl, CURLcode code, struct occ_backend_error *error)
{
	long number = 0;

	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		occ_redis_fail(error, false, "can't resolve the server's name");
		break;
	case CURLE_COULDNT_CONNECT:
		curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number);
		occ_redis_fail(error, false, "no connection to the server%s%s",
			       number ? ": " : "",
			       number ? strerror((int)number) : "");
		break;
	case CURLE_OPERATION_TIMEDOUT:
		occ_redis_fail(error, false,
			       "the server didn't answer in time");
		error->is_late = true;
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
		occ_redis_fail(error, true,
			       "the server's certificate isn't trusted");
		break;
	case CURLE_SSL_CACERT_BADFILE:
		occ_redis_fail(error, true, "can't read ca-file");
		break;
	case CURLE_SSL_CERTPROBLEM:
		occ_redis_fail(error, true,
			       "can't use client-cert or client-key");
		break;
	default:
		occ_redis_fail(error, false, "no connection to the server: %s",
			       curl_easy_strerror(code));
	}
}

static struct occ_redis_transport *adopt(CURL *curl)
{
	struct curl_transport *ours = calloc(1, sizeof(*ours));

	if (!ours)
		return NULL;
	ours->transport.send = send_all;
	ours->transport.receive = receive;
	ours->transport.is_quiet = is_quiet;
	ours->transport.close = close_transport;
	ours->curl = curl;
	if (!curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &ours->socket) &&
	    ours->socket != CURL_SOCKET_BAD)
		return &ours->transport;
	free(ours);
	return NULL;
}

struct occ_redis_transport *occ_redis_transport_connect(
	const struct occ_redis_address *address, unsigned milliseconds,
	struct occ_backend_error *ret_error)
{
	CURL *curl = curl_easy_init();
	struct occ_redis_transport *transport = NULL;
	CURLcode code;

	if (!curl) {
		occ_redis_fail(ret_error, false, "out of memory");
		return NULL;
	}
	code = set_options(curl, address, milliseconds);
	if (!code)
		code = curl_easy_perform(curl);
	if (code)
		explain(curl, code, ret_error);
	else if (!(transport = adopt(curl)))
		occ_redis_fail(ret_error, false, "no connection to the server");
	if (!transport)
		curl_easy_cleanup(curl);
	return transport;
}
