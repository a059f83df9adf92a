/* SPDX-License-Identifier: MIT */
/* Is what a build key was made from still as it was? */
#ifndef OCC_LAYER_KEY_BUILD_KEY_CHECK_H
#define OCC_LAYER_KEY_BUILD_KEY_CHECK_H

#include "layer/key/build_key.h"

/*
 * Would the operation still make what it made when the build key was made: are
 * environment and included files as they were? Looks at the files.
 */
bool occ_build_key_current(const struct occ_build_key *build_key);

/*
 * Was it so all the time since then? Not if a file was written, be it with the
 * same bytes, or one of the driver's own: what it read in between isn't known.
 */
bool occ_build_key_undisturbed(const struct occ_build_key *build_key);

#endif
