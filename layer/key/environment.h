/* SPDX-License-Identifier: MIT */
/*
 * The environment variables that drivers compile by, as they were when the
 * layer was initialised: each driver's by its record (cache/driver/driver.h),
 * and those of OCLCACHE_HASH_ENV for all.
 *
 * Some drivers read them when they are loaded, some for the first list of
 * devices or the first context, some at each build, and what was read may stay
 * for the life of the process. So they are looked at whenever a driver may be
 * about to read them; and where one that matters to a driver had another value,
 * came or went, be it that it is back by now, nothing of that driver is cached
 * in the process any more.
 *
 * Loaders load drivers, and initialise layers, in one call of the application:
 * that nothing changes the environment in between is assumed. A walk through
 * environ is no worse than getenv(), while another thread is in setenv(): what
 * it misses is a difference.
 */
#ifndef OCC_LAYER_KEY_ENVIRONMENT_H
#define OCC_LAYER_KEY_ENVIRONMENT_H

#include <stdbool.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "hash/reason.h"

/* At layer initialisation; false when out of memory. */
bool occ_environment_init(void);
void occ_environment_release(void);

/*
 * A driver is about to look for devices or to make a context. Any thread,
 * without or with the layer's lock; costs less than a microsecond.
 */
void occ_environment_look(void);

/* A driver is about to build, or may have for a launch; the same. */
void occ_environment_look_at_build(void);

struct occ_environment {
	/* "NAME=value" with their NULs, by rising name: for the key. */
	const struct occ_buffer *variables;
	/* Options that the driver puts behind those of a call; "" for none. */
	const char *options;
};

/*
 * The variables of the driver, borrowed until occ_environment_release(), or why
 * nothing is cached with them.
 */
enum occ_reason occ_environment_take(const struct occ_driver *driver,
				     struct occ_environment *ret_environment);

/*
 * The same by what was seen when they were looked at last: for a thread that
 * the application doesn't know of, and may be in setenv() beside.
 */
enum occ_reason occ_environment_take_seen(
	const struct occ_driver *driver,
	struct occ_environment *ret_environment);

/* Is there, now, a variable whose name begins so? */
bool occ_environment_has(const char *beginning);

/* Would occ_environment_take() answer what it did? Looks first. */
bool occ_environment_stable(const struct occ_driver *driver);

#endif
