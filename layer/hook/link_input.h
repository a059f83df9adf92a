/* SPDX-License-Identifier: MIT */
/* The programs that clLinkProgram is given. */
#ifndef OCC_LAYER_HOOK_LINK_INPUT_H
#define OCC_LAYER_HOOK_LINK_INPUT_H

#include "layer/object/program.h"

/* One of them, in the state in which it was found. */
struct occ_input_program {
	cl_program program;	   /* as the driver must see it */
	struct occ_shadow *shadow; /* that answers for it, retained, or NULL */
	struct occ_link_input key; /* as keys see it; all NULL: they don't */
	struct occ_program *observed; /* pinned; NULL: not in our table */
	uint64_t generation;
};

/* Zeroed: none. */
struct occ_link_inputs {
	cl_uint count;
	struct occ_input_program *list;
	cl_uint known_count; /* of those that keys see */
	bool any_observed;
	bool changed; /* one can't be compiled any more as it was */
};

/* To be released. None when out of memory. */
void occ_link_inputs_take(struct occ_link_inputs *inputs, cl_context context,
			  cl_uint count, const cl_program *programs);
void occ_link_inputs_release(struct occ_link_inputs *inputs);

/*
 * Makes the driver do what was served, where a binary isn't as good an input.
 * `programs` are those that the inputs were taken from.
 */
void occ_link_inputs_sync(struct occ_link_inputs *inputs,
			  const cl_program *programs);

/* Has no input been built or compiled since it was taken? */
bool occ_link_inputs_undisturbed(const struct occ_link_inputs *inputs);

#endif
