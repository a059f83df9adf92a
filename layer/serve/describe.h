/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of kernels: what the driver answers about the attributes and
 * arguments of a kernel that it compiled, which binaries lose. They are
 * recorded when the application creates the kernel in the run that compiled, or
 * when a program was materialised for them. The layer never creates a kernel
 * that nobody asked for: on rusticl one that the driver can't compile ends the
 * process.
 */
#ifndef OCC_LAYER_SERVE_DESCRIBE_H
#define OCC_LAYER_SERVE_DESCRIBE_H

#include "cache/description.h"
#include "layer/object/program.h"

/* What is asked of a kernel, or of one of its arguments. */
struct occ_kernel_question {
	bool argument; /* clGetKernelArgInfo */
	cl_uint index;
	cl_uint name;
};

/* Has the driver answer it, as the two functions do. */
cl_int occ_describe_ask(cl_kernel kernel,
			const struct occ_kernel_question *question,
			size_t capacity, void *value, size_t *ret_size);

/*
 * Describes a new kernel of a program that the driver built, if the program's
 * key is known and its binaries lose descriptions.
 */
void occ_describe_kernel(cl_kernel kernel, struct occ_program *program);

/*
 * Describes `real`, a kernel of a materialised program, for the entry that
 * serves the application's kernel.
 */
void occ_describe_materialised(cl_kernel real, struct occ_program *program,
			       const struct occ_shadow *shadow);

/*
 * Finds the description of a kernel by its name, in the entry of `shadow` or
 * among those recorded since. If there is one, returns true: *ret_kernel is for
 * cache/description.h, and points into *ret_memory, which the caller frees (or
 * NULL).
 */
bool occ_describe_find(struct occ_program *program,
		       const struct occ_shadow *shadow, const char *name,
		       struct occ_span *ret_kernel, unsigned char **ret_memory);

/*
 * Has the writer (layer/base/writer.h) add descriptions (OCC_META_KERNELS) to
 * the entries of a build key. Both stay the caller's.
 */
void occ_describe_complete(struct occ_build_key *build_key,
			   const struct occ_buffer *descriptions);

#endif
