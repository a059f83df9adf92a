/* SPDX-License-Identifier: MIT */
#include "storage/http_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/url.h"

#define BAZEL_DIGITS 64
#define REGION_SIZE  64

static const char *const http_known[] = {
	"layout",     "ca-file",   "client-cert", "client-key",
	"netrc-file", "use-netrc", "user",	  NULL,
};
static const char *const http_secrets[] = {
	"bearer-token", "header", "password", "client-key-password", NULL,
};
static const char *const s3_known[] = {
	"layout",  "ca-file",	       "client-cert", "client-key",
	"region",  "endpoint",	       "anonymous",   "access-key",
	"profile", "credentials-file", NULL,
};
static const char *const s3_secrets[] = {
	"secret-key",
	"session-token",
	"client-key-password",
	NULL,
};
/* As those of secrets, relative ones would be another's. */
static const char *const files[] = {
	"ca-file",    "client-cert",	  "client-key",
	"netrc-file", "credentials-file", NULL,
};

bool occ_http_fail(struct occ_backend_error *ret_error, const char *what)
{
	snprintf(ret_error->message, sizeof(ret_error->message), "%s", what);
	ret_error->is_fatal = true;
	return false;
}

/* All but what means nothing in a path anywhere is written as %XX. */
static void append_path(struct occ_buffer *url, const char *path)
{
	char escaped[4];

	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("/-._~", *path)) {
			occ_buffer_append(url, path, 1);
			continue;
		}
		snprintf(escaped, sizeof(escaped), "%%%02X",
			 (unsigned char)*path);
		occ_buffer_append(url, escaped, 3);
	}
}

static void append_text(struct occ_buffer *url, const char *text)
{
	occ_buffer_append(url, text, strlen(text));
}

/* The URL without its path. */
static void append_server(struct occ_buffer *url,
			  const struct occ_storage_options *options)
{
	bool brackets = strchr(options->host, ':') != NULL;
	char port[16] = "";

	append_text(url, options->scheme);
	append_text(url, brackets ? "://[" : "://");
	append_text(url, options->host);
	append_text(url, brackets ? "]" : "");
	if (options->port)
		snprintf(port, sizeof(port), ":%u", options->port);
	append_text(url, port);
}

/* Ends with the slash before a name. */
static bool finish_base(struct occ_buffer *url, const char *path,
			struct occ_http_settings *settings,
			struct occ_backend_error *error)
{
	append_path(url, path);
	while (url->size && url->data[url->size - 1] == '/')
		url->size--;
	occ_buffer_append(url, "/", sizeof("/"));
	if (url->failed) {
		occ_buffer_release(url);
		return occ_http_fail(error, "out of memory");
	}
	settings->base = (char *)url->data;
	return true;
}

static bool make_http_base(struct occ_http_settings *settings,
			   struct occ_backend_error *error)
{
	struct occ_buffer url = OCC_BUFFER_INIT;

	if (!*settings->options->host)
		return occ_http_fail(error, "the URL names no server");
	append_server(&url, settings->options);
	return finish_base(&url, settings->options->path, settings, error);
}

static bool append_endpoint(struct occ_buffer *url, const char *endpoint,
			    struct occ_backend_error *error)
{
	struct occ_storage_options parsed = {0};
	char problem[128];
	bool good = occ_storage_url_parse(endpoint, &parsed, problem,
					  sizeof(problem)) &&
		    (!strcmp(parsed.scheme, "http") ||
		     !strcmp(parsed.scheme, "https")) &&
		    *parsed.host && !parsed.user && !parsed.query &&
		    (!*parsed.path || !strcmp(parsed.path, "/"));

	if (good)
		append_server(url, &parsed);
	occ_storage_options_release(&parsed);
	return good ||
	       occ_http_fail(error,
			     "attribute endpoint must be http://HOST[:PORT] or "
			     "https://HOST[:PORT]");
}

static bool is_region(const char *region)
{
	size_t length = strspn(region, "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789-_");

	return length && length < REGION_SIZE && !region[length];
}

static bool set_region(struct occ_http_settings *settings,
		       struct occ_backend_error *error)
{
	const char *region = occ_storage_attribute(settings->options, "region");

	region = region ? region : getenv("AWS_REGION");
	region = region ? region : getenv("AWS_DEFAULT_REGION");
	region = region ? region : "us-east-1";
	if (!is_region(region))
		return occ_http_fail(
			error, "attribute region isn't the name of a region");
	settings->region = strdup(region);
	return settings->region || occ_http_fail(error, "out of memory");
}

/* Path style, which needs no names of hosts, nor certificates for them. */
static bool make_s3_base(struct occ_http_settings *settings,
			 struct occ_backend_error *error)
{
	const struct occ_storage_options *options = settings->options;
	const char *endpoint = occ_storage_attribute(options, "endpoint");
	struct occ_buffer url = OCC_BUFFER_INIT;

