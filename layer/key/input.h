/* SPDX-License-Identifier: MIT */
/*
 * What a program was created from: source strings or intermediate language.
 * Constant once made, counted, so that a key or a binary program that outlives
 * the application's handle can still read it.
 *
 * Also the specialization constants of a build: a snapshot, because the
 * application may set others later.
 */
#ifndef OCC_LAYER_KEY_INPUT_H
#define OCC_LAYER_KEY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "hash/key.h"
#include "hash/source_label.h"

struct occ_input {
	unsigned references; /* atomic */
	bool is_il;
	/* What made a program from the IL: a core or an extension function. */
	cl_api_clCreateProgramWithIL create_with_il;
	char *text; /* the strings concatenated, or the IL */
	size_t size;
	unsigned char *lengths; /* u64 little-endian per source string */
	size_t lengths_size;
};

/*
 * From the arguments of a clCreateProgramWithSource that succeeded, or of
 * clCreateProgramWithIL. NULL when out of memory (then the program isn't
 * cached). The caller owns one reference.
 */
struct occ_input *occ_input_from_source(cl_uint count, const char **strings,
					const size_t *lengths);
struct occ_input *occ_input_from_il(const void *il, size_t size,
				    cl_api_clCreateProgramWithIL create);

struct occ_input *occ_input_retain(struct occ_input *input);
void occ_input_release(struct occ_input *input); /* NULL: nothing */

/* What to call it in the trace. NULL: "". */
void occ_input_label(const struct occ_input *input,
		     char ret_label[OCC_SOURCE_LABEL_SIZE]);

/* Adds the text's fields to a key. */
void occ_input_add(const struct occ_input *input, struct occ_key *key);

/* A value set by clSetProgramSpecializationConstant. */
struct occ_spec_constant {
	cl_uint id;
	size_t size;
	unsigned char *value;
};

/* By rising id; each id once. All zero is an empty one. */
struct occ_spec_constants {
	/* What set them last: a core function or one fetched by name. */
	cl_api_clSetProgramSpecializationConstant specialize;
	struct occ_spec_constant *list;
	size_t count;
};

/* Sets or replaces; false when out of memory (nothing changed). */
bool occ_spec_constants_set(struct occ_spec_constants *constants, cl_uint id,
			    size_t size, const void *value);
bool occ_spec_constants_copy(const struct occ_spec_constants *from,
			     struct occ_spec_constants *ret_copy);
bool occ_spec_constants_equal(const struct occ_spec_constants *a,
			      const struct occ_spec_constants *b);
void occ_spec_constants_release(struct occ_spec_constants *constants);

/* Appends u32 id, u64 size and the value of each, as keys have them. */
void occ_spec_constants_append(const struct occ_spec_constants *constants,
			       struct occ_buffer *bytes);

#endif
