/* SPDX-License-Identifier: MIT */
#include "cache/driver/driver.h"

#include <stdlib.h>
#include <string.h>

#ifdef OCC_TEST_KEY
#include "hash/testing.h"
#else
#define occ_testing_unlisted() false
#endif

#define RECORD(record) &occ_driver_##record,
static const struct occ_driver *const drivers[] = {OCC_DRIVER_RECORDS(RECORD)
							   NULL};

/* What clang, LLVM and ld read by themselves. */
const struct occ_variable occ_driver_compiler_variables[] = {
	{"CLANG_NO_DEFAULT_CONFIG", OCC_VARIABLE_KEY},
	{"LLVM_OVERRIDE_PRODUCER", OCC_VARIABLE_KEY},
	/* Directives of assembly write to it. */
	{"AS_SECURE_LOG_FILE", OCC_VARIABLE_FILES},
	/* How the C++ library does things. */
	{"GLIBCXX_TUNABLES", OCC_VARIABLE_HARMLESS},
	/* What the current directory is called. */
	{"PWD", OCC_VARIABLE_HARMLESS},
	/* Where AMD's compiler is, which isn't used. */
	{"ROCM_PATH", OCC_VARIABLE_HARMLESS},
	/* Where temporary files are made. */
	{"TEMP", OCC_VARIABLE_HARMLESS},
	{"TEMPDIR", OCC_VARIABLE_HARMLESS},
	{"TMP", OCC_VARIABLE_HARMLESS},
	{"TMPDIR", OCC_VARIABLE_HARMLESS},
	/* LLVM asks for them so that passes aren't left out. */
	{"LLVM_IGNORED_ENV_VAR", OCC_VARIABLE_HARMLESS},
	{"bar", OCC_VARIABLE_HARMLESS},
	{NULL, OCC_VARIABLE_UNKNOWN},
};

const struct occ_driver *occ_driver_at(size_t number)
{
	return number < sizeof(drivers) / sizeof(*drivers) ? drivers[number]
							   : NULL;
}

const struct occ_component *occ_driver_components_at(size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (drivers[i]->components == drivers[number]->components)
			return NULL;
	return drivers[number]->components;
}

const struct occ_driver *occ_driver_of_platform(const char *platform_name)
{
	if (occ_testing_unlisted())
		return NULL;
	for (size_t i = 0; drivers[i]; i++)
		if (drivers[i]->platform_name &&
		    !strcmp(drivers[i]->platform_name, platform_name))
			return drivers[i];
	return NULL;
}

static bool has_version(const char *text)
{
	return *text >= '0' && *text <= '9';
}

/* What isn't there is 0. */
static struct occ_driver_version parse_version(const char *text)
{
	struct occ_driver_version version = {0, 0};
	char *end;

	if (!has_version(text))
		return version;
	version.major = (unsigned)strtoul(text, &end, 10);
	if (*end == '.' && end[1] >= '0' && end[1] <= '9')
		version.minor = (unsigned)strtoul(end + 1, NULL, 10);
	return version;
}

static bool holds_for(const struct occ_driver *driver,
		      struct occ_driver_version version)
{
	return driver->since.major != version.major
		       ? driver->since.major < version.major
		       : driver->since.minor <= version.minor;
}

/* Is there another one, for other versions? */
static bool is_one_of_several(const struct occ_driver *driver)
{
	for (size_t i = 0; drivers[i]; i++)
		if (drivers[i] != driver && drivers[i]->platform_name &&
		    !strcmp(drivers[i]->platform_name, driver->platform_name))
			return true;
	return false;
}

