/* SPDX-License-Identifier: MIT */
/*
 * Build keys of entries, for programs that are loaded before anybody has asked
 * for them (layer/serve/load_ahead.h). Nothing can be looked up or built anew
 * by such a key: it says how the entry's binary is to be loaded, and is
 * compared with the key of the build that comes.
 */
#ifndef OCC_LAYER_KEY_BUILD_KEY_ENTRY_H
#define OCC_LAYER_KEY_BUILD_KEY_ENTRY_H

#include "cache/memory.h"
#include "layer/key/build_key.h"

/*
 * That of entries, one for each device, that a clBuildProgram or clLinkProgram
 * for these devices made. NULL: they are of other devices, of other drivers or
 * other versions of these, of a compile; or out of memory. The caller owns the
 * result. The identities are those that are foreseen (layer/driver/identity.h).
 */
struct occ_build_key *occ_build_key_of_entries(cl_context context,
					       cl_uint device_count,
					       const cl_device_id *devices,
					       struct occ_kept *const *entries);

#endif
