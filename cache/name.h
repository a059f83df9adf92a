/* SPDX-License-Identifier: MIT */
/*
 * The names of the files in a store: which are made, and what a name that is
 * found there says about its file. Pure text, no I/O.
 */
#ifndef OCC_CACHE_NAME_H
#define OCC_CACHE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "hash/digest.h"

#define OCC_NAME_SIZE_LEDGER "config.file"
#define OCC_NAME_TAG	     "CACHEDIR.TAG"
#define OCC_NAME_STATE	     "oclcache.state"
#define OCC_NAME_LOCK	     "oclcache.lock" /* cache/build_lock.h; always empty */
#define OCC_NAME_COUNTERS    "oclcache.counters"
#define OCC_NAME_HISTORY     "oclcache.history"

/* What is in CACHEDIR.TAG: https://bford.info/cachedir/ */
#define OCC_NAME_TAG_TEXT                                                      \
	"Signature: 8a477f597d28d172789f06886806bc55\n"                        \
	"# This file is a cache directory tag created by oclcache.\n"

/* Room for each of the names below and its NUL. */
#define OCC_NAME_SIZE 64

enum occ_name_kind {
	OCC_NAME_FOREIGN, /* anything else: not counted, not touched */
	OCC_NAME_ENTRY,	  /* <32 hex>.cl_cache, <32 hex>-<number>.cl_cache */
	/*
	 * Other *.cl_cache and *.l0_cache: Intel's driver's; and what it left
	 * of these when it was killed, cl_cache.XXXXXX: it writes them under
	 * the lock. In directories (nested.h) d/e/de<14 hex>.cl_cache and
	 * .l0_cache alone.
	 */
	OCC_NAME_NEO,
	OCC_NAME_TRACE,	      /* <32 hex>.trace, <32 hex>-<number>.trace */
	OCC_NAME_INCLUDES,    /* <32 hex>.includes */
	OCC_NAME_WORKING_SET, /* <32 hex>.workingset */
	OCC_NAME_INCLUDED,    /* <32 hex>.included */
	OCC_NAME_TEMP,	      /* oclcache-XXXXXX.tmp */
	OCC_NAME_FIXED,	      /* config.file, CACHEDIR.TAG, oclcache.state,
				 oclcache.lock, oclcache.counters,
				 oclcache.history */
};

/* Of a file in the store's directory, or of a path from there. */
enum occ_name_kind occ_name_kind(const char *name);

/* Is it ours, and beside the entries: a trace, or what is remembered? */
bool occ_name_is_beside(enum occ_name_kind kind);

/* May it go when room is needed? */
bool occ_name_is_evictable(enum occ_name_kind kind);

/* The `number`th name for entries with this hash. */
void occ_name_entry(const struct occ_digest *hash, int number,
		    char ret_name[OCC_NAME_SIZE]);

/* The name of the trace of this hash. */
void occ_name_trace(const struct occ_digest *hash,
		    char ret_name[OCC_NAME_SIZE]);

/* The name of what a source with this digest includes (cache/includes.h). */
void occ_name_includes(const struct occ_digest *digest,
		       char ret_name[OCC_NAME_SIZE]);

/* The name of the working set in that place (cache/working_set.h). */
void occ_name_working_set(const struct occ_digest *place,
			  char ret_name[OCC_NAME_SIZE]);

/* The name of the file with such contents (cache/included_contents.h). */
void occ_name_included(const struct occ_digest *contents,
		       char ret_name[OCC_NAME_SIZE]);

/* A temp file's name made of 6 characters taken from `random`. */
void occ_name_temp(uint64_t random, char ret_name[OCC_NAME_SIZE]);

#endif
