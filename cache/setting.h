/* SPDX-License-Identifier: MIT */
/*
 * The settings: their names, what they may be, and what holds when nothing is
 * said. Where values come from is preference.h's; README.md has the table.
 *
 * Threads: no state.
 */
#ifndef OCC_CACHE_SETTING_H
#define OCC_CACHE_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	OCC_SETTING_DEBUG,
	OCC_SETTING_TRACE,
	OCC_SETTING_LOG_FILE,
	OCC_SETTINGS, /* how many there are */
};

enum occ_setting_kind {
	OCC_SETTING_FLAG,      /* 0 or 1 */
	OCC_SETTING_NUMBER,    /* of `unit` */
	OCC_SETTING_CHOICE,    /* one of `choices` */
	OCC_SETTING_DIRECTORY, /* an absolute path */
	OCC_SETTING_PATHS,     /* DIR:DIR, absolute ones */
	OCC_SETTING_ITEMS,     /* exe:NAME,device:TEXT */
	OCC_SETTING_TEXT,      /* anything */
};

struct occ_setting {
	const char *name;
	const char *intels; /* Intel's name of the same, or NULL */
	enum occ_setting_kind kind;
	bool is_size;		    /* "500M", "2GiB" are numbers, too */
	const char *unit;	    /* of numbers, in the plural */
	const char *const *choices; /* NULL at the end */
	uint64_t otherwise;	    /* the default: a number, or a choice */
	uint64_t most;		    /* larger numbers count as this one */
	const char *help;	    /* one line */
};

/* By enum occ_setting_id. */
extern const struct occ_setting occ_settings[OCC_SETTINGS];

/*
 * How many bytes a unit of sizes is: none or B, k or K, M, G, T of 1000 and Ki,
 * Mi ... of 1024, perhaps with a B behind it. 0: it is no unit.
 */
uint64_t occ_setting_unit(const char *unit);

/*
 * Understands a value: of flags and numbers *ret_number is the number, of
 * choices the index, else 0. False: it isn't understood, and *ret_number is the
 * default's. NULL is the default.
 */
bool occ_setting_parse(const struct occ_setting *setting, const char *value,
		       uint64_t *ret_number);

/* Room for the texts below. */
#define OCC_SETTING_TEXT_SIZE 96

/* What to say of values that aren't understood: "use 0 or 1". */
const char *occ_setting_advice(const struct occ_setting *setting,
			       char ret_text[OCC_SETTING_TEXT_SIZE]);

/* The number as it would be written: "1073741824", "auto"; "" of the others. */
const char *occ_setting_text(const struct occ_setting *setting, uint64_t number,
			     char ret_text[OCC_SETTING_TEXT_SIZE]);

/*
 * The rest of an item of OCLCACHE_SKIP, if it starts with `kind` ("exe:"), and
 * its length; NULL: it doesn't, or there's nothing more.
 */
const char *occ_setting_item(const char *item, const char *kind,
			     size_t *ret_length);

/* The item after this one, or NULL. */
const char *occ_setting_next_item(const char *item);

#endif
