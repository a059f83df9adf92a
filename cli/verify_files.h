/* SPDX-License-Identifier: MIT */
/*
 * For `oclcache verify`: a store's files that aren't entries, and have
 * checksums of their own.
 */
#ifndef OCC_CLI_VERIFY_FILES_H
#define OCC_CLI_VERIFY_FILES_H

#include "cache/name.h"
#include "cache/store.h"

/* Those that every store has one of: their number, and names. */
size_t occ_verify_kept_count(void);
const char *occ_verify_kept_name(size_t index);

/*
 * What is wrong with the file of that name, in words; NULL: nothing, or it
 * isn't there.
 */
const char *occ_verify_kept(struct occ_store *store, int directory,
			    size_t index);

/* The same of those beside entries; NULL also of kinds that have no checksum.
 */
const char *occ_verify_beside(struct occ_store *store, enum occ_name_kind kind,
			      const char *name);

#endif
