/* SPDX-License-Identifier: MIT */
/*
 * The process's settings (cache/settings.h), and what is left alone.
 *
 * occ_settings_load() is called once, at layer initialisation; after it they
 * are constant. It tries to open two files and reads those that are there; any
 * other I/O is messages about what can't be understood, which counts as not
 * set.
 */
#ifndef OCC_LAYER_BASE_SETTINGS_H
#define OCC_LAYER_BASE_SETTINGS_H

#include "cache/settings.h"

extern struct occ_settings occ_settings;

/* OCLCACHE_STATS_FILE, an absolute path (layer/serve/stats.h); NULL: none. */
extern char *occ_settings_stats_file;

/* OCLCACHE_KEEP_ALL, of `oclcache replay`: nothing is removed to make room. */
extern bool occ_settings_keeps_all;

/* OCLCACHE_RECORD as an absolute path; NULL: nothing is recorded. */
extern char *occ_settings_record_file;

void occ_settings_load(void);

/* Then all is disabled. */
void occ_settings_unload(void);

/* Is a device of that name to be left alone (OCLCACHE_SKIP)? */
bool occ_settings_skips_device(const char *name);

#endif
