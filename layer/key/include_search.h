/* SPDX-License-Identifier: MIT */
/*
 * A search: what a build key's source and headers include, found in the file
 * system as it is now (hash/closure.h, cache/include_files.h).
 *
 * Calling sequence: occ_include_search_recall(), or else
 * occ_include_search_make(); occ_include_search_release(). When the build key
 * has proved worth it occ_include_search_remember().
 *
 * Any thread, without the lock. Reads files.
 */
#ifndef OCC_LAYER_KEY_INCLUDE_SEARCH_H
#define OCC_LAYER_KEY_INCLUDE_SEARCH_H

#include "hash/reason.h"
#include "layer/key/build_key.h"

struct occ_include_search {
	struct occ_closure closure;
	struct occ_digest stamp;       /* when it was so */
	struct occ_buffer looks;       /* cache/include_files.h */
	struct occ_buffer directories; /* where the driver looks, with NULs */
	bool searched;		       /* the driver's directories were */
	bool repeatable;	       /* `looks` can tell whether it changed */
	bool recalled;
};

/*
 * Of the build key its input, headers, options and identities are looked at.
 * Returns why it isn't cached, if it isn't. Either way *ret_search is to be
 * released. `anew`: every file is read, whatever its times say.
 */
enum occ_reason occ_include_search_make(const struct occ_build_key *build_key,
					bool anew,
					struct occ_include_search *ret_search);
void occ_include_search_release(struct occ_include_search *search);

/*
 * The same as it was found by this process or another one, if looks at all the
 * files say that it still is: nothing is read or scanned. False: there is
 * nothing to be released.
 */
bool occ_include_search_recall(const struct occ_build_key *build_key,
			       struct occ_include_search *ret_search);

/*
 * Remembers what was found for the build key, in the store, if that can be
 * relied on later. For builds that hit or are stored; once for a build key.
 */
void occ_include_search_remember(struct occ_build_key *build_key);

/* A new search found something else than what was recalled. */
void occ_include_search_forget(const struct occ_build_key *build_key);

/*
 * Where the driver of the build key looks now, as `directories` above: all of
 * the two of layer/key/include_dirs.h. Returns why that can't be known, if it
 * can't.
 */
enum occ_reason occ_include_search_list_directories(
	const struct occ_build_key *build_key, struct occ_buffer *ret_list);

#endif
