/* SPDX-License-Identifier: MIT */
/*
 * Asks the driver, right after a build, compile or link, for what its binaries
 * won't have: build log, options, kernel names and the like.
 */
#ifndef OCC_LAYER_SERVE_BUILD_ANSWERS_H
#define OCC_LAYER_SERVE_BUILD_ANSWERS_H

#include "layer/object/program.h"

/*
 * In OCC_META_ANSWERS an answer with an error code has no bytes, or, if the
 * driver gave a size all the same, that size as u64, little-endian. This is
 * added to the parameter if the driver succeeded but didn't write to the buffer
 * (PoCL's names of no kernels); the bytes are the size then, too.
 */
#define OCC_ANSWER_UNWRITTEN 0x8000

/*
 * To be called right after the build. NULL if it didn't succeed on every
 * device, or the driver doesn't answer something that is needed. The result
 * refers to the build key and is to be released with
 * occ_build_result_release(). `compile_time` in ns.
 */
struct occ_build_result *occ_build_answers_collect(
	cl_program program, struct occ_build_key *build_key,
	uint64_t compile_time);

#endif
