/* SPDX-License-Identifier: MIT */
#include "cache/name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEMP_PREFIX	   "oclcache-"
#define TEMP_SUFFIX	   ".tmp"
#define NEO_TEMP_PREFIX	   "cl_cache."
#define TEMP_RANDOM_LENGTH 6

/* "f/5/", and digits of the name that follows. */
#define NEO_NESTED_LENGTH  4
#define NEO_DIGITS	   16

static const char hex_digits[] = "0123456789abcdef";
static const char temp_characters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), suffix_length = strlen(suffix);

	return length >= suffix_length &&
	       !strcmp(name + length - suffix_length, suffix);
}

/* Whether `name` is 32 hex digits, perhaps -number, and then `suffix`. */
static bool is_hashed(const char *name, const char *suffix)
{
	size_t digits = strspn(name, hex_digits), number;

	if (digits != OCC_DIGEST_HEX_SIZE - 1)
		return false;
	name += digits;
	if (*name == '-') {
		number = strspn(name + 1, "0123456789");
		if (!number)
			return false;
		name += 1 + number;
	}
	return !strcmp(name, suffix);
}

static bool is_temp(const char *name)
{
	size_t prefix = strlen(TEMP_PREFIX);
	size_t length = prefix + TEMP_RANDOM_LENGTH + strlen(TEMP_SUFFIX);

	if (strlen(name) != length || memcmp(name, TEMP_PREFIX, prefix) != 0)
		return false;
	for (size_t i = prefix; i < prefix + TEMP_RANDOM_LENGTH; i++)
		if (!memchr(temp_characters, name[i],
			    sizeof(temp_characters) - 1))
			return false;
	return ends_with(name, TEMP_SUFFIX);
}

/* As mkstemp(3) makes them. */
static bool is_neos_temp(const char *name)
{
	size_t prefix = strlen(NEO_TEMP_PREFIX);

	return !strncmp(name, NEO_TEMP_PREFIX, prefix) &&
	       strlen(name + prefix) == TEMP_RANDOM_LENGTH &&
	       strspn(name + prefix, temp_characters) == TEMP_RANDOM_LENGTH;
}

/*
 * Of a path. Anything else there is somebody's own, be it called *.cl_cache:
 * directories of one hex digit are easily made.
 */
static bool is_neos_nested(const char *path)
{
	const char *name = path + NEO_NESTED_LENGTH;

	return strspn(path, hex_digits) == 1 && path[1] == '/' &&
	       strspn(path + 2, hex_digits) == 1 && path[3] == '/' &&
	       strspn(name, hex_digits) == NEO_DIGITS && name[0] == path[0] &&
	       name[1] == path[2] &&
	       (!strcmp(name + NEO_DIGITS, ".cl_cache") ||
		!strcmp(name + NEO_DIGITS, ".l0_cache"));
}

enum occ_name_kind occ_name_kind(const char *name)
{
	if (strchr(name, '/'))
		return is_neos_nested(name) ? OCC_NAME_NEO : OCC_NAME_FOREIGN;
	if (is_hashed(name, ".cl_cache"))
		return OCC_NAME_ENTRY;
	if (ends_with(name, ".cl_cache") || ends_with(name, ".l0_cache") ||
	    is_neos_temp(name))
		return OCC_NAME_NEO;
	if (is_hashed(name, ".trace"))
		return OCC_NAME_TRACE;
	if (is_hashed(name, ".includes") && !strchr(name, '-'))
		return OCC_NAME_INCLUDES;
	if (is_hashed(name, ".workingset") && !strchr(name, '-'))
		return OCC_NAME_WORKING_SET;
	if (is_hashed(name, ".included") && !strchr(name, '-'))
		return OCC_NAME_INCLUDED;
	if (is_temp(name))
		return OCC_NAME_TEMP;
	if (!strcmp(name, OCC_NAME_SIZE_LEDGER) ||
	    !strcmp(name, OCC_NAME_TAG) || !strcmp(name, OCC_NAME_STATE) ||
	    !strcmp(name, OCC_NAME_LOCK) || !strcmp(name, OCC_NAME_COUNTERS) ||
	    !strcmp(name, OCC_NAME_HISTORY))
		return OCC_NAME_FIXED;
	return OCC_NAME_FOREIGN;
}

bool occ_name_is_beside(enum occ_name_kind kind)
{
	return kind == OCC_NAME_TRACE || kind == OCC_NAME_INCLUDES ||
	       kind == OCC_NAME_WORKING_SET || kind == OCC_NAME_INCLUDED;
}

bool occ_name_is_evictable(enum occ_name_kind kind)
{
	return kind == OCC_NAME_ENTRY || kind == OCC_NAME_NEO ||
	       occ_name_is_beside(kind);
}

void occ_name_entry(const struct occ_digest *hash, int number,
		    char ret_name[OCC_NAME_SIZE])
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(hash, hex);
	if (number)
		snprintf(ret_name, OCC_NAME_SIZE, "%s-%d.cl_cache", hex,
			 number);
	else
		snprintf(ret_name, OCC_NAME_SIZE, "%s.cl_cache", hex);
}

static void make_name(const struct occ_digest *digest, const char *suffix,
		      char ret_name[OCC_NAME_SIZE])
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(digest, hex);
	snprintf(ret_name, OCC_NAME_SIZE, "%s%s", hex, suffix);
}

void occ_name_trace(const struct occ_digest *hash, char ret_name[OCC_NAME_SIZE])
{
	make_name(hash, ".trace", ret_name);
}

void occ_name_includes(const struct occ_digest *digest,
		       char ret_name[OCC_NAME_SIZE])
{
	make_name(digest, ".includes", ret_name);
}

void occ_name_working_set(const struct occ_digest *place,
			  char ret_name[OCC_NAME_SIZE])
{
	make_name(place, ".workingset", ret_name);
}

void occ_name_included(const struct occ_digest *contents,
		       char ret_name[OCC_NAME_SIZE])
{
	make_name(contents, ".included", ret_name);
}

void occ_name_temp(uint64_t random, char ret_name[OCC_NAME_SIZE])
{
	char text[TEMP_RANDOM_LENGTH + 1] = {0};

	for (int i = 0; i < TEMP_RANDOM_LENGTH; i++) {
		text[i] =
			temp_characters[random % (sizeof(temp_characters) - 1)];
		random /= sizeof(temp_characters) - 1;
	}
	snprintf(ret_name, OCC_NAME_SIZE, TEMP_PREFIX "%s" TEMP_SUFFIX, text);
}
