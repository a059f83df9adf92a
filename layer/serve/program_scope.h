/* SPDX-License-Identifier: MIT */
/*
 * Program-scope variables, which keep their values from one launch to the next
 * as long as the program lives. Each of the application's programs must have
 * its own, so a hidden program that may have some isn't used twice.
 */
#ifndef OCC_LAYER_SERVE_PROGRAM_SCOPE_H
#define OCC_LAYER_SERVE_PROGRAM_SCOPE_H

#include "layer/object/program_pool.h"

/*
 * Is it certain that a program made by the build key has no such variables?
 * Either the driver, which is known to answer truthfully, says that their size
 * is 0; or the source is in a version of OpenCL C without them, which the
 * driver is known to enforce. `answers` has one element per device.
 */
bool occ_program_scope_is_absent(const struct occ_build_key *build_key,
				 const struct occ_answers *answers);

#endif
