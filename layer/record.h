/* SPDX-License-Identifier: MIT */
/*
 * A record: what the driver answered about a build, compile or link that it
 * just made, kept until the binaries are fetched and both become entries.
 *
 * Calling sequence: occ_record_make() right after the build, then
 * occ_record_fetch() and occ_record_publish() at once or later while the
 * program still has its build, or both, then occ_record_release().
 */
#ifndef OCC_LAYER_RECORD_H
#define OCC_LAYER_RECORD_H

#include "layer/recipe.h"

struct occ_record;

/*
 * In OCC_META_ANSWERS. An answer with an error code has no bytes, or the size
 * that the driver said all the same, u64 little-endian. With this added to its
 * parameter: the driver succeeded but left the buffer as it was (PoCL's names
 * of no kernels); the bytes are the size.
 */
#define OCC_ANSWER_UNWRITTEN 0x8000

/*
 * Asks the driver for what binaries lose. NULL when the build didn't succeed
 * on every device, or something needed isn't answered. Keeps a reference to
 * the recipe. `compile_time` in ns.
 */
struct occ_record *occ_record_make(cl_program program,
				   struct occ_recipe *recipe,
				   uint64_t compile_time);

/*
 * Fetches the binaries, which may take long, and remembers how long when it
 * does; but not when they were asked for `before`. NULL when the driver gives
 * none. To be released.
 */
struct occ_image *occ_record_fetch(const struct occ_record *record,
				   cl_program program, bool before);

/*
 * Has the writer (layer/writer.h) publish one entry per device with the
 * binaries of `image`, which has the recipe's devices, and say in the trace
 * what became of each. `descriptions` are those of kernels (OCC_META_KERNELS),
 * or empty. Everything stays the caller's. A record that is published again
 * replaces what is less complete.
 */
void occ_record_publish(struct occ_record *record, struct occ_image *image,
			const struct occ_buffer *descriptions,
			enum occ_completeness completeness);

/* What the driver answered for the first device; borrowed. */
struct occ_span occ_record_metadata(const struct occ_record *record);

/* Says in the trace that a build isn't stored, and why. */
void occ_record_explain(const struct occ_recipe *recipe, const char *reason);

/* What the record is of; borrowed. */
struct occ_recipe *occ_record_recipe(const struct occ_record *record);

void occ_record_release(struct occ_record *record); /* NULL: nothing */

#endif
