/* SPDX-License-Identifier: MIT */
/*
 * Doing with the driver what a recipe says. The programs made here are hidden
 * from the application and the caller's to release. No lock may be held: the
 * driver compiles.
 */
#ifndef OCC_LAYER_REMAKE_H
#define OCC_LAYER_REMAKE_H

#include "layer/recipe.h"

/*
 * A new program from the recipe's source or IL, with its specialization
 * constants, not built yet. NULL for links and when the driver refuses.
 */
cl_program occ_remake_unbuilt(const struct occ_recipe *recipe);

/*
 * Builds or compiles a program as the recipe says, without a callback. The
 * driver's code; CL_SUCCESS doesn't mean success on all drivers, see
 * occ_remake_succeeded().
 */
cl_int occ_remake_repeat(cl_program program, const struct occ_recipe *recipe);

/* CL_BUILD_SUCCESS on every device of the recipe? */
bool occ_remake_succeeded(cl_program program, const struct occ_recipe *recipe);

/*
 * The whole of it: a program that was built, compiled or linked by the driver
 * as the recipe says. `unbuilt`, unless NULL, is used for it and taken over.
 * NULL when that failed, or would make something else by now.
 */
cl_program occ_remake(const struct occ_recipe *recipe, cl_program unbuilt);

/*
 * A program from binaries, one per device; not built. NULL when the driver
 * refuses one of them, with its code in *ret_error.
 */
cl_program occ_remake_from_binaries(cl_context context, cl_uint device_count,
				    const cl_device_id *devices,
				    const size_t *sizes,
				    const unsigned char **binaries,
				    cl_int *ret_error);

#endif
