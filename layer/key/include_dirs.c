/* SPDX-License-Identifier: MIT */
#include "layer/key/include_dirs.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"

/*
 * The variables that say where things are: drivers read them when they are
 * loaded, or at each build.
 */
struct place {
	const char *name;
	char *at_start; /* NULL: it wasn't set, or out of memory */
};

static struct place *places;
static size_t place_count;

/* A variable was about a cache (occ_variable_names_cache()). */
static bool named_cache_at_start;

/* Compilers' own, which none of the drivers seen reads. */
static const char *const path_variables[] = {
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"OBJC_INCLUDE_PATH",
};

struct list {
	char **directories;
	size_t count;
	bool failed;
};

static void add_places(const struct occ_variable *variable)
{
	for (; variable && variable->name; variable++) {
		const char *value = variable->kind == OCC_VARIABLE_PLACE
					    ? getenv(variable->name)
					    : NULL;
		struct place *more;

		if (!value)
			continue;
		more = realloc(places, (place_count + 1) * sizeof(*places));
		if (!more)
			return;
		places = more;
		places[place_count++] = (struct place){
			.name = variable->name,
			.at_start = strdup(value),
		};
	}
}

static bool names_cache(void)
{
	for (char **variable = environ; variable && *variable; variable++)
		if (occ_variable_names_cache(*variable,
					     strcspn(*variable, "=")))
			return true;
	return false;
}

void occ_include_dirs_start(void)
{
	const struct occ_driver *driver;

	named_cache_at_start = names_cache();
	for (size_t i = 0; (driver = occ_driver_at(i)); i++)
		add_places(driver->variables);
}

void occ_include_dirs_end(void)
{
	for (size_t i = 0; i < place_count; i++)
		free(places[i].at_start);
	free(places);
	places = NULL;
	place_count = 0;
	named_cache_at_start = false;
}

/* The value at the start, or now; NULL: it isn't, or wasn't, set. */
static const char *value_of(const char *name, bool at_start)
{
	if (!at_start)
		return getenv(name);
	for (size_t i = 0; i < place_count; i++)
		if (!strcmp(places[i].name, name))
			return places[i].at_start;
	return NULL;
}

static bool has(const struct list *list, const char *directory)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->directories[i], directory))
			return true;
	return false;
}

/* Adds `length` bytes of `directory` with `inside` behind them; once. */
static void add(struct list *list, const char *directory, size_t length,
		const char *inside)
{
	char *path = malloc(length + strlen(inside) + 1), **directories = NULL;

	if (path) {
		memcpy(path, directory, length);
		memcpy(path + length, inside, strlen(inside) + 1);
		directories = realloc(list->directories,
				      (list->count + 2) * sizeof(*directories));
	}
	if (!directories) {
		list->failed = true;
		free(path);
		return;
	}
	list->directories = directories;
	if (has(list, path)) {
		free(path);
		return;
	}
	directories[list->count++] = path;
	directories[list->count] = NULL;
}

