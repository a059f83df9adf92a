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
 * each kernel made from it another, each call under way a third. The hidden
 * programs are released with the last one.
 */
#ifndef OCC_LAYER_BINARY_H
#define OCC_LAYER_BINARY_H

#include "cache/memory.h"
#include "layer/recipe.h"

/* What a driver answered for one device after it compiled. */
struct occ_answers {
	struct occ_span log;	 /* NULL data: not answered */
	struct occ_span options; /* same */
	struct occ_span others;	 /* OCC_META_ANSWERS; empty: none */
};

struct occ_binary {
	unsigned references; /* atomic */
	cl_program program;
	/*
	 * The result of a link: `program` isn't hidden but the handle that the
	 * application has, and is the application's to release.
	 */
	bool is_handle;
	struct occ_recipe *recipe;
	const char *found_in; /* a constant string, for the trace */
	cl_program_binary_type type;
	/* Per device of the recipe; NULL: adopted, the program answers. */
	struct occ_answers *answers;
	/* The bytes of an object or library; NULL: it is executable. */
	struct occ_image *image;
	struct occ_span kernel_names; /* NUL included; NULL: not answered */
	uint64_t kernel_count;
	struct occ_span kernel_descriptions; /* OCC_META_KERNELS */
	unsigned kernels;	 /* the application's live ones; the lock */
	char *kernel_name;	 /* of the last that went; the lock */
	bool prepared;		 /* occ_binary_prepare() was called; the lock */
	cl_program unbuilt;	 /* atomic; from the input, not yet built */
	cl_program materialised; /* atomic; NULL until needed */
	/* The other that has `program`, too: it is counted there. */
	struct occ_binary *adopted_from;
	unsigned char *memory; /* what the spans point into */
};

/*
 * Loads one entry per device of the recipe into a program, and builds it if it
 * is executable. On success the result is the caller's, and if the recipe is a
 * link's, so is its program; on failure it is NULL, with the reason (a constant
 * string). The entries stay the caller's either way.
 */
struct occ_binary *occ_binary_load(struct occ_recipe *recipe,
				   struct occ_kept *const *entries,
				   const char **ret_reason);

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

/* At initialisation: forgets the counts of contexts that are gone. */
void occ_binary_forget_all(void);

/* Number of hidden programs alive in a context. */
cl_uint occ_binary_hidden_count(cl_context context);

#endif
