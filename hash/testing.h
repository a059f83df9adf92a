/* SPDX-License-Identifier: MIT */
/*
 * Ways to make keys worse than they are, for tests that show that they must not
 * be, and to know less. Only in a layer built with VARIANT=testing (Makefile),
 *by environment variables that no other knows:
 *
 *	OCLCACHE_TEST_WITHOUT=FIELD	leaves the field out, from the hash and
 *					from what is stored and compared
 *	OCLCACHE_TEST_FIELD=FIELD=TEXT	the field has this text instead
 *	OCLCACHE_TEST_WEAK_HASH=1	all keys have the same hash
 *	OCLCACHE_TEST_QUIET=SECONDS	instead of cache/file.h's
 * OCC_FILE_QUIET_S
 *	OCLCACHE_TEST_UNLISTED=1	no driver has a record
 *
 * FIELD is a field's name, as in occ_key_field_name(), or its number.
 */
#ifndef OCC_HASH_TESTING_H
#define OCC_HASH_TESTING_H

#include "hash/key.h"

/* Is the field left out? Else *data and *size may change. */
bool occ_testing_field(enum occ_key_field id, const void **data, size_t *size);

void occ_testing_hash(struct occ_digest *hash);

/* Is every driver one without a record? */
bool occ_testing_unlisted(void);

/* The same number, or that of the variable. */
int64_t occ_testing_quiet(int64_t seconds);

#endif
