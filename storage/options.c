/* SPDX-License-Identifier: MIT */
#include "storage/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "storage/url.h"

#define CONNECT_MS	2000
#define REQUEST_MS	10000
#define TIMEOUT_MOST_MS 600000
#define QUEUE_BYTES	(UINT64_C(256) << 20)
#define QUEUE_BYTES_MAX (UINT64_C(1) << 40)
#define QUEUE_COUNT	1024
#define QUEUE_COUNT_MAX 1000000
#define CONNECTIONS	16
#define CONNECTIONS_MAX 64
/* More than anybody writes. */
#define ATTRIBUTES_MAX	64

static const char *const common[] = {
	"connect-timeout", "request-timeout", "queue-size", "queue-count",
	"connections",	   "compress",	      NULL,
};

bool occ_storage_options_begin(struct occ_storage_options *ret_options,
			       const char *url, char *problem, size_t size)
{
	*ret_options = (struct occ_storage_options){
		.connect_ms = CONNECT_MS,
		.request_ms = REQUEST_MS,
		.queue_bytes = QUEUE_BYTES,
		.queue_count = QUEUE_COUNT,
		.connections = CONNECTIONS,
		.compresses = true,
	};
	return occ_storage_url_parse(url, ret_options, problem, size);
}

bool occ_storage_options_add(struct occ_storage_options *options,
			     const char *key, const char *value)
{
	size_t count = options->attribute_count;
	struct occ_storage_attribute *attributes;

	if (count >= ATTRIBUTES_MAX)
		return false;
	attributes =
		realloc(options->attributes, (count + 1) * sizeof(*attributes));
	if (!attributes)
		return false;
	options->attributes = attributes;
	attributes[count].key = strdup(key);
	attributes[count].value = strdup(value);
	options->attribute_count++;
	return attributes[count].key && attributes[count].value;
}

const char *occ_storage_attribute(const struct occ_storage_options *options,
				  const char *key)
{
	for (size_t i = options->attribute_count; i > 0; i--)
		if (!strcmp(options->attributes[i - 1].key, key))
			return options->attributes[i - 1].value;
	return NULL;
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(word, *words))
			return true;
	return false;
}

bool occ_storage_bool(const struct occ_storage_options *options,
		      const char *key, bool otherwise, bool *ret_value)
{
	static const char *const yes[] = {"", "1", "true", "yes", "on", NULL};
	static const char *const no[] = {"0", "false", "no", "off", NULL};
	const char *value = occ_storage_attribute(options, key);

	*ret_value = value ? is_one_of(value, yes) : otherwise;
	return !value || *ret_value || is_one_of(value, no);
}

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {{"", 1000},
					 {"ms", 1},
					 {"s", 1000},
					 {NULL, 0}};
static const struct unit size_units[] = {{"", 1},	 {"k", 1 << 10},
					 {"K", 1 << 10}, {"M", 1 << 20},
					 {"G", 1 << 30}, {NULL, 0}};
static const struct unit no_units[] = {{"", 1}, {NULL, 0}};

static bool read_number(const char *text, const struct unit *units,
			uint64_t least, uint64_t most, uint64_t *ret_number)
{
	unsigned long long number;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return false;
	for (; units->name; units++) {
		if (strcmp(end, units->name) != 0)
			continue;
		if (number > most / units->factor ||
		    number * units->factor < least)
			return false;
		*ret_number = number * units->factor;
		return true;
	}
	return false;
}

static bool set_number(const struct occ_storage_options *options,
		       const char *key, const struct unit *units, uint64_t most,
		       uint64_t *number, char *problem, size_t size)
{
	const char *value = occ_storage_attribute(options, key);

	if (!value || read_number(value, units, 1, most, number))
		return true;
	snprintf(problem, size,
		 "attribute %s isn't a number, or is out of range", key);
	return false;
}

bool occ_storage_options_end(struct occ_storage_options *options, char *problem,
			     size_t size)
{
	uint64_t connect = options->connect_ms, request = options->request_ms;
	uint64_t count = options->queue_count;
	uint64_t connections = options->connections;

	if (!set_number(options, "connect-timeout", time_units, TIMEOUT_MOST_MS,
			&connect, problem, size) ||
	    !set_number(options, "request-timeout", time_units, TIMEOUT_MOST_MS,
			&request, problem, size) ||
	    !set_number(options, "queue-size", size_units, QUEUE_BYTES_MAX,
			&options->queue_bytes, problem, size) ||
	    !set_number(options, "queue-count", no_units, QUEUE_COUNT_MAX,
			&count, problem, size) ||
	    !set_number(options, "connections", no_units, CONNECTIONS_MAX,
			&connections, problem, size))
		return false;
	if (!occ_storage_bool(options, "compress", true,
			      &options->compresses)) {
		snprintf(problem, size,
			 "attribute compress must be true or false");
		return false;
	}
	options->connect_ms = (unsigned)connect;
	options->request_ms = (unsigned)request;
	options->queue_count = (unsigned)count;
	options->connections = (unsigned)connections;
	return true;
}

