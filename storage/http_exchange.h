/* SPDX-License-Identifier: MIT */
/*
 * One request of HTTP and its answer, over a connection that is kept.
 *
 * Certificates are verified. A redirection is followed only to the same server,
 * and never from TLS to none: credentials go where the user has sent them. They
 * are read anew for each request, as tokens in files change.
 *
 * A struct is one thread's at a time.
 */
#ifndef OCC_STORAGE_HTTP_EXCHANGE_H
#define OCC_STORAGE_HTTP_EXCHANGE_H

#include <curl/curl.h>

#include "storage/http_settings.h"

enum occ_http_method {
	OCC_HTTP_GET,
	OCC_HTTP_HEAD,
	OCC_HTTP_PUT,
	OCC_HTTP_DELETE,
};

struct occ_http_exchange {
	const struct occ_http_settings *settings;
	CURL *curl;
	enum occ_http_method method;
	struct occ_span body; /* of PUT */
	size_t body_sent;
	const struct occ_value_sink *sink; /* of GET */
	bool has_begun;			   /* it has bytes */
	struct occ_buffer answer; /* of others; of a failure its beginning */
	long status;		  /* HTTP's; 0: there was no answer */
	struct curl_slist *headers;
	char reason[CURL_ERROR_SIZE];
	bool is_too_large;
	bool has_all_headers;
};

/*
 * Asks. True: there is an answer, with `status`. False: there is none; why is
 * in *ret_error. `answer` is released before the next one.
 */
bool occ_http_ask(struct occ_http_exchange *exchange, struct occ_span key,
		  struct occ_backend_error *ret_error);

/* Adds a header, which is wiped when the exchange is over. */
bool occ_http_add_header(struct occ_http_exchange *exchange, const char *name,
			 const char *value);

#endif
