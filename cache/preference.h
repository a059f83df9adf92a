/* SPDX-License-Identifier: MIT */
/*
 * What is set, and where: the environment, and two configuration files, each of
 * which may be missing.
 *
 *	/etc/oclcache.conf
 *	$XDG_CONFIG_HOME/oclcache.conf, else $HOME/.config/oclcache.conf
 *
 * They have a line NAME=VALUE for each setting, with the names of the
 * variables. Blanks around both and quotation marks around the value are taken
 * away; empty lines and such that start with '#' are comments; lines may end
 * like Windows'. An empty value is none, in a file as in the environment. The
 * value "default" is the setting's default.
 *
 * Of several places the last one counts: the first file, the second one, the
 * environment. Within a place OCLCACHE_... goes before Intel's name, and of
 * lines with the same name the last one counts.
 *
 * A file is only heeded if it is a regular one of at most 64 KiB that belongs
 * to the user or to root and that nobody else can write (a group may that has
 * its owner's number). OCLCACHE_CONFIG=FILE, an absolute path, is read instead
 * of both; when that is set and empty, no file is: so the environment alone
 * decides. In a process that has more rights than who started it (AT_SECURE)
 * nothing is set, neither by files nor by the environment.
 *
 * OCLCACHE_ROOT=DIR is for tests: /etc is then DIR/etc.
 *
 * Calling sequence: occ_preferences_read(), any of the rest,
 * occ_preferences_release(). Texts are borrowed: those of the environment until
 * it changes, those of files until the release. Where there are no files, a
 * reading is two calls of open() and no allocation.
 *
 * Threads: as getenv(); a struct belongs to one thread.
 */
#ifndef OCC_CACHE_PREFERENCE_H
#define OCC_CACHE_PREFERENCE_H

#include <limits.h>

#include "cache/setting.h"

#define OCC_PREFERENCE_FILE_NAME "oclcache.conf"
#define OCC_PREFERENCE_FILES	 2
#define OCC_PREFERENCE_FILE_MAX	 65536
#define OCC_PREFERENCE_LINE_MAX	 4096
#define OCC_PREFERENCE_PROBLEMS	 16

struct occ_preference {
	const char *value; /* NULL: the default */
	const char *name;  /* by which it was set; NULL: it wasn't */
	const char *file;  /* NULL: in the environment */
	unsigned line;
};

/* What isn't heeded of a file. */
struct occ_problem {
	const char *file;
	unsigned line;	  /* 0: the whole file */
	const char *name; /* NULL: what follows is about the line or file */
	const char *text; /* "is no setting" */
};

struct occ_preference_file {
	char path[PATH_MAX];
	char *text; /* NULL: nothing of it is heeded */
};

struct occ_preferences {
	struct occ_preference values[OCC_SETTINGS];
	struct occ_preference_file files[OCC_PREFERENCE_FILES];
	size_t file_count; /* that were looked for */
	struct occ_problem problems[OCC_PREFERENCE_PROBLEMS];
	size_t problem_count; /* maybe more than are kept */
};

/*
 * Never fails: what can't be read is a problem, and counts as not there. The
 * struct doesn't move before its release.
 */
void occ_preferences_read(struct occ_preferences *ret_preferences);
void occ_preferences_release(struct occ_preferences *preferences);

/* How many of the problems are kept. */
size_t occ_preferences_problems(const struct occ_preferences *preferences);

/*
 * A flag, a number or the index of a choice: what is set, or, if that isn't
 * understood or nothing is, the default.
 */
uint64_t occ_preferences_number(const struct occ_preferences *preferences,
				enum occ_setting_id id);

/*
 * The absolute path of the store's directory, for the caller to free(): what is
 * set, else $XDG_CACHE_HOME/neo_compiler_cache, else
 * $HOME/.cache/neo_compiler_cache; *ret_by_default: one of the latter two.
 * NULL: what is set is no absolute path, or nothing is, or out of memory. Never
 * below /tmp, where others could plant entries.
 */
char *occ_preferences_directory(const struct occ_preferences *preferences,
				bool *ret_by_default);

/*
 * Is it a variable that is heeded in the environment alone (OCLCACHE_CONFIG)?
 */
bool occ_preference_is_variable(const char *name);

#endif
