/* SPDX-License-Identifier: MIT */
/*
 * Of an entry the build that it was made by, as the frames of a database
 * (cache/database_record.h) have it: independent of the driver.
 *
 * Threads: no state.
 */
#ifndef OCC_CLI_ENTRY_BUILD_H
#define OCC_CLI_ENTRY_BUILD_H

#include "cache/database_record.h"
#include "cache/entry_file.h"
#include "cache/store.h"

/* What an entry lacks to be compiled anew. */
enum occ_entry_lack {
	OCC_LACK_NOTHING,
	OCC_LACK_UNREADABLE, /* it is damaged, or of another version */
	OCC_LACK_INCLUDED,   /* what an included file had isn't there */
	OCC_LACK_BINARY,     /* it was linked from the application's binary */
	OCC_LACK_INPUT,	     /* what it was linked from isn't in the store */
	OCC_LACK_SIZE,	     /* a text is larger than a frame may be */
	OCC_LACKS,
};

/* In words, to be told of entries: "their included files' contents ...". */
const char *occ_entry_lack_text(enum occ_entry_lack lack);

/* Where an entry's inputs are found. */
struct occ_entry_source {
	struct occ_store *store;
	int directory;
	bool or_roots;
	struct occ_database *database;
};

/*
 * Adds the build of an entry's whole file, with all that it is made from, to
 * the database, between occ_database_begin() and _commit(). *ret_lack says
 * whether it could; then, and after an error, *ret_name isn't set, and nothing
 * or some of it was added. OCC_OK, or as occ_database_add().
 */
int occ_entry_build_add(const struct occ_entry_source *source,
			const struct occ_entry_file *whole,
			struct occ_digest *ret_name,
			enum occ_entry_lack *ret_lack);

#endif
