/* SPDX-License-Identifier: MIT */
/* Makes build keys, or finds them again. */
#ifndef OCC_LAYER_KEY_BUILD_KEY_MAKE_H
#define OCC_LAYER_KEY_BUILD_KEY_MAKE_H

#include "hash/reason.h"
#include "layer/key/build_key.h"

/*
 * Makes the build key, or finds that of an equal request, if nothing that it
 * was made from has changed since. NULL: *ret_reason says why such an operation
 * isn't cached.
 */
struct occ_build_key *occ_build_key_make(const struct occ_request *request,
					 enum occ_reason *ret_reason);

/*
 * Why nothing is loaded or stored, by now, of the driver of a build key, if so:
 * of that only the devices' identities are looked at.
 */
enum occ_reason occ_build_key_refusal(const struct occ_build_key *build_key);

/* The driver is about to do it: what is unread is read meanwhile. */
void occ_build_key_start_reading(const struct occ_build_key *build_key);

/*
 * Before it is stored: waits for what was unread of the drivers, and makes the
 * keys with it. For who alone has the build key. False: it can't be stored.
 */
bool occ_build_key_finish(struct occ_build_key *build_key);

#endif
