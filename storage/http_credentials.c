/* SPDX-License-Identifier: MIT */
#include "storage/http_credentials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/s3_credentials.h"

/* *ret_secret is NULL where there is none. */
static bool read_secret(struct occ_http_exchange *exchange, const char *key,
			char **ret_secret, struct occ_backend_error *error)
{
	char problem[OCC_REMOTE_TEXT_MAX + 1];

	*ret_secret = occ_storage_secret(exchange->settings->options, key,
					 problem, sizeof(problem));
	return *ret_secret || !*problem || occ_http_fail(error, problem);
}

/* A line end would make another header. */
static bool is_header_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' && *text != '\t')
			return false;
	return true;
}

static bool set_bearer(struct occ_http_exchange *exchange,
		       struct occ_backend_error *error)
{
	char *token, *value = NULL;
	bool good;

	if (!read_secret(exchange, "bearer-token", &token, error))
		return false;
	if (!token)
		return true;
	if (!is_header_text(token)) {
		occ_storage_secret_free(token);
		return occ_http_fail(error,
				     "the bearer token isn't a single line");
	}
	good = asprintf(&value, "Bearer %s", token) >= 0 &&
	       occ_http_add_header(exchange, "Authorization", value);
	occ_storage_secret_free(token);
	if (good)
		occ_storage_secret_free(value);
	return good || occ_http_fail(error, "out of memory");
}

/* NAME=VALUE, as ccache's helpers have it. */
static bool add_header(struct occ_http_exchange *exchange, char *text,
		       struct occ_backend_error *error)
{
	char *equals = strchr(text, '=');
	bool good;

	if (!equals || equals == text || !is_header_text(text))
		return occ_http_fail(error,
				     "an attribute header isn't NAME=VALUE");
	*equals = '\0';
	good = occ_http_add_header(exchange, text, equals + 1);
	*equals = '=';
	return good || occ_http_fail(error, "out of memory");
}

/* As many as there are in attributes, and one more in a file or a variable. */
static bool set_headers(struct occ_http_exchange *exchange,
			struct occ_backend_error *error)
{
	const struct occ_storage_options *options = exchange->settings->options;
	bool good = true;
	char *header;

	for (size_t i = 0; good && i < options->attribute_count; i++)
		if (!strcmp(options->attributes[i].key, "header")) {
			header = strdup(options->attributes[i].value);
			good = header ? add_header(exchange, header, error)
				      : occ_http_fail(error, "out of memory");
			occ_storage_secret_free(header);
		}
	if (!good || occ_storage_attribute(options, "header"))
		return good;
	if (!read_secret(exchange, "header", &header, error))
		return false;
	good = !header || add_header(exchange, header, error);
	occ_storage_secret_free(header);
	return good;
}

static bool set_password(struct occ_http_exchange *exchange,
			 struct occ_backend_error *error)
{
	const struct occ_storage_options *options = exchange->settings->options;
	const char *user = occ_storage_attribute(options, "user");
	CURL *curl = exchange->curl;
	char *password;

	user = user ? user : options->user;
	if (!read_secret(exchange, "password", &password, error))
		return false;
	curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	if (user)
		curl_easy_setopt(curl, CURLOPT_USERNAME, user);
	if (password || options->password)
		curl_easy_setopt(curl, CURLOPT_PASSWORD,
				 password ? password : options->password);
	occ_storage_secret_free(password);
	return true;
}

static bool set_key_password(struct occ_http_exchange *exchange,
			     struct occ_backend_error *error)
{
	char *password;

	if (!read_secret(exchange, "client-key-password", &password, error))
		return false;
	if (password)
		curl_easy_setopt(exchange->curl, CURLOPT_KEYPASSWD, password);
	occ_storage_secret_free(password);
	return true;
}

static void set_netrc(struct occ_http_exchange *exchange)
{
	const char *file = occ_storage_attribute(exchange->settings->options,
						 "netrc-file");

	if (!exchange->settings->uses_netrc)
		return;
	curl_easy_setopt(exchange->curl, CURLOPT_NETRC,
			 (long)CURL_NETRC_OPTIONAL);
	if (file)
		curl_easy_setopt(exchange->curl, CURLOPT_NETRC_FILE, file);
}

bool occ_http_set_credentials(struct occ_http_exchange *exchange,
			      struct occ_backend_error *ret_error)
{
	if (!set_key_password(exchange, ret_error))
		return false;
	if (exchange->settings->is_s3)
		return exchange->settings->is_anonymous ||
		       occ_s3_sign(exchange, ret_error);
	set_netrc(exchange);
	return set_bearer(exchange, ret_error) &&
	       set_headers(exchange, ret_error) &&
	       set_password(exchange, ret_error);
}
