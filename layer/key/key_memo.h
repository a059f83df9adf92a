/* SPDX-License-Identifier: MIT */
/*
 * Build keys of this process's builds, for the next build of the same: making
 * one scans and hashes the source, and reads what it includes. A build key is
 * found again by everything that the application gave, compared in full;
 * whether the rest, files and environment, still is as it was is for the caller
 * to see (occ_build_key_make).
 *
 * What is remembered is bounded by a part of the memory tier's capacity
 * (cache/memory.h). Any thread, without the lock.
 */
#ifndef OCC_LAYER_KEY_KEY_MEMO_H
#define OCC_LAYER_KEY_KEY_MEMO_H

#include "layer/key/build_key.h"

/* The build key of an equal request, retained; NULL: none. */
struct occ_build_key *occ_key_memo_find(const struct occ_request *request);

/*
 * The input of a build key, retained, if that is source of just this one
 * string; NULL: none. Saves a copy where sources are long.
 */
struct occ_input *occ_key_memo_source(const char *text, size_t size);

/* Remembers it, instead of one of an equal request. */
void occ_key_memo_put(struct occ_build_key *build_key);

/* The context is gone, as far as the application is concerned. */
void occ_key_memo_drop_context(cl_context context);

/* Forgets what doesn't fit into the capacity any more. */
void occ_key_memo_fit(void);

/* Forgets all. */
void occ_key_memo_clear(void);

#endif
