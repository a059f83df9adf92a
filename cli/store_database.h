/* SPDX-License-Identifier: MIT */
/*
 * A database (cache/database.h) of what a store's entries were built from: of
 * each entry whose key and texts have all that it takes, the build, what it is
 * made from, its device, and that it was of use when it was last.
 *
 *	occ_store_database_begin(store, database, &catalogue, &adding);
 *	occ_store_database_add(&adding, file) ...
 *	occ_store_database_end(&adding);
 *
 * One thread. In between, the database is nobody else's.
 */
#ifndef OCC_CLI_STORE_DATABASE_H
#define OCC_CLI_STORE_DATABASE_H

#include "cli/catalogue.h"
#include "cli/entry_build.h"
#include "cli/entry_users.h"

struct occ_store_database {
	struct occ_entry_source source;
	struct occ_entry_users users;
	struct occ_entry_file whole;
	size_t pending;		   /* entries since the last commit */
	size_t builds;		   /* entries that were added, */
	size_t lacking[OCC_LACKS]; /* and those that weren't, and why */
};

/*
 * `catalogue` is of the store, whatever it selects. False after an error was
 * shown; then nothing else may be called.
 */
bool occ_store_database_begin(struct occ_store *store,
			      struct occ_database *database,
			      const struct occ_catalogue *catalogue,
			      struct occ_store_database *ret_adding);

/* One of the store's entries. False after an error was shown. */
bool occ_store_database_add(struct occ_store_database *adding,
			    const struct occ_listing_file *file);

/* Also after a failure. False after an error was shown. */
bool occ_store_database_end(struct occ_store_database *adding);

/*
 * A note for each reason why entries were left out; nothing where none were.
 */
void occ_store_database_tell(const struct occ_store_database *adding);

#endif
