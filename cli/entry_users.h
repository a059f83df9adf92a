/* SPDX-License-Identifier: MIT */
/*
 * Who uses a store's entries, as far as their working sets say
 * (cache/working_set.h).
 *
 * One thread.
 */
#ifndef OCC_CLI_ENTRY_USERS_H
#define OCC_CLI_ENTRY_USERS_H

#include "cache/listing.h"
#include "cache/working_set.h"

struct occ_entry_users {
	struct occ_working_set *sets;
	size_t count;
};

void occ_entry_users_read(struct occ_store *store,
			  const struct occ_listing *listing,
			  struct occ_entry_users *ret_users);
void occ_entry_users_release(struct occ_entry_users *users);

/*
 * The next executable that took the entry of that hash: its name, and those of
 * kernels that it made, each with its NUL, an empty one at the end. Starts with
 * *set 0. False: there are no more.
 */
bool occ_entry_users_next(const struct occ_entry_users *users,
			  const struct occ_digest *hash, size_t *set,
			  const char **ret_name, const char **ret_kernels);

#endif
