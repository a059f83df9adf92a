/* SPDX-License-Identifier: MIT */
/*
 * The recipe of one build, compile or link: everything that it was made from,
 * and the keys that follow from it, one per device. From a recipe an entry can
 * be looked up, stored, or the very same operation repeated later
 * (layer/remake.h).
 *
 * Constant once made; counted. An operation for N devices has N keys and is a
 * hit when all hit.
 */
#ifndef OCC_LAYER_RECIPE_H
#define OCC_LAYER_RECIPE_H

#include "hash/closure.h"
#include "hash/key.h"
#include "layer/identity.h"
#include "layer/image.h"
#include "layer/input.h"

enum occ_operation {
	OCC_BUILD,   /* clBuildProgram */
	OCC_COMPILE, /* clCompileProgram */
	OCC_LINK,    /* clLinkProgram */
};

/* A header that clCompileProgram is given. */
struct occ_header {
	char *name;
	struct occ_input *input;
};

/* What a link is given. Exactly one of the two is set. */
struct occ_link_input {
	struct occ_recipe *recipe; /* of the operation that made it */
	struct occ_image *image;   /* of the application's own binaries */
};

struct occ_recipe {
	unsigned references; /* atomic */
	enum occ_operation operation;
	cl_context context;	 /* borrowed: lives as long as its programs */
	struct occ_input *input; /* NULL: a link */
	char *options;		 /* "" for NULL */
	char *bypass;		 /* the driver's options instead; NULL: none */
	struct occ_spec_constants constants;
	struct occ_buffer environment;
	cl_uint device_count;
	/* In the order of CL_PROGRAM_DEVICES. */
	cl_device_id *devices;
	const struct occ_identity **identities;
	struct occ_key *keys;
	cl_uint header_count;
	struct occ_header *headers;
	cl_uint link_input_count;
	struct occ_link_input *link_inputs;
	/* What the source and the headers include, and when it was so. */
	struct occ_closure closure;
	struct occ_digest closure_stamp;
	/* For the next request that is equal (layer/repeat.h). */
	struct occ_buffer looks;   /* cache/content.h */
	struct occ_buffer folders; /* searched, each with its NUL */
	bool searched;		   /* the driver's folders were */
	bool repeatable;
	bool recalled;	 /* as it was found by another process */
	bool remembered; /* for others, or not to be; atomic */
	unsigned depth;	 /* of links of links, at most OCC_RECIPE_DEPTH_MAX */
};

/*
 * Recipes of links hold those of their inputs, and are made again and released
 * by recursion, on stacks that may be small.
 */
#define OCC_RECIPE_DEPTH_MAX 8

/* The arguments of the operation; everything is borrowed. */
struct occ_request {
	enum occ_operation operation;
	cl_context context;
	struct occ_input *input;
	const char *options; /* may be NULL */
	const struct occ_spec_constants *constants;
	cl_uint device_count; /* all devices of the program */
	const cl_device_id *devices;
	cl_uint header_count;
	const struct occ_header *headers;
	cl_uint link_input_count;
	const struct occ_link_input *link_inputs;
};

/*
 * Makes the recipe, or finds that of an equal request, if nothing that it was
 * made from has changed since. Returns NULL and the reason why such an
 * operation isn't cached: a constant string for messages and the trace.
 */
struct occ_recipe *occ_recipe_make(const struct occ_request *request,
				   const char **ret_reason);

/* Are files of a driver unread (identity.h)? Then the keys will be others. */
bool occ_recipe_is_unread(const struct occ_recipe *recipe);

/* The driver is about to do it: what is unread is read meanwhile. */
void occ_recipe_start_reading(const struct occ_recipe *recipe);

/*
 * Before it is stored: waits for what was unread of the drivers, and makes the
 * keys with it. For who alone has the recipe. False: it can't be stored.
 */
bool occ_recipe_finish(struct occ_recipe *recipe);

/*
 * Would the operation still make what it made when the recipe was made: are
 * environment and included files as they were? Looks at the files.
 */
bool occ_recipe_current(const struct occ_recipe *recipe);

/*
 * Was it so all the time since then? Not if a file was written, be it with the
 * same bytes, or one of the driver's own: what it read in between isn't known.
 */
bool occ_recipe_undisturbed(const struct occ_recipe *recipe);

struct occ_recipe *occ_recipe_retain(struct occ_recipe *recipe);
void occ_recipe_release(struct occ_recipe *recipe); /* NULL: nothing */

/* The options to give to the driver (layer/bypass.h); never NULL. */
const char *occ_recipe_driver_options(const struct occ_recipe *recipe);

/* The driver's habits; one driver per recipe, since contexts have one. */
const struct occ_driver *occ_recipe_driver(const struct occ_recipe *recipe);

#endif