const struct occ_driver *occ_driver_of_device(const char *platform_name,
					      const char *version,
					      uint64_t device_types)
{
	const struct occ_driver_version parsed = parse_version(version);
	const struct occ_driver *driver = NULL;

	if (occ_testing_unlisted())
		return NULL;
	for (size_t i = 0; !driver && drivers[i]; i++)
		if (drivers[i]->platform_name &&
		    !strcmp(drivers[i]->platform_name, platform_name) &&
		    holds_for(drivers[i], parsed))
			driver = drivers[i];
	if (!driver || driver->learnt ||
	    (!has_version(version) && is_one_of_several(driver)) ||
	    (driver->device_types && !(driver->device_types & device_types)))
		return NULL;
	return driver;
}

/* A star takes as little as it can, and more when the rest doesn't fit. */
static bool fits(const char *pattern, const char *name, size_t length)
{
	const char *star = NULL;
	size_t at = 0, taken = 0;

	while (at < length) {
		if (*pattern == '*') {
			star = pattern++;
			taken = at;
		} else if (*pattern == name[at]) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star + 1;
			at = ++taken;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Takes a better fit than the best so far: none is better than the name. */
static void look_in(const struct occ_variable *variable, const char *name,
		    size_t length, size_t *best, enum occ_variable_kind *kind)
{
	for (; variable && variable->name; variable++) {
		size_t size = strlen(variable->name);

		if ((*variable->name != *name && *variable->name != '*') ||
		    !fits(variable->name, name, length))
			continue;
		if (!strchr(variable->name, '*'))
			size = SIZE_MAX;
		if (size > *best) {
			*best = size;
			*kind = variable->kind;
		}
	}
}

/* To the driver of that record: what it says, and what all compilers read. */
static enum occ_variable_kind kind_to(const struct occ_driver *driver,
				      const char *name, size_t length)
{
	enum occ_variable_kind kind = OCC_VARIABLE_UNKNOWN;
	size_t best = 0;

	look_in(driver->variables, name, length, &best, &kind);
	look_in(occ_driver_compiler_variables, name, length, &best, &kind);
	return kind;
}

enum occ_variable_kind occ_driver_variable(const struct occ_driver *driver,
					   const char *name, size_t length)
{
	enum occ_variable_kind greatest = OCC_VARIABLE_UNKNOWN;

	if (driver)
		return kind_to(driver, name, length);
	for (size_t i = 0; drivers[i]; i++) {
		enum occ_variable_kind kind = kind_to(drivers[i], name, length);

		if (kind > greatest)
			greatest = kind;
	}
	return greatest;
}

const char *occ_driver_unsafe_option(const struct occ_driver *driver,
				     const char *options, size_t *ret_length)
{
	const char *const *refused = driver ? driver->refused_options : NULL;

	while (refused && *refused && !strstr(options, *refused))
		refused++;
	if (!refused || !*refused)
		return occ_option_unsafe(options,
					 driver ? driver->dialect : NULL,
					 ret_length);
	*ret_length = strlen(*refused);
	return *refused;
}

/*
 * In any case: as strncasecmp() in the C locale, whose tables a process that
 * builds nothing may not have in memory. The word is in capitals.
 */
static bool begins_so(const char *text, const char *word, size_t size)
{
	size_t i = 0;

	while (i < size && (text[i] == word[i] || text[i] == (word[i] | 0x20)))
		i++;
	return i == size;
}

bool occ_variable_names_cache(const char *name, size_t length)
{
	static const char word[] = "CACHE";
	/* Ours, where caches of all kinds are, and well-known tools'. */
	static const char *const others[] = {
		"OCLCACHE_",	  "BinaryCacheTrace",
		"XDG_CACHE_HOME", "CCACHE_",
		"SCCACHE_",	  "HF_",
		"PIP_",		  "UV_",
	};
	size_t at = 0, size = sizeof(word) - 1;

	while (at + size <= length && !begins_so(name + at, word, size))
		at++;
	if (at + size > length)
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (length >= strlen(others[i]) &&
		    !memcmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

bool occ_variable_matters(enum occ_variable_kind kind)
{
	return kind >= OCC_VARIABLE_PLACE;
}
