/* SPDX-License-Identifier: MIT */
#include "storage/redis_settings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "storage/backend.h"
#include "storage/options.h"
#include "storage/redis_error.h"

#define PORT	       6379
#define DEFAULT_PREFIX "ccache"
#define PREFIX_MAX     128

/* Decimal digits alone. */
static bool read_number(const char *text, unsigned *ret_number)
{
	unsigned long number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || *end || number > INT_MAX)
		return false;
	*ret_number = (unsigned)number;
	return true;
}

static bool has_scheme(const struct occ_storage_options *options,
		       const char *scheme)
{
	return !strcmp(options->scheme, scheme);
}

static bool read_number_attribute(const struct occ_storage_options *options,
				  const char *key, unsigned *number,
				  struct occ_backend_error *ret_error)
{
	const char *text = occ_storage_attribute(options, key);

	if (!text || read_number(text, number))
		return true;
	occ_redis_fail(ret_error, true, "%s isn't a number", key);
	return false;
}

/* Of the URL, then the attribute. */
static bool read_database(const struct occ_storage_options *options,
			  unsigned *ret_database,
			  struct occ_backend_error *ret_error)
{
	const char *text = NULL;

	*ret_database = 0;
	if (has_scheme(options, "redis+unix")) {
		if (options->query && !strncmp(options->query, "db=", 3))
			text = options->query + 3;
	} else if (options->path) {
		text = options->path + (*options->path == '/');
	}
	if (options->query && (!text || text != options->query + 3)) {
		occ_redis_fail(ret_error, true,
			       "the URL may only have the query ?db=NUMBER, "
			       "and only with a socket");
		return false;
	}
	if (text && *text && !read_number(text, ret_database)) {
		occ_redis_fail(ret_error, true,
			       "the URL's database isn't a number");
		return false;
	}
	return read_number_attribute(options, "db", ret_database, ret_error);
}

/* A name alone is the password, as in older URLs of ccache. */
static void read_user(const struct occ_storage_options *options,
		      struct occ_redis_settings *settings)
{
	bool is_password = options->user && *options->user &&
			   (!options->password || !*options->password);
	const char *user = occ_storage_attribute(options, "user");

	if (is_password)
		settings->password = options->user;
	else if (options->password && *options->password)
		settings->password = options->password;
	if (!is_password && options->user && *options->user)
		settings->user = options->user;
	if (user)
		settings->user = user;
}

/* Absolute: a helper changes its directory. */
static bool read_file(const struct occ_storage_options *options,
		      const char *key, const char **ret_path,
		      struct occ_backend_error *ret_error)
{
	*ret_path = occ_storage_attribute(options, key);
	if (!*ret_path || **ret_path == '/')
		return true;
	occ_redis_fail(ret_error, true, "%s must be an absolute path", key);
	return false;
}

static bool read_address(const struct occ_storage_options *options,
			 struct occ_redis_address *address,
			 struct occ_backend_error *ret_error)
{
	const char *host = options->host ? options->host : "";

	address->tls = has_scheme(options, "rediss");
	if (!read_file(options, "ca-file", &address->ca_file, ret_error) ||
	    !read_file(options, "client-cert", &address->client_certificate,
		       ret_error) ||
	    !read_file(options, "client-key", &address->client_key, ret_error))
		return false;
	if (!has_scheme(options, "redis+unix")) {
		address->host = *host ? host : "localhost";
		address->port = options->port ? options->port : PORT;
		return true;
	}
	if (*host && strcmp(host, "localhost") != 0) {
		occ_redis_fail(ret_error, true,
			       "the URL of a socket can't have a host other "
			       "than localhost");
		return false;
	}
	address->socket = options->path;
	if (address->socket && *address->socket == '/')
		return true;
	occ_redis_fail(ret_error, true, "the socket's path must be absolute");
	return false;
}

/* Names are for people, and for the patterns of access lists. */
static bool is_prefix(const char *text)
{
	size_t size = strlen(text);

	for (size_t i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return size && size <= PREFIX_MAX;
}

bool occ_redis_settings_read(const struct occ_storage_options *options,
			     struct occ_redis_settings *ret_settings,
			     struct occ_backend_error *ret_error)
{
	struct occ_redis_settings settings = {.options = options};
	const char *prefix = occ_storage_attribute(options, "prefix");

	settings.prefix = prefix ? prefix : DEFAULT_PREFIX;
	if (!is_prefix(settings.prefix)) {
		occ_redis_fail(ret_error, true,
			       "the prefix must be 1 to %d printable "
			       "characters without blanks",
			       PREFIX_MAX);
		return false;
	}
	if (!read_address(options, &settings.address, ret_error) ||
	    !read_database(options, &settings.database, ret_error) ||
	    !read_number_attribute(options, "ttl", &settings.ttl_s, ret_error))
		return false;
	read_user(options, &settings);
	*ret_settings = settings;
	return true;
}
