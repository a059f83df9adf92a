/* SPDX-License-Identifier: MIT */
/*
 * A binary program: the hidden cl_program made with clCreateProgramWithBinary
 * that answers for the application's program after a hit. The application
 * never sees its handle.
 *
 * It also keeps what the driver forgets when it loads a binary (build log,
 * options, kernel names and their order), as the entry has it; and what isn't
 * in the entry is *materialised*: another hidden program is really built, from
 * the recipe, and asked.
 *
 * Counted. The application's program holds one reference while it is served,
 * each kernel made from it another, each call under way a third. What belongs
 * to one of the application's programs is here; the hidden program itself, and
 * what the entry says of it, may be shared: struct occ_live.
 */
#ifndef OCC_LAYER_BINARY_H
#define OCC_LAYER_BINARY_H

#include "layer/live.h"

struct occ_binary {
	unsigned references; /* atomic */
	/* What it was loaded as; others may have that, too. NULL: adopted. */
	struct occ_live *live;
	struct occ_recipe *recipe;
	const char *found_in; /* a constant string, for the trace */
	/* The rest of what is constant is `live`'s; NULL or 0: adopted. */
	cl_program program;
	bool is_handle;
	cl_program_binary_type type;
	const struct occ_answers *answers; /* NULL: the program answers */
	const struct occ_image *image;	   /* NULL: it is executable */
	struct occ_span kernel_names;	   /* NULL data: not answered */
	uint64_t kernel_count;
	struct occ_span kernel_descriptions;
	unsigned kernels;	 /* the application's live ones; the lock */
	char *kernel_name;	 /* of the last that went; the lock */
	bool prepared;		 /* occ_binary_prepare() was called; the lock */
	cl_program unbuilt;	 /* atomic; from the input, not yet built */
	cl_program materialised; /* atomic; NULL until needed */
	/* The other that has `program`, too: it is counted there. */
	struct occ_binary *adopted_from;
};

/*
 * What answers for one of the application's programs by a live program, of
 * which a reference and a use are taken over. NULL when out of memory. The
 * result is the caller's, and if the recipe is a link's, so is its program.
 */
struct occ_binary *occ_binary_from(struct occ_recipe *recipe,
				   struct occ_live *live);

/*
 * What occ_binary_materialise() made for `binary` answers by itself. NULL when
 * out of memory.
 */
struct occ_binary *occ_binary_adopt(struct occ_binary *binary,
				    cl_program materialised);

struct occ_binary *occ_binary_retain(struct occ_binary *binary);
void occ_binary_release(struct occ_binary *binary); /* NULL: nothing */

/*
 * A hidden program that was really made from the recipe, or NULL when that
 * failed. Borrowed: it lives as long as the binary. `what` says for the trace
 * what was asked. No lock is held during the build: threads that come together
 * each build one and all but the first are thrown away.
 */
cl_program occ_binary_materialise(struct occ_binary *binary, const char *what);

/*
 * The context is about to be released: makes the program that materialising
 * would build, without building it.
 */
void occ_binary_prepare(struct occ_binary *binary);

#endif
