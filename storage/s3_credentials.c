/* SPDX-License-Identifier: MIT */
#include "storage/s3_credentials.h"

#include <ctype.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_SIZE_MAX (1 << 20)
#define PATH_SIZE     4096

void occ_s3_credentials_release(struct occ_s3_credentials *credentials)
{
	occ_storage_secret_free(credentials->access_key);
	occ_storage_secret_free(credentials->secret_key);
	occ_storage_secret_free(credentials->session_token);
	memset(credentials, 0, sizeof(*credentials));
}

/* A line without the blanks at its ends; its length. */
static size_t trim(const char **line, size_t length)
{
	while (length && isspace((unsigned char)**line)) {
		++*line;
		length--;
	}
	while (length && isspace((unsigned char)(*line)[length - 1]))
		length--;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && !memcmp(text, word, length);
}

static void take_line(const char *line, size_t length,
		      struct occ_s3_credentials *credentials)
{
	const char *equals = memchr(line, '=', length), *value;
	char **field = NULL;
	size_t name_length, value_length;

	if (!equals)
		return;
	name_length = trim(&line, (size_t)(equals - line));
	value = equals + 1;
	value_length = length - (size_t)(value - line);
	if (is_word(line, name_length, "aws_access_key_id"))
		field = &credentials->access_key;
	else if (is_word(line, name_length, "aws_secret_access_key"))
		field = &credentials->secret_key;
	else if (is_word(line, name_length, "aws_session_token"))
		field = &credentials->session_token;
	if (!field)
		return;
	value_length = trim(&value, value_length);
	occ_storage_secret_free(*field);
	*field = strndup(value, value_length);
}

bool occ_s3_credentials_parse(const char *text, const char *profile,
			      struct occ_s3_credentials *ret_credentials)
{
	bool is_in_profile = false;

	memset(ret_credentials, 0, sizeof(*ret_credentials));
	while (*text) {
		size_t whole = strcspn(text, "\n");
		const char *line = text;
		size_t length = trim(&line, whole);

		if (length && *line == '[')
			is_in_profile = line[length - 1] == ']' &&
					is_word(line + 1, length - 2, profile);
		else if (length && is_in_profile && *line != '#' &&
			 *line != ';')
			take_line(line, length, ret_credentials);
		text += whole + (text[whole] == '\n');
	}
	if (ret_credentials->access_key && ret_credentials->secret_key)
		return true;
	occ_s3_credentials_release(ret_credentials);
	return false;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? calloc(1, FILE_SIZE_MAX + 1) : NULL;

	/* No copy of it stays in a buffer. */
	if (file)
		setvbuf(file, NULL, _IONBF, 0);
	if (text && !fread(text, 1, FILE_SIZE_MAX, file) && ferror(file)) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

static bool read_profile(const struct occ_storage_options *options,
			 struct occ_s3_credentials *ret_credentials)
{
	const char *path = occ_storage_attribute(options, "credentials-file");
	const char *profile = occ_storage_attribute(options, "profile");
	const char *home = getenv("HOME");
	char usual[PATH_SIZE];
	char *text;
	bool good;

	path = path ? path : getenv("AWS_SHARED_CREDENTIALS_FILE");
	profile = profile ? profile : getenv("AWS_PROFILE");
	if (!path) {
		snprintf(usual, sizeof(usual), "%s/.aws/credentials",
			 home ? home : "");
		path = usual;
	}
	text = read_file(path);
	if (!text)
		return false;
	good = occ_s3_credentials_parse(text, profile ? profile : "default",
					ret_credentials);
	occ_storage_secret_free(text);
	return good;
}

static bool copy(struct occ_s3_credentials *credentials, const char *access_key,
		 const char *secret_key, const char *session_token)
{
	credentials->access_key = strdup(access_key);
	credentials->secret_key = strdup(secret_key);
	if (session_token && *session_token)
		credentials->session_token = strdup(session_token);
	if (credentials->access_key && credentials->secret_key)
		return true;
	occ_s3_credentials_release(credentials);
	return false;
}

static bool from_attributes(const struct occ_storage_options *options,
			    const char *access_key,
			    struct occ_s3_credentials *ret_credentials,
			    struct occ_backend_error *error)
{
	char problem[OCC_REMOTE_TEXT_MAX + 1];
	char *secret = occ_storage_secret(options, "secret-key", problem,
					  sizeof(problem));
	char *token = NULL;
	bool good;

	if (!secret)
		return occ_http_fail(
			error,
			*problem ? problem
				 : "access-key is set, but secret-key isn't");
	token = occ_storage_secret(options, "session-token", problem,
				   sizeof(problem));
	good = (token || !*problem) &&
	       copy(ret_credentials, access_key, secret, token);
	if (!good)
		occ_http_fail(error, *problem ? problem : "out of memory");
	occ_storage_secret_free(secret);
	occ_storage_secret_free(token);
	return good;
}

bool occ_s3_credentials_read(const struct occ_storage_options *options,
			     struct occ_s3_credentials *ret_credentials,
			     struct occ_backend_error *ret_error)
{
	const char *access_key = occ_storage_attribute(options, "access-key");
	const char *secret_key = getenv("AWS_SECRET_ACCESS_KEY");
	bool has_profile = occ_storage_attribute(options, "profile") ||
			   occ_storage_attribute(options, "credentials-file");

	memset(ret_credentials, 0, sizeof(*ret_credentials));
	if (access_key)
		return from_attributes(options, access_key, ret_credentials,
				       ret_error);
	access_key = getenv("AWS_ACCESS_KEY_ID");
	if (!has_profile && access_key && *access_key && secret_key &&
	    *secret_key)
		return copy(ret_credentials, access_key, secret_key,
			    getenv("AWS_SESSION_TOKEN")) ||
		       occ_http_fail(ret_error, "out of memory");
	return read_profile(options, ret_credentials) ||
	       occ_http_fail(ret_error,
			     "no credentials for S3: set AWS_ACCESS_KEY_ID and "
			     "AWS_SECRET_ACCESS_KEY, or add the profile to the "
			     "credentials file");
}

static bool add_body_digest(struct occ_http_exchange *exchange)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char text[2 * SHA256_DIGEST_LENGTH + 1];

	SHA256(exchange->body.size ? exchange->body.data
				   : (const unsigned char *)"",
	       exchange->body.size, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return occ_http_add_header(exchange, "x-amz-content-sha256", text);
}

bool occ_s3_sign(struct occ_http_exchange *exchange,
		 struct occ_backend_error *ret_error)
{
	const struct occ_http_settings *settings = exchange->settings;
	struct occ_s3_credentials credentials;
	char provider[128];
	bool good;

	if (!occ_s3_credentials_read(settings->options, &credentials,
				     ret_error))
		return false;
	snprintf(provider, sizeof(provider), "aws:amz:%s:s3", settings->region);
	curl_easy_setopt(exchange->curl, CURLOPT_AWS_SIGV4, provider);
	curl_easy_setopt(exchange->curl, CURLOPT_USERNAME,
			 credentials.access_key);
	curl_easy_setopt(exchange->curl, CURLOPT_PASSWORD,
			 credentials.secret_key);
	good = add_body_digest(exchange) &&
	       (!credentials.session_token ||
		occ_http_add_header(exchange, "x-amz-security-token",
				    credentials.session_token));
	occ_s3_credentials_release(&credentials);
	return good || occ_http_fail(ret_error, "out of memory");
}
