/* SPDX-License-Identifier: MIT */
#include "layer/object/shadow_program.h"

#include <stdlib.h>

#include "layer/base/exit.h"
#include "layer/key/build_key.h"
#include "layer/object/contexts.h"

static struct occ_shadow *new_shadow(struct occ_build_key *build_key)
{
	struct occ_shadow *shadow = calloc(1, sizeof(*shadow));

	if (!shadow)
		return NULL;
	shadow->references = 1;
	shadow->build_key = occ_build_key_retain(build_key);
	return shadow;
}

struct occ_shadow *occ_shadow_from(struct occ_build_key *build_key,
				   struct occ_pooled *pooled)
{
	struct occ_shadow *shadow = new_shadow(build_key);

	if (!shadow) {
		occ_pool_release(pooled);
		return NULL;
	}
	/* The driver has built something: its exit handlers are before ours. */
	occ_exit_watch();
	shadow->pooled = pooled;
	shadow->program = pooled->program;
	shadow->is_handle = pooled->is_handle;
	shadow->type = pooled->type;
	shadow->answers = pooled->answers;
	shadow->binaries = pooled->binaries;
	shadow->kernel_names = pooled->kernel_names;
	shadow->kernel_count = pooled->kernel_count;
	shadow->kernel_descriptions = pooled->kernel_descriptions;
	return shadow;
}

struct occ_shadow *occ_shadow_adopt(struct occ_shadow *shadow,
				    cl_program materialised)
{
	struct occ_shadow *result = new_shadow(shadow->build_key);

	if (!result)
		return NULL;
	result->program = materialised;
	result->adopted_from = occ_shadow_retain(shadow);
	return result;
}

struct occ_shadow *occ_shadow_retain(struct occ_shadow *shadow)
{
	__atomic_add_fetch(&shadow->references, 1, __ATOMIC_RELAXED);
	return shadow;
}

static void free_shadow(struct occ_shadow *shadow)
{
	occ_context_release_hidden(shadow->build_key->context,
				   shadow->materialised);
	occ_context_release_hidden(shadow->build_key->context, shadow->unbuilt);
	occ_pool_release(shadow->pooled);
	free(shadow->kernel_name);
	occ_build_key_release(shadow->build_key);
	free(shadow);
}

void occ_shadow_release(struct occ_shadow *shadow)
{
	while (shadow &&
	       !__atomic_sub_fetch(&shadow->references, 1, __ATOMIC_ACQ_REL)) {
		struct occ_shadow *adopted_from = shadow->adopted_from;

		free_shadow(shadow);
		shadow = adopted_from;
	}
}
