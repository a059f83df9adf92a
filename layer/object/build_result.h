/* SPDX-License-Identifier: MIT */
/*
 * What the driver answered about a build, compile or link that it just made
 * (layer/serve/build_answers.h), kept until the binaries are fetched and both
 * become entries (layer/serve/store_result.h).
 */
#ifndef OCC_LAYER_OBJECT_BUILD_RESULT_H
#define OCC_LAYER_OBJECT_BUILD_RESULT_H

#include "layer/key/build_key.h"

struct occ_build_result {
	struct occ_build_key *build_key;
	struct occ_buffer *metadata; /* one per device of the build key */
	uint64_t compile_time;	     /* ns */
	bool published; /* already, with a binary that may be incomplete */
};

/* What the driver answered for the first device; borrowed. */
struct occ_span occ_build_result_metadata(
	const struct occ_build_result *result);

void occ_build_result_release(
	struct occ_build_result *result); /* NULL: nothing */

#endif
