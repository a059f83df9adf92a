/* SPDX-License-Identifier: MIT */
/*
 * The settings: their names, what they may be, what holds when nothing is said;
 * and what is set, and where: in the environment, and two configuration files,
 * each of which may be missing. README.md has the table.
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
 * Calling sequence: occ_settings_read(), any of the rest,
 * occ_settings_release(). All that a struct has is its own until the release,
 * and it doesn't move before. Where nothing is set, a reading is two calls of
 * open() and no allocation.
 *
 * Threads: as getenv(); a struct belongs to one thread while it is read.
 */
#ifndef OCC_CACHE_SETTINGS_H
#define OCC_CACHE_SETTINGS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OCC_SETTINGS_FILE_NAME	  "oclcache.conf"
#define OCC_SETTINGS_FILES	  2
#define OCC_SETTINGS_LINE_MAX	  4096
#define OCC_SETTINGS_PROBLEMS_MAX 16

enum occ_setting_id {
	OCC_SETTING_DISABLE,
	OCC_SETTING_DIR,
	OCC_SETTING_READONLY_DIRS,
	OCC_SETTING_PERSISTENT,
	OCC_SETTING_MAX_SIZE,
	OCC_SETTING_MAX_AGE,
	OCC_SETTING_MEMORY_SIZE,
	OCC_SETTING_STORE,
	OCC_SETTING_MODE,
	OCC_SETTING_WAIT,
	OCC_SETTING_SKIP,
	OCC_SETTING_HASH_ENV,
	OCC_SETTING_UPGRADE,
	OCC_SETTING_PREFETCH,
	OCC_SETTING_RECORD,
	OCC_SETTING_RECORD_MAX_SIZE,
	OCC_SETTING_REMOTE,
	OCC_SETTING_REMOTE_CONNECT,
	OCC_SETTING_REMOTE_WAIT,
	OCC_SETTING_TRUSTED_KEYS,
	OCC_SETTING_SIGNING_KEY,
	OCC_SETTING_DEBUG,
	OCC_SETTING_TRACE,
	OCC_SETTING_LOG_FILE,
	OCC_SETTINGS, /* how many there are */
};

enum occ_setting_kind {
	OCC_SETTING_FLAG,	/* 0 or 1; also no and yes, and the like */
	OCC_SETTING_NUMBER,	/* of `unit` */
	OCC_SETTING_CHOICE,	/* one of `choices` */
	OCC_SETTING_DIRECTORY,	/* an absolute path */
	OCC_SETTING_PATHS,	/* DIR:DIR, absolute ones */
	OCC_SETTING_ITEMS,	/* exe:NAME,device:TEXT */
	OCC_SETTING_REMOTE_URL, /* as cache/remote_setting.h understands it */
	OCC_SETTING_TEXT,	/* anything */
};

struct occ_setting {
	const char *name;
	const char *intels; /* Intel's name of the same, or NULL */
	enum occ_setting_kind kind;
	bool is_size;		    /* "500M", "2GiB" are numbers, too */
	const char *unit;	    /* of numbers, in the plural */
	const char *const *choices; /* NULL at the end */
	uint64_t otherwise;	    /* the default: a number, or a choice */
	/*
	 * What a flag that isn't understood counts as: somebody who wants the
	 * cache off gets that, however it is spelt.
	 */
	uint64_t unclear;
	uint64_t most;	  /* larger numbers count as this one */
	const char *help; /* one line */
};

/* By enum occ_setting_id. */
extern const struct occ_setting occ_settings_table[OCC_SETTINGS];

/* The choices of OCLCACHE_STORE and OCLCACHE_MODE, in the table's order. */
enum occ_store_policy {
	OCC_STORE_AUTO,	 /* where fetching binaries is cheap */
	OCC_STORE_EAGER, /* in the first run, whatever it costs */
	OCC_STORE_NEVER, /* no programs */
};

enum occ_mode {
	OCC_MODE_READWRITE,
	OCC_MODE_READONLY, /* nothing is ever written to a store */
	OCC_MODE_RECACHE,  /* no entry is ever read; all are made anew */
	OCC_MODE_REQUIRE,  /* what isn't found isn't compiled: it fails */
};

/* What a setting is set to, and where. */
struct occ_setting_value {
	char *text;	  /* NULL: the default */
	const char *name; /* by which it was set; NULL: it wasn't */
	const char *file; /* NULL: in the environment */
	unsigned line;
	bool understood; /* so are defaults */
	uint64_t number; /* what holds, as occ_settings_parse() has it */
};

/* What isn't heeded of a file. */
struct occ_settings_problem {
	const char *file;
	unsigned line;	  /* 0: the whole file */
	const char *name; /* NULL: what follows is about the line or file */
	const char *text; /* "is no setting" */
};

struct occ_settings_file {
	const char *path;
	char *text; /* NULL: nothing of it is heeded */
};

