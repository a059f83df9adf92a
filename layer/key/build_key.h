/* SPDX-License-Identifier: MIT */
/*
 * The build key of one build, compile or link: everything that it was made
 * from, and the keys that follow from it, one per device. From a build key an
 * entry can be looked up, stored, or the very same operation repeated later
 * (layer/serve/rebuild.h).
 *
 * Constant once made; counted. An operation for N devices has N keys and is a
 * hit when all hit.
 */
#ifndef OCC_LAYER_KEY_BUILD_KEY_H
#define OCC_LAYER_KEY_BUILD_KEY_H

#include "hash/closure.h"
#include "hash/key.h"
#include "layer/driver/identity.h"
#include "layer/key/program_binaries.h"
#include "layer/key/input.h"

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
	struct occ_build_key *build_key; /* of the operation that made it */
	struct occ_binaries *binaries;	 /* of the application's own binaries */
};

struct occ_build_key {
	unsigned references; /* atomic */
	enum occ_operation operation;
	cl_context context;	 /* borrowed: lives as long as its programs */
	struct occ_input *input; /* NULL: a link */
	char *given;		 /* the application's options; "" for NULL */
	bool none_given;	 /* they are NULL */
	char *options;		 /* with those of the environment behind them */
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
	/* For the next request that is equal (layer/key/key_memo.h). */
	struct occ_buffer looks;       /* cache/include_files.h */
	struct occ_buffer directories; /* searched, each with its NUL */
	bool searched;		       /* the driver's directories were */
	bool repeatable;
	bool recalled;	 /* as it was found by another process */
	bool remembered; /* for others, or not to be; atomic */
	unsigned depth; /* of links of links, at most OCC_BUILD_KEY_DEPTH_MAX */
};

/*
 * Build keys of links hold those of their inputs, and are made again and
 * released by recursion, on stacks that may be small.
 */
#define OCC_BUILD_KEY_DEPTH_MAX 8

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

/* Are files of a driver unread (identity.h)? Then the keys will be others. */
bool occ_build_key_is_unread(const struct occ_build_key *build_key);

struct occ_build_key *occ_build_key_retain(struct occ_build_key *build_key);
void occ_build_key_release(struct occ_build_key *build_key); /* NULL: nothing */

/*
 * Are they the same operation, for the same context and devices, by equal keys,
 * compared in full?
 */
bool occ_build_key_equal(const struct occ_build_key *a,
			 const struct occ_build_key *b);

/* The application's options; NULL only where the driver tells that from "". */
const char *occ_build_key_given_options(const struct occ_build_key *build_key);

/* Those to give to the driver when it compiles (layer/key/bypass.h). */
const char *occ_build_key_driver_options(const struct occ_build_key *build_key);

/* The driver's habits; one driver per build key, since contexts have one. */
const struct occ_driver *occ_build_key_driver(
	const struct occ_build_key *build_key);

#endif
