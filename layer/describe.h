/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of kernels: what the driver answers about the attributes and
 * arguments of a kernel that it compiled, and what binaries lose. Recorded when
 * the application creates the kernel in the run that compiled, whatever the
 * answers are; or when a program was materialised for them. The layer never
 * creates kernels that nobody asked for: on rusticl one that the driver can't
 * compile ends the process.
 */
#ifndef OCC_LAYER_DESCRIBE_H
#define OCC_LAYER_DESCRIBE_H

#include "cache/description.h"
#include "layer/program.h"

/*
 * A kernel has come of a program whose handle the driver built: describes it,
 * if the program is known by key and its binaries lose such things.
 */
void occ_describe_kernel(cl_kernel kernel, struct occ_program *program);

/*
 * Describes `real`, which is of a program that was materialised, for the entry
 * that the application's kernel is from.
 */
void occ_describe_materialised(cl_kernel real, struct occ_program *program,
			       const struct occ_binary *binary);

/*
 * The description of a kernel by its name, in the entry of `binary` or found
 * since then. True: *ret_kernel is for cache/description.h, and points into
 * *ret_memory, which is to be freed (or NULL).
 */
bool occ_describe_find(struct occ_program *program,
		       const struct occ_binary *binary, const char *name,
		       struct occ_span *ret_kernel, unsigned char **ret_memory);

/*
 * Has the writer (layer/writer.h) add descriptions (OCC_META_KERNELS) to the
 * entries of a recipe. Both stay the caller's.
 */
void occ_describe_complete(struct occ_recipe *recipe,
			   const struct occ_buffer *descriptions);

#endif
