/* SPDX-License-Identifier: MIT */
#include "storage/url.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/options.h"

#define URL_SIZE_MAX 4096

static int hex_digit(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	character = (char)tolower((unsigned char)character);
	return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* NULL: out of memory, or a '%' that stands for nothing, or for a NUL. */
static char *decode(const char *text, size_t length)
{
	char *decoded = malloc(length + 1);
	size_t used = 0;

	for (size_t at = 0; decoded && at < length; at++) {
		char character = text[at];

		if (character == '%') {
			int high =
				at + 2 < length ? hex_digit(text[at + 1]) : -1;
			int low =
				at + 2 < length ? hex_digit(text[at + 2]) : -1;

			if (high < 0 || low < 0 || !(high | low)) {
				free(decoded);
				return NULL;
			}
			character = (char)(high << 4 | low);
			at += 2;
		}
		decoded[used++] = character;
	}
	if (decoded)
		decoded[used] = '\0';
	return decoded;
}

static bool has_only_printable(const char *url)
{
	for (; *url; url++)
		if ((unsigned char)*url <= ' ' || *url == 0x7f)
			return false;
	return true;
}

/* What %0a and such have become. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

/* The scheme's length; 0: there is none. */
static size_t scheme_length(const char *url)
{
	size_t length = 0;

	if (!isalpha((unsigned char)*url))
		return 0;
	while (isalnum((unsigned char)url[length]) || url[length] == '+' ||
	       url[length] == '-' || url[length] == '.')
		length++;
	return url[length] == ':' ? length : 0;
}

static bool set_user(struct occ_storage_options *options, const char *text,
		     size_t length)
{
	const char *colon = memchr(text, ':', length);
	size_t user = colon ? (size_t)(colon - text) : length;

	options->user = decode(text, user);
	if (colon)
		options->password = decode(colon + 1, length - user - 1);
	return options->user && (!colon || options->password);
}

static bool set_port(struct occ_storage_options *options, const char *text,
		     size_t length)
{
	unsigned port = 0;

	if (!length)
		return true;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]) || i > 4)
			return false;
		port = port * 10 + (unsigned)(text[i] - '0');
	}
	options->port = port;
	return port > 0 && port <= 65535;
}

static bool is_host_character(char character)
{
	return isalnum((unsigned char)character) ||
	       strchr("-._~:%", character) != NULL;
}

static bool set_host(struct occ_storage_options *options, const char *text,
		     size_t length)
{
	const char *end = text + length, *host_end, *colon;
	bool has_brackets = length && *text == '[';

	if (has_brackets) {
		host_end = memchr(text, ']', length);
		if (!host_end)
			return false;
		text++;
		colon = host_end + 1;
	} else {
		host_end = memchr(text, ':', length);
		host_end = host_end ? host_end : end;
		colon = host_end;
	}
	options->host = strndup(text, (size_t)(host_end - text));
	if (!options->host || !*options->host)
		return false;
	for (const char *at = options->host; *at; at++)
		if (!is_host_character(*at) || (*at == ':' && !has_brackets))
			return false;
	if (colon == end)
		return true;
	return *colon == ':' &&
	       set_port(options, colon + 1, (size_t)(end - colon - 1));
}

/* The last '@': passwords may have others in them. */
static bool set_authority(struct occ_storage_options *options, const char *text,
			  size_t length)
{
	const char *at = memrchr(text, '@', length);

	if (at) {
		if (!set_user(options, text, (size_t)(at - text)))
			return false;
		length -= (size_t)(at - text) + 1;
		text = at + 1;
	}
	return set_host(options, text, length);
}

static bool set_shown(struct occ_storage_options *options)
{
	bool brackets = strchr(options->host, ':') != NULL;
	char port[16] = "";

	if (options->port)
		snprintf(port, sizeof(port), ":%u", options->port);
	return asprintf(&options->shown, "%s:%s%s%s%s%s%s", options->scheme,
			*options->host ? "//" : "", brackets ? "[" : "",
			options->host, brackets ? "]" : "", port,
			options->path) >= 0;
}

static bool parse(const char *url, struct occ_storage_options *options)
{
	size_t scheme = scheme_length(url), authority, path;
	const char *rest = url + scheme + 1, *query;

	options->scheme = strndup(url, scheme);
	if (!options->scheme)
		return false;
	for (char *at = options->scheme; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	if (!strncmp(rest, "//", 2)) {
		rest += 2;
		authority = strcspn(rest, "/?#");
		if (authority) {
			if (!set_authority(options, rest, authority))
				return false;
			rest += authority;
		}
	}
	if (strchr(rest, '#'))
		return false;
	if (!options->host)
		options->host = strdup("");
	path = strcspn(rest, "?");
	query = rest[path] ? rest + path + 1 : NULL;
	options->path = decode(rest, path);
	if (query)
		options->query = strdup(query);
	return options->host && options->path && (!query || options->query) &&
	       !has_control(options->path) && set_shown(options);
}

bool occ_storage_url_parse(const char *url, struct occ_storage_options *options,
			   char *problem, size_t size)
{
	if (!*url)
		snprintf(problem, size, "the URL is empty");
	else if (strnlen(url, URL_SIZE_MAX) == URL_SIZE_MAX)
		snprintf(problem, size, "the URL is too long");
	else if (!has_only_printable(url))
		snprintf(problem, size,
			 "the URL contains blanks or control characters");
	else if (!scheme_length(url))
		snprintf(problem, size,
			 "the URL has no scheme, such as "
			 "https://");
	else if (!parse(url, options))
		snprintf(problem, size, "the URL is malformed");
	else
		return true;
	return false;
}
