/* SPDX-License-Identifier: MIT */
/*
 * What users set, by environment variables and configuration files
 * (cache/preference.h): Intel's names (NEO_CACHE_* etc., as in
 * compute-runtime's COMPILER_CACHE.md) and this project's OCLCACHE_*, which
 * override them. README.md has the table.
 *
 * occ_config_read() is called once, at layer initialisation; after it the
 * configuration is constant. It tries to open two files and reads those that
 * are there; any other I/O is messages about what can't be understood, which
 * counts as not set.
 */
#ifndef OCC_LAYER_CONFIG_H
#define OCC_LAYER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* Both in the order of cache/setting.c. */
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

struct occ_config {
	bool disabled;	    /* hook nothing */
	bool persistent;    /* use the store at all */
	char *directory;    /* absolute; NULL: nowhere to store */
	bool create_parent; /* directory is the default one */
	/* Absolute paths, the last one NULL; NULL: none. Only read. */
	char **read_only_directories;
	uint64_t max_size;    /* bytes; 0: no limit */
	int64_t max_age;      /* s since the last hit; 0: no limit */
	uint64_t memory_size; /* bytes; 0: no memory tier */
	enum occ_store_policy store_policy;
	enum occ_mode mode;
	uint64_t wait; /* s, for another that builds the same; 0: never */
	bool debug_messages;
	bool trace;
	char *log_file;		/* NULL: standard error */
	char *stats_file;	/* layer/tally.h; NULL: none */
	char *hash_environment; /* VAR:VAR, NULL for none */
	char *skip;		/* exe:NAME,device:TEXT, well-formed, or NULL */
};

extern struct occ_config occ_config;

void occ_config_read(void);

/* Is a device of that name to be left alone (OCLCACHE_SKIP)? */
bool occ_config_skips_device(const char *name);

/* The reason why programs for it aren't cached. */
extern const char occ_config_skipped[];

void occ_config_release(void);

#endif
