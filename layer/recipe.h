/* SPDX-License-Identifier: MIT */
/*
 * The recipe of one build: everything that the build was made from, and the
 * keys that follow from it, one per device. From a recipe an entry can be
 * looked up, stored, or the very same build repeated later.
 *
 * Constant once made; counted. A build for N devices has N keys and is a hit
 * when all hit.
 */
#ifndef OCC_LAYER_RECIPE_H
#define OCC_LAYER_RECIPE_H

#include "hash/key.h"
#include "layer/identity.h"
#include "layer/input.h"

struct occ_recipe {
	unsigned references; /* atomic */
	cl_context context;  /* borrowed: lives as long as its programs */
	struct occ_input *input;
	char *options; /* "" for NULL */
	struct occ_spec_constants constants;
	struct occ_buffer environment;
	cl_uint device_count;
	/* In the order of CL_PROGRAM_DEVICES. */
	cl_device_id *devices;
	const struct occ_identity **identities;
	struct occ_key *keys;
};

/*
 * Makes the recipe for building a program (made in `context` from `input`) for
 * all of `devices`. Returns NULL and the reason why such a build isn't cached:
 * a constant string for messages and the trace.
 */
struct occ_recipe *occ_recipe_make(cl_context context, struct occ_input *input,
				   const char *options,
				   const struct occ_spec_constants *constants,
				   cl_uint device_count,
				   const cl_device_id *devices,
				   const char **ret_reason);

struct occ_recipe *occ_recipe_retain(struct occ_recipe *recipe);
void occ_recipe_release(struct occ_recipe *recipe); /* NULL: nothing */

/* The driver's habits; one driver per recipe, since contexts have one. */
const struct occ_driver *occ_recipe_driver(const struct occ_recipe *recipe);

#endif
