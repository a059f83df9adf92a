/* SPDX-License-Identifier: MIT */
#include "layer/config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cache/directory.h"
#include "cache/memory.h"
#include "layer/log.h"

/* More than any compile takes; and what fits in 64 bits of ns. */
#define WAIT_S	   120
#define WAIT_MAX_S 1000000000

/* Longer than there have been computers. */
#define DAYS_MAX   36500
#define DAY_S	   86400

struct occ_config occ_config;

const char occ_config_skipped[] = "left alone: OCLCACHE_SKIP";

/* The value, or NULL when the variable is unset or empty. */
static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static const char *first_set(const char **ret_name, const char *ours,
			     const char *theirs)
{
	*ret_name = value_of(ours) ? ours : theirs;
	return value_of(*ret_name);
}

static bool flag(const char *name, const char *value, bool otherwise)
{
	if (!value)
		return otherwise;
	if (!strcmp(value, "0"))
		return false;
	if (!strcmp(value, "1"))
		return true;
	occ_log_warning("%s=%s is not understood: use 0 or 1; taking %d", name,
			value, otherwise);
	return otherwise;
}

static uint64_t number(const char *name, const char *value, const char *unit,
		       uint64_t otherwise)
{
	unsigned long long result;
	char *end;

	if (!value)
		return otherwise;
	errno = 0;
	result = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && !errno)
		return result;
	occ_log_warning("%s=%s is not understood: use a number of %s; "
			"taking %llu",
			name, value, unit, (unsigned long long)otherwise);
	return otherwise;
}

static enum occ_store_policy store_policy(const char *value)
{
	if (!value || !strcmp(value, "auto"))
		return OCC_STORE_AUTO;
	if (!strcmp(value, "eager"))
		return OCC_STORE_EAGER;
	if (!strcmp(value, "never"))
		return OCC_STORE_NEVER;
	occ_log_warning("OCLCACHE_STORE=%s is not understood: use auto, eager "
			"or never; taking auto",
			value);
	return OCC_STORE_AUTO;
}

static enum occ_mode mode_of(const char *value)
{
	static const char *const names[] = {
		[OCC_MODE_READWRITE] = "readwrite",
		[OCC_MODE_READONLY] = "readonly",
		[OCC_MODE_RECACHE] = "recache",
		[OCC_MODE_REQUIRE] = "require",
	};

	if (!value)
		return OCC_MODE_READWRITE;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value, names[i]))
			return (enum occ_mode)i;
	occ_log_warning("OCLCACHE_MODE=%s is not understood: use readwrite, "
			"readonly, recache or require; taking readwrite",
			value);
	return OCC_MODE_READWRITE;
}

/* For `oclcache run`, which makes the file. */
static char *stats_file(const char *value)
{
	if (!value)
		return NULL;
	if (*value == '/')
		return strdup(value);
	occ_log_warning("OCLCACHE_STATS_FILE=%s is not an absolute path: not "
			"written",
			value);
	return NULL;
}

static char *join(const char *folder, const char *rest)
{
	char *path;

	if (asprintf(&path, "%s%s", folder, rest) < 0)
		return NULL;
	return path;
}

/*
 * OCLCACHE_DIR, NEO_CACHE_DIR, $XDG_CACHE_HOME, $HOME/.cache, in this order;
 * never a fallback under /tmp, where others could plant entries.
 */
static void read_directory(void)
{
	const char *name;
	const char *value = first_set(&name, "OCLCACHE_DIR", "NEO_CACHE_DIR");

	if (value && *value != '/') {
		occ_log_warning("%s=%s is not an absolute path: nothing will "
				"be stored",
				name, value);
		return;
	}
	if (value) {
		occ_config.directory = join(value, "");
		return;
	}
	occ_config.create_parent = true;
	value = value_of("XDG_CACHE_HOME");
	/* The XDG specification: relative paths are to be ignored. */
	if (value && *value == '/') {
		occ_config.directory = join(value, "/" OCC_DIRECTORY_NEO);
		return;
	}
	value = value_of("HOME");
	if (value && *value == '/')
		occ_config.directory =
			join(value, "/.cache/" OCC_DIRECTORY_NEO);
}

/* The part of `list` up to ':' or the end. */
static char *cut(const char *list)
{
	return strndup(list, strcspn(list, ":"));
}

static void add_read_only(char *directory, size_t *count)
{
	if (!directory)
		return;
	if (*directory == '/') {
		occ_config.read_only_directories[(*count)++] = directory;
		return;
	}
	if (*directory)
		occ_log_warning("OCLCACHE_READONLY_DIRS: %s is not an absolute "
				"path: not read",
				directory);
	free(directory);
}

static void read_read_only_directories(void)
{
	const char *list = value_of("OCLCACHE_READONLY_DIRS");
	size_t count = 0, most = 2;

	if (!list)
		return;
	for (const char *c = list; *c; c++)
		most += *c == ':';
	occ_config.read_only_directories = calloc(most, sizeof(char *));
	if (!occ_config.read_only_directories)
		return;
	add_read_only(cut(list), &count);
	while ((list = strchr(list, ':')))
		add_read_only(cut(++list), &count);
}

