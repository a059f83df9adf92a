/* SPDX-License-Identifier: MIT */
/*
 * A record: what the driver answered about a build that it just made, kept
 * until the binaries are fetched and both become entries.
 *
 * Calling sequence: occ_record_make() right after the build, then
 * occ_record_store() at once or later while the program still has its build,
 * then occ_record_release().
 */
#ifndef OCC_LAYER_RECORD_H
#define OCC_LAYER_RECORD_H

#include "layer/recipe.h"

struct occ_record;

/*
 * Asks the driver for what binaries lose. NULL when the build didn't succeed
 * on every device, or something needed isn't answered. Keeps a reference to
 * the recipe. `compile_time` in ns.
 */
struct occ_record *occ_record_make(cl_program program,
				   struct occ_recipe *recipe,
				   uint64_t compile_time);

/* Fetches the program's binaries: one per device, in the recipe's order. */
struct occ_binaries {
	unsigned char **data; /* NULL where the driver has none */
	size_t *sizes;
	cl_uint count;
};
bool occ_record_fetch(const struct occ_record *record, cl_program program,
		      struct occ_binaries *ret_binaries);
void occ_binaries_release(struct occ_binaries *binaries);

/* Publishes one entry per device; says in the trace what became of each. */
void occ_record_publish(const struct occ_record *record,
			const struct occ_binaries *binaries);

/* Says in the trace that a build isn't stored, and why. */
void occ_record_explain(const struct occ_recipe *recipe, const char *reason);

/* What the record is of; borrowed. */
const struct occ_recipe *occ_record_recipe(const struct occ_record *record);

void occ_record_release(struct occ_record *record); /* NULL: nothing */

#endif
