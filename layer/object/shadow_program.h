/* SPDX-License-Identifier: MIT */
/*
 * A shadow program: the hidden cl_program made with clCreateProgramWithBinary
 * that answers for the application's program after a hit. The application
 * never sees its handle.
 *
 * It also keeps what a driver forgets when it loads a binary (build log,
 * options, kernel names and their order), as the entry has it. For what isn't
 * in the entry it is *materialised*: another hidden program is really built
 * from the build key, and asked.
 *
 * Counted: the application's program has a reference while it is served, each
 * kernel made from it another, and each call under way another. The hidden
 * program and what the entry says of it are in a struct occ_pooled, which other
 * programs may take over later; what belongs to one of the application's
 * programs alone is here.
 */
#ifndef OCC_LAYER_OBJECT_SHADOW_PROGRAM_H
#define OCC_LAYER_OBJECT_SHADOW_PROGRAM_H

#include "layer/base/tier.h"
#include "layer/object/program_pool.h"

struct occ_shadow {
	unsigned references;	   /* atomic */
	struct occ_pooled *pooled; /* NULL: adopted */
	struct occ_build_key *build_key;
	enum occ_tier tier; /* from which it was served */
	/* Copies from `pooled`; NULL or 0 if adopted. */
	cl_program program;
	bool is_handle;
	cl_program_binary_type type;
	const struct occ_answers *answers;   /* NULL: the program answers */
	const struct occ_binaries *binaries; /* NULL: executable */
	struct occ_span kernel_names;	     /* NULL data: not answered */
	uint64_t kernel_count;
	struct occ_span kernel_descriptions;
	unsigned kernels;   /* the application's live ones; the lock */
	char *kernel_name;  /* of the last one released; the lock */
	bool prepared;	    /* occ_sync_create_unbuilt() was called; the lock */
	cl_program unbuilt; /* atomic; made by occ_sync_create_unbuilt() */
	cl_program materialised; /* atomic; NULL until needed */
	/* The one that materialised `program`, and releases it; or NULL. */
	struct occ_shadow *adopted_from;
};

/*
 * A shadow program from a pooled one, of which a reference and the use are
 * taken over. NULL when out of memory. The caller owns the result, and if the
 * build key is a link's, also its program.
 */
struct occ_shadow *occ_shadow_from(struct occ_build_key *build_key,
				   struct occ_pooled *pooled);

/*
 * A shadow program of what occ_sync_materialise() made for `shadow`. NULL when
 * out of memory.
 */
struct occ_shadow *occ_shadow_adopt(struct occ_shadow *shadow,
				    cl_program materialised);

struct occ_shadow *occ_shadow_retain(struct occ_shadow *shadow);
void occ_shadow_release(struct occ_shadow *shadow); /* NULL does nothing */

#endif