struct occ_settings {
	/* What holds: what is set and understood, else the default. */
	bool disabled;	 /* hook nothing */
	bool persistent; /* use the store at all */
	/*
	 * The absolute path of the store's directory: what is set, else
	 * $XDG_CACHE_HOME/neo_compiler_cache, else
	 * $HOME/.cache/neo_compiler_cache. NULL: what is set is no absolute
	 * path, or nothing is, or out of memory. Never below /tmp, where others
	 * could plant entries.
	 */
	char *directory;
	bool directory_is_default; /* nothing is set */
	/* Absolute paths, the last one NULL; NULL: none. Only read. */
	char **read_only_directories;
	uint64_t max_size;    /* bytes; 0: no limit */
	int64_t max_age;      /* s since the last hit; 0: no limit */
	uint64_t memory_size; /* bytes; 0: no memory tier */
	enum occ_store_policy store_policy;
	enum occ_mode mode;
	uint64_t wait; /* s, for another that builds the same; 0: never */
	bool upgrade;  /* make device code by itself */
	bool prefetch; /* load ahead what the executable took before */
	/* A database (cache/database.h), maybe a relative path; NULL: none. */
	const char *record;
	uint64_t record_max_size; /* bytes; 0: no limit */
	/* cache/remote_setting.h; well-formed, or NULL: none. */
	const char *remote;
	uint64_t remote_connect; /* ms, with the greeting */
	uint64_t remote_wait;	 /* ms, to the first byte of an answer */
	bool debug_messages;
	bool trace;
	const char *log_file;	      /* NULL: standard error */
	const char *hash_environment; /* VAR:VAR, NULL for none */
	const char *skip; /* exe:NAME,device:TEXT, well-formed, or NULL */

	/* How it came to that. */
	struct occ_setting_value values[OCC_SETTINGS];
	struct occ_settings_file files[OCC_SETTINGS_FILES];
	size_t file_count; /* that were looked for */
	struct occ_settings_problem problems[OCC_SETTINGS_PROBLEMS_MAX];
	size_t problem_count; /* that are kept ... */
	size_t problem_total; /* ... of so many */
	/* One behind the other: most of the room is memory never touched. */
	size_t paths_size;
	char paths[OCC_SETTINGS_FILES * PATH_MAX];
};

/*
 * Never fails: what can't be read is a problem, and counts as not there, as do
 * texts for which there is no memory.
 */
void occ_settings_read(struct occ_settings *ret_settings);

/* Then it is zeros, but for the room for paths. */
void occ_settings_release(struct occ_settings *settings);

/* The setting of that name, ours or Intel's; OCC_SETTINGS for none. */
enum occ_setting_id occ_settings_find(const char *name);

/*
 * Is it a variable that is heeded in the environment alone (OCLCACHE_CONFIG)?
 */
bool occ_settings_is_variable(const char *name);

/*
 * How many bytes a unit of sizes is: none or B, k or K, M, G, T of 1000 and Ki,
 * Mi ... of 1024, perhaps with a B behind it. 0: it is no unit.
 */
uint64_t occ_settings_unit(const char *unit);

/*
 * Understands a value: of flags and numbers *ret_number is the number, of
 * choices the index, else 0. False: it isn't understood, and *ret_number is
 * what holds instead: the default's, or of flags `unclear`. NULL is the
 * default.
 */
bool occ_settings_parse(const struct occ_setting *setting, const char *value,
			uint64_t *ret_number);

/* Room for the texts below. */
#define OCC_SETTINGS_TEXT_SIZE 96

/* What to say of values that aren't understood: "use an absolute path". */
const char *occ_settings_advice(const struct occ_setting *setting,
				char ret_text[OCC_SETTINGS_TEXT_SIZE]);

/* The number as it would be written: "1073741824", "auto"; "" of the others. */
const char *occ_settings_text(const struct occ_setting *setting,
			      uint64_t number,
			      char ret_text[OCC_SETTINGS_TEXT_SIZE]);

/*
 * To put before what is said of a place: "/etc/oclcache.conf:3: ", without the
 * line when that is 0, or "" for the environment (NULL).
 */
#define OCC_SETTINGS_PLACE_SIZE (PATH_MAX + 16)
const char *occ_settings_place(const char *file, unsigned line,
			       char ret_text[OCC_SETTINGS_PLACE_SIZE]);

/*
 * The first path of DIR:DIR that isn't empty, and its length; NULL: there is
 * none. The next one is the first of what follows it.
 */
const char *occ_settings_path(const char *list, size_t *ret_length);

/*
 * The rest of an item of OCLCACHE_SKIP, if it starts with `kind` ("exe:"), and
 * its length; NULL: it doesn't, or there's nothing more.
 */
const char *occ_settings_item(const char *item, const char *kind,
			      size_t *ret_length);

/* The item after this one, or NULL. */
const char *occ_settings_next_item(const char *item);

#endif
