/* SPDX-License-Identifier: MIT */
/*
 * What the environment at the layer's initialisation (environment.h, which is
 * what everybody else uses) means to the driver of one record: what of it is in
 * the key, and whether it stands in the way of caching.
 *
 * That takes a table of some hundred names for each variable, and most
 * processes have one driver, or build nothing: it is found out when it is first
 * asked for.
 *
 * Calling sequence: _start() when the layer is initialised, _end() when no
 * other call is under way. The rest: any thread, with or without the layer's
 * lock, and always with the same list.
 */
#ifndef OCC_LAYER_KEY_DRIVER_VARIABLES_H
#define OCC_LAYER_KEY_DRIVER_VARIABLES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cache/driver/driver.h"
#include "hash/buffer.h"
#include "hash/reason.h"

struct occ_driver_values;

struct occ_driver_variables {
	const struct occ_driver *driver; /* NULL: those that aren't listed */
	bool switched; /* a variable makes switches of all the others */
	/* Why nothing is cached: what files in the variables' place say. */
	enum occ_reason files_reason;
	_Atomic(struct occ_driver_values *)
		values; /* NULL: not asked for yet */
};

/* Reads the files that the driver reads in the variables' place. */
void occ_driver_variables_start(struct occ_driver_variables *variables,
				const struct occ_driver *driver, bool switched);
void occ_driver_variables_end(struct occ_driver_variables *variables);

/* What a variable is to the driver, also by OCLCACHE_HASH_ENV. */
enum occ_variable_kind occ_driver_variables_kind(
	const struct occ_driver_variables *variables, const char *name,
	size_t length);

/* The first of that name counts, as for getenv(). NULL: it isn't there. */
const char *occ_driver_variables_find(char *const *list, size_t count,
				      const char *name, size_t length);

/*
 * Of the variables in the list, all that matter to anybody, what
 * occ_environment_take() says. Both results are borrowed until _end().
 */
enum occ_reason occ_driver_variables_take(
	struct occ_driver_variables *variables, char *const *list, size_t count,
	const struct occ_buffer **ret_key, const char **ret_options);

#endif
