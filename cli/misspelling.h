/* SPDX-License-Identifier: MIT */
/*
 * Names of settings that nobody heeds: OCLCACHE_DISABEL in the environment, or
 * in a configuration file.
 */
#ifndef OCC_CLI_MISSPELLING_H
#define OCC_CLI_MISSPELLING_H

#include <stdbool.h>

/* The setting that was probably meant by that name; static. NULL: none, or it
 * is a variable that is heeded in the environment. */
const char *occ_misspelling_meant(const char *name);

/*
 * Calls `report` for each variable of the environment that is named as settings
 * are and is none, with the setting that was probably meant, or NULL. True:
 * there are any.
 */
bool occ_misspelling_each(void (*report)(const char *name, const char *meant,
					 void *data),
			  void *data);

/* A warning on standard error for each. True: there are any. */
bool occ_misspelling_warn(void);

#endif
