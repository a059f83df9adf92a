/* SPDX-License-Identifier: MIT */
/*
 * Entries from the remote storage: what comes is verified and admitted
 * (cache/signed_entry.h), serves the build that asked, and is then put into the
 * user's store.
 *
 * Any thread on which a build may wait, in a section, without the lock.
 */
#ifndef OCC_LAYER_SERVE_REMOTE_STORAGE_H
#define OCC_LAYER_SERVE_REMOTE_STORAGE_H

#include "cache/memory.h"
#include "layer/key/build_key.h"

/* Entries that came, a list; NULL: none. */
struct occ_remote_arrival;

/*
 * Is it to be asked for entries? Not with OCLCACHE_MODE=recache, and not where
 * it wouldn't answer (occ_remote_client_is_there()).
 */
bool occ_remote_storage_is_there(void);

/*
 * The entry for that device, the caller's, and with its binary; NULL: none that
 * is admitted. It is added to *arrivals, which is NULL at first.
 */
struct occ_kept *occ_remote_storage_get(const struct occ_build_key *build_key,
					cl_uint device,
					struct occ_remote_arrival **arrivals);

/*
 * They were of use: the writer stores them, unless OCLCACHE_MODE or
 * OCLCACHE_STORE are against it. Frees the list.
 */
void occ_remote_storage_keep(struct occ_remote_arrival *arrivals);

/* They weren't: frees the list. NULL: nothing. */
void occ_remote_storage_drop(struct occ_remote_arrival *arrivals);

#endif
