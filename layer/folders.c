/* SPDX-License-Identifier: MIT */
#include "layer/folders.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char pocl[] = "Portable Computing Language";
static const char intel[] = "Intel(R) OpenCL";
static const char nvidia[] = "NVIDIA CUDA";
static const char rusticl[] = "rusticl";
static const char oclgrind[] = "Oclgrind";

/* Read when drivers are loaded, and again at each build. */
enum {
	POCL_CACHE_DIR,
	XDG_CACHE_HOME,
	HOME,
	MESA_SHADER_CACHE_DISABLE,
	VARIABLE_COUNT,
};

static const char *const names[VARIABLE_COUNT] = {
	[POCL_CACHE_DIR] = "POCL_CACHE_DIR",
	[XDG_CACHE_HOME] = "XDG_CACHE_HOME",
	[HOME] = "HOME",
	[MESA_SHADER_CACHE_DISABLE] = "MESA_SHADER_CACHE_DISABLE",
};

static char *at_start[VARIABLE_COUNT];

/* Folders of a driver, wherever it is installed; NULL: every driver. */
static const struct {
	const char *platform;
	const char *folder;
} fixed[] = {
	/* Clang's own headers, where it isn't told where they are. */
	{NULL, "include"},
	{intel, "/usr/local/include"},
	{intel, "/usr/include"},
	{nvidia, "/usr/local/include"},
	{nvidia, "/usr/include"},
	{rusticl, "/usr/local/include"},
	{rusticl, "/usr/include"},
	/* Where headers are said to be that clCompileProgram is given. */
	{rusticl, "/tmp/openclon12"},
	{oclgrind, "/remapped"},
};

/* Folders within those that match a pattern of glob(3). */
static const struct {
	const char *platform;
	const char *pattern;
	const char *inside;
} matched[] = {
	{rusticl, "/usr/lib*/llvm-*/lib*/clang/*", "/include"},
	{rusticl, "/usr/lib*/clang/*", "/include"},
	{rusticl, "/usr/local/lib*/clang/*", "/include"},
	/* They are its "root directory". */
	{oclgrind, "/usr/lib/*/oclgrind/*", "/usr/local/include"},
	{oclgrind, "/usr/lib/*/oclgrind/*", "/usr/include"},
	{oclgrind, "/usr/lib*/oclgrind/*", "/usr/local/include"},
	{oclgrind, "/usr/lib*/oclgrind/*", "/usr/include"},
	{oclgrind, "/usr/local/lib*/oclgrind/*", "/usr/local/include"},
	{oclgrind, "/usr/local/lib*/oclgrind/*", "/usr/include"},
};

/* Compilers' own, which none of the drivers seen reads. */
static const char *const path_variables[] = {
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"OBJC_INCLUDE_PATH",
};

struct list {
	char **folders;
	size_t count;
	bool failed;
};

void occ_folders_start(void)
{
	for (int i = 0; i < VARIABLE_COUNT; i++) {
		const char *value = getenv(names[i]);

		at_start[i] = value ? strdup(value) : NULL;
	}
}

void occ_folders_end(void)
{
	for (int i = 0; i < VARIABLE_COUNT; i++) {
		free(at_start[i]);
		at_start[i] = NULL;
	}
}

static bool is(const struct occ_identity *identity, const char *platform)
{
	return !strcmp(identity->driver->platform_name, platform);
}

static bool has(const struct list *list, const char *folder)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->folders[i], folder))
			return true;
	return false;
}

/* Adds `length` bytes of `folder` with `inside` behind them; once. */
static void add(struct list *list, const char *folder, size_t length,
		const char *inside)
{
	char *path = malloc(length + strlen(inside) + 1), **folders = NULL;

	if (path) {
		memcpy(path, folder, length);
		memcpy(path + length, inside, strlen(inside) + 1);
		folders = realloc(list->folders,
				  (list->count + 2) * sizeof(*folders));
	}
	if (!folders) {
		list->failed = true;
		free(path);
		return;
	}
	list->folders = folders;
	if (has(list, path)) {
		free(path);
		return;
	}
	folders[list->count++] = path;
	folders[list->count] = NULL;
}

static void add_joined(struct list *list, const char *base, const char *inside,
		       const char *last)
{
	char folder[PATH_MAX];
	int length =
		snprintf(folder, sizeof(folder), "%s%s%s", base, inside, last);

	if (length < (int)sizeof(folder))
		add(list, folder, (size_t)length, "");
	else
		list->failed = true;
}

static void add_matched(struct list *list, const char *pattern,
			const char *inside)
{
	glob_t found = {0};

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++)
			add(list, found.gl_pathv[i], strlen(found.gl_pathv[i]),
			    inside);
	globfree(&found);
}

/* "DIR:DIR"; an empty one is the current folder. */
static void add_path(struct list *list, const char *path)
{
	while (path) {
		size_t length = strcspn(path, ":");

		add(list, length ? path : ".", length ? length : 1, "");
		path = path[length] ? path + length + 1 : NULL;
	}
}

