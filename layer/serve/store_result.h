/* SPDX-License-Identifier: MIT */
/*
 * Makes entries of a build result: occ_store_result_fetch() gets the binaries
 * from the driver, occ_store_result_publish() has them written. That may be
 * done right after the build, or later while the program still has that build,
 * or both.
 */
#ifndef OCC_LAYER_SERVE_STORE_RESULT_H
#define OCC_LAYER_SERVE_STORE_RESULT_H

#include "hash/reason.h"
#include "layer/object/program.h"

/*
 * Fetches the binaries. If that takes long, remembers how long, unless they
 * were asked for `before`. NULL if the driver gives none, or if the environment
 * that it compiles by isn't that of the build any more. The caller releases
 * them.
 */
struct occ_binaries *occ_store_result_fetch(
	const struct occ_build_result *result, cl_program program, bool before);

/*
 * Has the writer (layer/base/writer.h) publish one entry per device of the
 * build key, and trace the outcome of each; then keep what the included files
 * have (cache/included_contents.h), of what was stored. `binaries` are of these
 * devices. `descriptions` are those of kernels (OCC_META_KERNELS), or empty.
 * The caller keeps everything. Published again, an entry replaces a less
 * complete one.
 */
void occ_store_result_publish(struct occ_build_result *result,
			      struct occ_binaries *binaries,
			      const struct occ_buffer *descriptions,
			      enum occ_completeness completeness);

/* Traces a build that the driver refused. */
void occ_store_result_failed(const struct occ_build_key *build_key);

/* Traces and counts a build that isn't stored. */
void occ_store_result_not_stored(const struct occ_build_key *build_key,
				 enum occ_reason reason);

#endif