static void add_include_dir(struct list *list,
			    const struct occ_include_dir *dir)
{
	const char *inside = dir->inside ? dir->inside : "";
	glob_t found = {0};

	if (!strchr(dir->pattern, '*')) {
		add(list, dir->pattern, strlen(dir->pattern), inside);
		return;
	}
	if (!glob(dir->pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			add(list, found.gl_pathv[i], strlen(found.gl_pathv[i]),
			    inside);
	globfree(&found);
}

/* "DIR:DIR"; an empty one is the current directory. */
static void add_path(struct list *list, const char *path)
{
	while (path) {
		size_t length = strcspn(path, ":");

		add(list, length ? path : ".", length ? length : 1, "");
		path = path[length] ? path + length + 1 : NULL;
	}
}

/* Those of the first variable that is set. */
static void add_source_dirs(struct list *list, const struct occ_source_dir *dir,
			    bool at_start)
{
	for (; dir && dir->inside[0]; dir++) {
		const char *base =
			dir->variable ? value_of(dir->variable, at_start) : "";

		if (!base || (dir->wants_value && !*base))
			continue;
		for (size_t i = 0; dir->inside[i]; i++)
			add(list, base, strlen(base), dir->inside[i]);
		return;
	}
}

/*
 * Why where a driver looks isn't known that is learnt, if so. What was seen of
 * it was seen without such variables: one may turn on a cache of the driver's
 * that overlooks what is included.
 */
static enum occ_reason judge_learnt(const struct occ_driver *driver)
{
	enum occ_search search = driver->search;

	if (search == OCC_SEARCH_UNKNOWN)
		return OCC_REASON_UNLISTED_DIRECTORIES;
	if (search != OCC_SEARCH_USUAL)
		return OCC_REASON_UNLISTED_SEARCH;
	return named_cache_at_start || names_cache()
		       ? OCC_REASON_OWN_CACHE_INCLUDES
		       : OCC_REASON_NONE;
}

enum occ_reason occ_include_dirs_take(const struct occ_identity *identity,
				      char ***ret_directories)
{
	const struct occ_driver *driver = identity->driver;
	const struct occ_include_dir *dir;
	struct list list = {NULL, 0, false};
	enum occ_reason reason =
		driver->learnt ? judge_learnt(driver) : OCC_REASON_NONE;

	*ret_directories = NULL;
	if (reason)
		return reason;
	/* Clang's own headers, where it isn't told where they are. */
	add(&list, "include", strlen("include"), "");
	for (dir = driver->include_dirs; dir && dir->pattern; dir++)
		add_include_dir(&list, dir);
	add_source_dirs(&list, driver->source_dirs, true);
	add_source_dirs(&list, driver->source_dirs, false);
	for (size_t i = 0;
	     i < sizeof(path_variables) / sizeof(path_variables[0]); i++)
		add_path(&list, getenv(path_variables[i]));
	if (list.failed) {
		occ_include_dirs_free(list.directories);
		return OCC_REASON_OUT_OF_MEMORY;
	}
	*ret_directories = list.directories;
	return OCC_REASON_NONE;
}

enum occ_reason occ_include_dirs_here(const struct occ_identity *identity,
				      char **ret_here)
{
	char path[PATH_MAX];

	*ret_here = NULL;
	if (!identity->driver->searches_whole_path && !identity->driver->learnt)
		return OCC_REASON_NONE;
	if (!getcwd(path, sizeof(path)) || *path != '/')
		return OCC_REASON_CURRENT_DIRECTORY;
	*ret_here = strdup(path);
	return *ret_here ? OCC_REASON_NONE : OCC_REASON_OUT_OF_MEMORY;
}

enum occ_reason occ_include_dirs_name_source(
	const struct occ_identity *identity, struct occ_buffer *bytes)
{
	const struct occ_driver *driver = identity->driver;
	const char *cache = driver->cache && driver->cache->variable
				    ? getenv(driver->cache->variable)
				    : NULL;
	struct list list = {NULL, 0, false};

	if (driver->learnt)
		return OCC_REASON_UNLISTED_SOURCE_NAME;
	if (driver->source_name_varies || !driver->source_dirs)
		return driver->source_name_varies;
	/* The path of a temporary file: as random as without the layer. */
	add_source_dirs(&list, driver->source_dirs, true);
	add_source_dirs(&list, driver->source_dirs, false);
	for (size_t i = 0; i < list.count; i++)
		occ_buffer_append(bytes, list.directories[i],
				  strlen(list.directories[i]) + 1);
	occ_buffer_append(bytes, cache ? cache : "",
			  (cache ? strlen(cache) : 0) + 1);
	occ_include_dirs_free(list.directories);
	return list.failed || bytes->failed ? OCC_REASON_OUT_OF_MEMORY
					    : OCC_REASON_NONE;
}

void occ_include_dirs_free(char **directories)
{
	for (size_t i = 0; directories && directories[i]; i++)
		free(directories[i]);
	free(directories);
}

const char *const *occ_include_dirs_headers(const struct occ_identity *identity,
					    bool given)
{
	static const char *const none[] = {NULL};
	const struct occ_driver *driver = identity->driver;

	if (given && driver->headers_beside_given)
		return driver->headers_beside_given;
	return driver->headers ? driver->headers : none;
}

/* As Mesa reads it, but for what only some of its versions take for "yes". */
static bool is_yes(const char *value)
{
	return value && (!strcmp(value, "1") || !strcasecmp(value, "true") ||
			 !strcasecmp(value, "yes") || !strcasecmp(value, "y"));
}

/* Is a word of the options surely one that begins with -I? */
static bool has_directory_option(const char *options)
{
	if (!options || strchr(options, '"'))
		return false;
	return !strncmp(options, "-I", 2) || strstr(options, " -I");
}

bool occ_include_dirs_are_overlooked(const struct occ_identity *identity,
				     const char *options)
{
	const struct occ_driver_cache *cache = identity->driver->cache;

	if (!cache || !cache->overlooks_includes ||
	    has_directory_option(options))
		return false;
	/* Read when the driver makes its devices, which may be after ours. */
	return !is_yes(value_of(cache->variable, true)) ||
	       !is_yes(value_of(cache->variable, false));
}
