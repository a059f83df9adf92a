/* SPDX-License-Identifier: MIT */
/*
 * Has the driver do what a build key describes. The programs made here are
 * hidden from the application; the caller releases them. No lock may be held:
 * the driver compiles.
 */
#ifndef OCC_LAYER_SERVE_REBUILD_H
#define OCC_LAYER_SERVE_REBUILD_H

#include "layer/key/build_key.h"

/*
 * A new program from the build key's source or IL, with its specialization
 * constants, not built yet. NULL for links and when the driver refuses.
 */
cl_program occ_rebuild_unbuilt(const struct occ_build_key *build_key);

/*
 * Builds or compiles a program as the build key says, without a callback.
 * Returns the driver's error code. CL_SUCCESS isn't success on all drivers: see
 * occ_rebuild_succeeded().
 */
cl_int occ_rebuild_repeat(cl_program program,
			  const struct occ_build_key *build_key);

/* Does every device of the build key say CL_BUILD_SUCCESS? */
bool occ_rebuild_succeeded(cl_program program,
			   const struct occ_build_key *build_key);

/*
 * A program that the driver has built, compiled or linked as the build key
 * says. `unbuilt`, unless NULL, is used for it and taken over. NULL if that
 * failed, or if it would make something else by now.
 */
cl_program occ_rebuild(const struct occ_build_key *build_key,
		       cl_program unbuilt);

/*
 * A program from binaries, one per device; not built. NULL when the driver
 * refuses one of them, with its code in *ret_error.
 */
cl_program occ_rebuild_from_binaries(cl_context context, cl_uint device_count,
				     const cl_device_id *devices,
				     const size_t *sizes,
				     const unsigned char **binaries,
				     cl_int *ret_error);

#endif