static void read_sizes(void)
{
	const char *name;
	const char *value;
	uint64_t days;

	value = first_set(&name, "OCLCACHE_PERSISTENT", "NEO_CACHE_PERSISTENT");
	occ_config.persistent = flag(name, value, true);
	value = first_set(&name, "OCLCACHE_MAX_SIZE", "NEO_CACHE_MAX_SIZE");
	occ_config.max_size =
		number(name, value, "bytes", OCC_STORE_DEFAULT_MAX_SIZE);
	name = "OCLCACHE_MAX_AGE";
	days = number(name, value_of(name), "days", 0);
	if (days > DAYS_MAX)
		days = DAYS_MAX;
	occ_config.max_age = (int64_t)days * DAY_S;
	name = "OCLCACHE_MEMORY_SIZE";
	occ_config.memory_size = number(name, value_of(name), "bytes",
					OCC_MEMORY_DEFAULT_CAPACITY);
}

static void read_wait(void)
{
	const char *name = "OCLCACHE_WAIT";

	occ_config.wait = number(name, value_of(name), "seconds", WAIT_S);
	if (occ_config.wait > WAIT_MAX_S)
		occ_config.wait = WAIT_MAX_S;
}

/*
 * The rest of an item of OCLCACHE_SKIP, if it starts with `kind`; NULL: it
 * doesn't, or there's nothing more.
 */
static const char *skipped(const char *item, const char *kind,
			   size_t *ret_length)
{
	size_t length = strlen(kind);

	item += strspn(item, " ");
	if (strncmp(item, kind, length) != 0)
		return NULL;
	*ret_length = strcspn(item + length, ",");
	return *ret_length ? item + length : NULL;
}

/* The item after this one, or NULL. */
static const char *next_item(const char *item)
{
	item = strchr(item, ',');
	return item ? item + 1 : NULL;
}

static bool is_empty(const char *item)
{
	item += strspn(item, " ");
	return !*item || *item == ',';
}

static void read_skip(void)
{
	const char *value = value_of("OCLCACHE_SKIP");
	size_t length;

	for (const char *item = value; item; item = next_item(item)) {
		if (skipped(item, "exe:", &length) ||
		    skipped(item, "device:", &length) || is_empty(item))
			continue;
		occ_log_warning("OCLCACHE_SKIP=%s is not understood: use "
				"exe:NAME,device:TEXT; leaving nothing alone",
				value);
		return;
	}
	occ_config.skip = value ? strdup(value) : NULL;
}

static bool is_executable(const char *name, size_t length)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *file = slash ? slash + 1 : path;

	if (!strncmp(program_invocation_short_name, name, length) &&
	    !program_invocation_short_name[length])
		return true;
	/* Of a script, the script. */
	return file && !strncmp(file, name, length) && !file[length];
}

/* No file is read: this is still the loader's initialisation. */
static bool skips_executable(void)
{
	size_t length = 0;

	for (const char *item = occ_config.skip; item; item = next_item(item)) {
		const char *name = skipped(item, "exe:", &length);

		if (!name || !is_executable(name, length))
			continue;
		occ_log_debug("%.*s is left alone: OCLCACHE_SKIP", (int)length,
			      name);
		return true;
	}
	return false;
}

bool occ_config_skips_device(const char *device)
{
	size_t length = 0;

	for (const char *item = occ_config.skip; item; item = next_item(item)) {
		const char *text = skipped(item, "device:", &length);

		if (text && memmem(device, strlen(device), text, length))
			return true;
	}
	return false;
}

void occ_config_read(void)
{
	const char *value;

	memset(&occ_config, 0, sizeof(occ_config));
	/* A setuid program must not write where its caller says; ocl-icd
	 * would have loaded us (it uses plain getenv). */
	if (getauxval(AT_SECURE)) {
		occ_config.disabled = true;
		return;
	}
	value = value_of("OCLCACHE_LOG_FILE");
	occ_config.log_file = value ? strdup(value) : NULL;
	occ_config.debug_messages = flag("PrintDebugMessages",
					 value_of("PrintDebugMessages"), false);
	occ_config.trace =
		flag("BinaryCacheTrace", value_of("BinaryCacheTrace"), false);
	occ_config.disabled =
		flag("OCLCACHE_DISABLE", value_of("OCLCACHE_DISABLE"), false);
	if (occ_config.disabled)
		return;
	read_skip();
	occ_config.disabled = skips_executable();
	if (occ_config.disabled)
		return;
	value = value_of("OCLCACHE_HASH_ENV");
	occ_config.hash_environment = value ? strdup(value) : NULL;
	occ_config.stats_file = stats_file(value_of("OCLCACHE_STATS_FILE"));
	occ_config.store_policy = store_policy(value_of("OCLCACHE_STORE"));
	occ_config.mode = mode_of(value_of("OCLCACHE_MODE"));
	/* Who wants all anew doesn't want to come twice for it. */
	if (occ_config.mode == OCC_MODE_RECACHE &&
	    occ_config.store_policy == OCC_STORE_AUTO)
		occ_config.store_policy = OCC_STORE_EAGER;
	read_sizes();
	read_wait();
	read_directory();
	read_read_only_directories();
}

void occ_config_release(void)
{
	for (char **directory = occ_config.read_only_directories;
	     directory && *directory; directory++)
		free(*directory);
	free(occ_config.read_only_directories);
	free(occ_config.directory);
	free(occ_config.log_file);
	free(occ_config.stats_file);
	free(occ_config.hash_environment);
	free(occ_config.skip);
	memset(&occ_config, 0, sizeof(occ_config));
	occ_config.disabled = true;
}
