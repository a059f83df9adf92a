/* SPDX-License-Identifier: MIT */
/*
 * A search: what a recipe's source and headers include, found in the file
 * system as it is now (hash/closure.h, cache/content.h).
 *
 * Calling sequence: occ_search_recall(), or else occ_search_make();
 * occ_search_release(). When the recipe has proved worth it
 * occ_search_remember().
 *
 * Any thread, without the lock. Reads files.
 */
#ifndef OCC_LAYER_SEARCH_H
#define OCC_LAYER_SEARCH_H

#include "layer/recipe.h"

struct occ_search {
	struct occ_closure closure;
	struct occ_digest stamp;   /* when it was so */
	struct occ_buffer looks;   /* cache/content.h */
	struct occ_buffer folders; /* the driver's, each with its NUL */
	bool searched;		   /* the driver's folders were */
	bool repeatable;	   /* `looks` can tell whether it changed */
	bool recalled;
};

/*
 * Of the recipe its input, headers, options and identities are looked at.
 * NULL, or the reason why it isn't cached: a constant string. Either way
 * *ret_search is to be released.
 */
const char *occ_search_make(const struct occ_recipe *recipe,
			    struct occ_search *ret_search);
void occ_search_release(struct occ_search *search);

/*
 * The same as it was found by this process or another one, if looks at all the
 * files say that it still is: nothing is read or scanned. False: there is
 * nothing to be released.
 */
bool occ_search_recall(const struct occ_recipe *recipe,
		       struct occ_search *ret_search);

/*
 * Remembers what was found for the recipe, in the store, if that can be relied
 * on later. For builds that hit or are stored; once for a recipe.
 */
void occ_search_remember(struct occ_recipe *recipe);

/* A new search found something else than what was recalled. */
void occ_search_forget(const struct occ_recipe *recipe);

/* A list of folders, NULL at the end or NULL, as `folders` above. */
void occ_search_list_folders(char *const *folders, struct occ_buffer *ret_list);

#endif
