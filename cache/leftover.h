/* SPDX-License-Identifier: MIT */
/*
 * Entries that stay without device code (cache/code.h), and why: remembered in
 * the store's state, so that nobody tries in vain each time. As a hash has the
 * driver's version in it, what is remembered is for that version alone.
 *
 *	occ_state_read(store, &state);
 *	while (...)
 *		if (occ_leftover_find(&state, &hash, reason))
 *			... it stays as it is, for that reason ...
 *	occ_buffer_release(&state);
 *
 * Some hundred are remembered; then it begins anew.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_LEFTOVER_H
#define OCC_CACHE_LEFTOVER_H

#include <stdbool.h>

#include "cache/store.h"

/* Longer reasons are cut; with a NUL. */
#define OCC_LEFTOVER_SIZE 128

/* In what occ_state_read() gave. False: it isn't one, or of another maker. */
bool occ_leftover_find(const struct occ_buffer *state,
		       const struct occ_digest *hash,
		       char ret_reason[OCC_LEFTOVER_SIZE]);

/* Remembers one. OCC_OK or a failure, as of occ_state_update(). */
int occ_leftover_note(struct occ_store *store, const struct occ_digest *hash,
		      const char *reason);

#endif
