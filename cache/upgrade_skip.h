/* SPDX-License-Identifier: MIT */
/*
 * Entries that got no device code (cache/entry.h), and why: remembered in the
 * store's state, so that nobody tries in vain each time. As a hash has the
 * driver's version in it, what is remembered is for that version alone; and it
 * is for the entry as it was stored then, not for one that takes its place.
 *
 *	occ_state_read(store, &state);
 *	while (...)
 *		if (occ_upgrade_skip_find(&state, &entry, &leftover) &&
 *		    leftover.is_final)
 *			... it stays as it is, for leftover.reason ...
 *	occ_buffer_release(&state);
 *
 * Some hundred are remembered; then it begins anew.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_UPGRADE_SKIP_H
#define OCC_CACHE_UPGRADE_SKIP_H

#include <stdbool.h>

#include "cache/entry.h"
#include "cache/store.h"

/* Longer reasons are cut; with a NUL. */
#define OCC_UPGRADE_SKIP_SIZE  128

/* After so many that failed, for whatever reason, it is for good. */
#define OCC_UPGRADE_SKIP_TRIES 5

struct occ_upgrade_skip {
	char reason[OCC_UPGRADE_SKIP_SIZE]; /* the last one */
	bool is_final; /* there's no point in another try */
};

/*
 * In what occ_state_read() gave. False: it isn't one, or of another maker. Of
 * the entry `hash` and the metadata are looked at.
 */
bool occ_upgrade_skip_find(const struct occ_buffer *state,
			   const struct occ_entry *entry,
			   struct occ_upgrade_skip *ret_leftover);

/*
 * Remembers a try that failed; `is_final`: the next one would fail as well.
 * OCC_OK or a failure, as of occ_state_update().
 */
int occ_upgrade_skip_note(struct occ_store *store,
			  const struct occ_entry *entry, const char *reason,
			  bool is_final);

#endif