void occ_storage_options_release(struct occ_storage_options *options)
{
	for (size_t i = 0; i < options->attribute_count; i++) {
		free(options->attributes[i].key);
		occ_storage_secret_free(options->attributes[i].value);
	}
	free(options->attributes);
	free(options->scheme);
	free(options->host);
	free(options->path);
	free(options->shown);
	occ_storage_secret_free(options->query);
	occ_storage_secret_free(options->user);
	occ_storage_secret_free(options->password);
	memset(options, 0, sizeof(*options));
}

static bool add_from_crsh(struct occ_storage_options *options, uint64_t index,
			  char *problem, size_t size)
{
	char name[64];
	const char *key, *value;

	snprintf(name, sizeof(name), "CRSH_ATTR_KEY_%u", (unsigned)index);
	key = getenv(name);
	snprintf(name, sizeof(name), "CRSH_ATTR_VALUE_%u", (unsigned)index);
	value = getenv(name);
	if (!key || !value)
		snprintf(problem, size,
			 "CRSH_ATTR_KEY_%u or its value isn't set",
			 (unsigned)index);
	else if (!occ_storage_options_add(options, key, value))
		snprintf(problem, size, "out of memory");
	else
		return true;
	return false;
}

bool occ_storage_options_from_crsh(struct occ_storage_options *ret_options,
				   char *problem, size_t size)
{
	const char *url = getenv("CRSH_URL"), *count = getenv("CRSH_NUM_ATTR");
	const char *idle = getenv("CRSH_IDLE_TIMEOUT");
	uint64_t attributes = 0, seconds = 0;

	if (!occ_storage_options_begin(ret_options, url ? url : "", problem,
				       size))
		return false;
	if (count && *count &&
	    !read_number(count, no_units, 0, ATTRIBUTES_MAX, &attributes)) {
		snprintf(problem, size,
			 "CRSH_NUM_ATTR must be a number up to %d",
			 ATTRIBUTES_MAX);
		return false;
	}
	if (idle && *idle &&
	    !read_number(idle, no_units, 0, UINT32_MAX, &seconds)) {
		snprintf(problem, size, "CRSH_IDLE_TIMEOUT isn't a number");
		return false;
	}
	ret_options->idle_s = (unsigned)seconds;
	for (uint64_t i = 0; i < attributes; i++)
		if (!add_from_crsh(ret_options, i, problem, size))
			return false;
	return occ_storage_options_end(ret_options, problem, size);
}

/* "-file" of "bearer-token-file", where that is one of the names. */
static const char *secret_suffix(const char *key, const char *const *secrets)
{
	for (; *secrets; secrets++) {
		size_t length = strlen(*secrets);

		if (strncmp(key, *secrets, length) != 0)
			continue;
		if (!key[length] || !strcmp(key + length, "-file") ||
		    !strcmp(key + length, "-env"))
			return key + length;
	}
	return NULL;
}

static bool is_known(const char *key, const char *const *known)
{
	for (; *known; known++)
		if (!strcmp(key, *known))
			return true;
	return false;
}

bool occ_storage_attributes_check(const struct occ_storage_options *options,
				  const char *const *known,
				  const char *const *secrets, char *problem,
				  size_t size)
{
	for (size_t i = 0; i < options->attribute_count; i++) {
		const char *key = options->attributes[i].key;
		const char *suffix = secret_suffix(key, secrets);

		if (!suffix && !is_known(key, known) &&
		    !is_known(key, common)) {
			/* Not all of it: a value could have got there. */
			snprintf(problem, size, "%s has no attribute \"%.40s\"",
				 options->scheme, key);
			return false;
		}
		if (suffix && !strcmp(suffix, "-file") &&
		    *options->attributes[i].value != '/') {
			snprintf(problem, size,
				 "attribute %s must be an absolute path", key);
			return false;
		}
	}
	return true;
}
