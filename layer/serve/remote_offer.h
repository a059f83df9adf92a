/* SPDX-License-Identifier: MIT */
/*
 * Offers the remote storage what this process has compiled, once the user's
 * store has it: the entry's file, signed if there is a signing key. What came
 * from elsewhere, or was there before, isn't offered: a signature says that
 * its program was compiled by who signs (cache/signed_entry.h).
 *
 * Without the lock; on the writer's thread, unless it says otherwise.
 */
#ifndef OCC_LAYER_SERVE_REMOTE_OFFER_H
#define OCC_LAYER_SERVE_REMOTE_OFFER_H

#include "layer/key/build_key.h"

/*
 * The entry for that device was just stored, with that binary, for the first
 * time; or, with `improves`, in the place of a less complete one of which the
 * same was said.
 */
void occ_remote_offer_made(struct occ_build_key *build_key, cl_uint device,
			   struct occ_span binary, bool improves);

/*
 * The entry was just changed: it is offered again if this process has made it.
 */
void occ_remote_offer_changed(struct occ_build_key *build_key, cl_uint device);

/*
 * What the remote storage has of it is no good: what this process makes is to
 * take its place; `if_signed`: if it signs that, for what is there may be of
 * use to somebody. Any thread.
 */
void occ_remote_offer_replaces(const struct occ_digest *hash, bool if_signed);

/* In a child of fork(), with the lock held. */
void occ_remote_offer_forked(void);

/* At initialisation, when no other call is under way. */
void occ_remote_offer_forget(void);

#endif