	if (!*options->host || options->port || options->user || options->query)
		return occ_http_fail(error,
				     "the URL must be s3://BUCKET/PREFIX");
	if (endpoint) {
		if (!append_endpoint(&url, endpoint, error)) {
			occ_buffer_release(&url);
			return false;
		}
	} else {
		append_text(&url, "https://s3.");
		append_text(&url, settings->region);
		append_text(&url, ".amazonaws.com");
	}
	append_text(&url, "/");
	append_text(&url, options->host);
	return finish_base(&url, options->path, settings, error);
}

static bool set_layout(struct occ_http_settings *settings,
		       struct occ_backend_error *error)
{
	const char *layout = occ_storage_attribute(settings->options, "layout");

	if (!layout || !strcmp(layout, "subdirs"))
		settings->layout = OCC_HTTP_SUBDIRS;
	else if (!strcmp(layout, "flat"))
		settings->layout = OCC_HTTP_FLAT;
	else if (!strcmp(layout, "bazel"))
		settings->layout = OCC_HTTP_BAZEL;
	else
		return occ_http_fail(
			error,
			"attribute layout must be subdirs, flat or bazel");
	return true;
}

static bool check_files(const struct occ_storage_options *options,
			struct occ_backend_error *error)
{
	for (const char *const *name = files; *name; name++) {
		const char *path = occ_storage_attribute(options, *name);

		if (!path || *path == '/')
			continue;
		snprintf(error->message, sizeof(error->message),
			 "attribute %s must be an absolute path", *name);
		return false;
	}
	return true;
}

static bool set_switches(struct occ_http_settings *settings,
			 struct occ_backend_error *error)
{
	const struct occ_storage_options *options = settings->options;
	bool has_file = occ_storage_attribute(options, "netrc-file") != NULL;

	if (!occ_storage_bool(options, "anonymous", false,
			      &settings->is_anonymous) ||
	    !occ_storage_bool(options, "use-netrc", has_file,
			      &settings->uses_netrc))
		return occ_http_fail(error, "attributes anonymous and "
					    "use-netrc must be true or false");
	return true;
}

bool occ_http_settings_make(const struct occ_storage_options *options,
			    struct occ_http_settings *ret_settings,
			    struct occ_backend_error *ret_error)
{
	bool is_s3 = !strcmp(options->scheme, "s3");

	*ret_settings =
		(struct occ_http_settings){.options = options, .is_s3 = is_s3};
	ret_error->is_fatal = true;
	if (!occ_storage_attributes_check(options,
					  is_s3 ? s3_known : http_known,
					  is_s3 ? s3_secrets : http_secrets,
					  ret_error->message,
					  sizeof(ret_error->message)) ||
	    !check_files(options, ret_error) ||
	    !set_layout(ret_settings, ret_error) ||
	    !set_switches(ret_settings, ret_error))
		return false;
	if (is_s3)
		return set_region(ret_settings, ret_error) &&
		       make_s3_base(ret_settings, ret_error);
	return make_http_base(ret_settings, ret_error);
}

void occ_http_settings_release(struct occ_http_settings *settings)
{
	free(settings->base);
	free(settings->region);
	memset(settings, 0, sizeof(*settings));
}

static void append_hex(struct occ_buffer *url, struct occ_span bytes)
{
	char digits[3];

	for (size_t i = 0; i < bytes.size; i++) {
		snprintf(digits, sizeof(digits), "%02x", bytes.data[i]);
		occ_buffer_append(url, digits, 2);
	}
}

static void append_bazel(struct occ_buffer *url, struct occ_span key)
{
	size_t end = url->size + 3 + BAZEL_DIGITS;

	append_text(url, "ac/");
	while (key.size && !url->failed && url->size < end)
		append_hex(url, key);
	if (url->size > end)
		url->size = end;
}

char *occ_http_url(const struct occ_http_settings *settings,
		   struct occ_span key)
{
	const char *query = settings->options->query;
	struct occ_buffer url = OCC_BUFFER_INIT;

	append_text(&url, settings->base);
	if (settings->layout == OCC_HTTP_BAZEL) {
		append_bazel(&url, key);
	} else if (settings->layout == OCC_HTTP_FLAT || key.size < 2) {
		append_hex(&url, key);
	} else {
		append_hex(&url, (struct occ_span){key.data, 1});
		append_text(&url, "/");
		append_hex(&url, (struct occ_span){key.data + 1, key.size - 1});
	}
	append_text(&url, query ? "?" : "");
	append_text(&url, query ? query : "");
	occ_buffer_append(&url, "", 1);
	if (url.failed)
		occ_buffer_release(&url);
	return (char *)url.data;
}
