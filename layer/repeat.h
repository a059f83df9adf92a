/* SPDX-License-Identifier: MIT */
/*
 * Recipes of this process's builds, for the next build of the same: making one
 * scans and hashes the source, and reads what it includes. A recipe is found
 * again by everything that the application gave, compared in full; whether the
 * rest, files and environment, still is as it was is for the caller to see
 * (occ_recipe_make).
 *
 * What is remembered is bounded by a part of the memory tier's capacity
 * (cache/memory.h). Any thread, without the lock.
 */
#ifndef OCC_LAYER_REPEAT_H
#define OCC_LAYER_REPEAT_H

#include "layer/recipe.h"

/* The recipe of an equal request, retained; NULL: none. */
struct occ_recipe *occ_repeat_find(const struct occ_request *request);

/*
 * The input of a recipe, retained, if that is source of just this one string;
 * NULL: none. Saves a copy where sources are long.
 */
struct occ_input *occ_repeat_source(const char *text, size_t size);

/* Remembers it, instead of one of an equal request. */
void occ_repeat_put(struct occ_recipe *recipe);

/* The context is gone, as far as the application is concerned. */
void occ_repeat_drop_context(cl_context context);

/* Forgets what doesn't fit into the capacity any more. */
void occ_repeat_fit(void);

/* Forgets all. */
void occ_repeat_clear(void);

#endif