/*
 * PoCL writes the source to a file in its cache's folder, and what the source
 * includes in quotes is looked for there first. (lib/CL/pocl_cache.c)
 */
static void add_pocl_cache(struct list *list, char *const *values)
{
	const char *base = values[XDG_CACHE_HOME], *inside = "/pocl/";

	if (values[POCL_CACHE_DIR]) {
		add(list, values[POCL_CACHE_DIR],
		    strlen(values[POCL_CACHE_DIR]), "");
		return;
	}
	if (!base || !*base) {
		base = values[HOME];
		inside = "/.cache/pocl/";
	}
	if (!base) {
		base = "/tmp";
		inside = "/pocl/";
	}
	add_joined(list, base, inside, "kcache");
	add_joined(list, base, inside, "uncached");
}

static void add_pocl_caches(struct list *list)
{
	char *values[VARIABLE_COUNT];

	for (int i = 0; i < VARIABLE_COUNT; i++)
		values[i] = getenv(names[i]);
	add_pocl_cache(list, at_start);
	add_pocl_cache(list, values);
}

static void add_known(struct list *list, const struct occ_identity *identity)
{
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!fixed[i].platform || is(identity, fixed[i].platform))
			add(list, fixed[i].folder, strlen(fixed[i].folder), "");
	for (size_t i = 0; i < sizeof(matched) / sizeof(matched[0]); i++)
		if (is(identity, matched[i].platform))
			add_matched(list, matched[i].pattern,
				    matched[i].inside);
}

static const char *finish(struct list *list, char ***ret_folders)
{
	/* An empty list, too, has its end. */
	if (!list->folders)
		list->folders = calloc(1, sizeof(*list->folders));
	if (list->failed || !list->folders) {
		occ_folders_free(list->folders);
		return "out of memory";
	}
	*ret_folders = list->folders;
	return NULL;
}

const char *occ_folders_take(const struct occ_identity *identity,
			     char ***ret_folders)
{
	struct list list = {NULL, 0, false};

	*ret_folders = NULL;
	if (identity->driver->learnt)
		return "where the driver looks for included files isn't known";
	add_known(&list, identity);
	if (is(identity, pocl))
		add_pocl_caches(&list);
	for (size_t i = 0;
	     i < sizeof(path_variables) / sizeof(path_variables[0]); i++)
		add_path(&list, getenv(path_variables[i]));
	return finish(&list, ret_folders);
}

const char *occ_folders_name_source(const struct occ_identity *identity,
				    struct occ_buffer *bytes)
{
	const char *cache = getenv("POCL_KERNEL_CACHE");
	struct list list = {NULL, 0, false};

	if (identity->driver->learnt)
		return "what __FILE__ is on the driver isn't known";
	if (is(identity, intel))
		return "__FILE__ is a number of the process on the driver";
	if (!is(identity, pocl))
		return NULL;
	/* The path of a temporary file: as random as without the layer. */
	add_pocl_caches(&list);
	for (size_t i = 0; i < list.count; i++)
		occ_buffer_append(bytes, list.folders[i],
				  strlen(list.folders[i]) + 1);
	occ_buffer_append(bytes, cache ? cache : "",
			  (cache ? strlen(cache) : 0) + 1);
	occ_folders_free(list.folders);
	return list.failed || bytes->failed ? "out of memory" : NULL;
}

void occ_folders_free(char **folders)
{
	for (size_t i = 0; folders && folders[i]; i++)
		free(folders[i]);
	free(folders);
}

const char *const *occ_folders_headers(const struct occ_identity *identity)
{
	static const char *const none[] = {NULL};
	static const char *const of_clang[] = {"opencl-c-base.h", "opencl-c.h",
					       NULL};
	static const char *const of_nvidia[] = {"cl_kernel.h",
						"cl_kernel.h.pch", NULL};

	if (identity->driver->learnt)
		return none;
	if (is(identity, rusticl))
		return of_clang;
	if (is(identity, nvidia))
		return of_nvidia;
	return none;
}

/* As Mesa reads it, but for what only some of its versions take for "yes". */
static bool is_yes(const char *value)
{
	return value && (!strcmp(value, "1") || !strcasecmp(value, "true") ||
			 !strcasecmp(value, "yes") || !strcasecmp(value, "y"));
}

/* Is a word of the options surely one that begins with -I? */
static bool has_folder_option(const char *options)
{
	if (!options || strchr(options, '"'))
		return false;
	return !strncmp(options, "-I", 2) || strstr(options, " -I");
}

bool occ_folders_are_overlooked(const struct occ_identity *identity,
				const char *options)
{
	if (identity->driver->learnt || !is(identity, rusticl) ||
	    has_folder_option(options))
		return false;
	/* Read when the driver makes its devices, which may be after ours. */
	return !is_yes(at_start[MESA_SHADER_CACHE_DISABLE]) ||
	       !is_yes(getenv(names[MESA_SHADER_CACHE_DISABLE]));
}
