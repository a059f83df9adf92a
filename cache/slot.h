/* SPDX-License-Identifier: MIT */
/*
 * The numbered files of one hash: reading the one of a key, removing one that
 * is no good, and choosing the number for a new one.
 */
#ifndef OCC_CACHE_SLOT_H
#define OCC_CACHE_SLOT_H

#include "cache/entry_file.h"
#include "cache/name.h"
#include "cache/size_ledger.h"

/*
 * Files of one hash. Two keys of one hash are not to be expected before 2^64
 * entries; more than a few can only be made by intent.
 */
#define OCC_SLOTS_MAX 16

struct occ_slot {
	char name[OCC_NAME_SIZE];
	struct occ_entry_file file; /* OCC_ENTRY_FILE_HOT */
};

/*
 * Reads the key's `number`th file. Whatever the answer, the caller
 * releases the slot's `file`.
 *
 * OCC_OK              it is for this key
 * OCC_E_NOT_FOUND     no such file, so none with a higher number either
 * OCC_E_KEY_DIFFERS, OCC_E_VERSION, OCC_E_CORRUPT
 *                     look at the next one
 * OCC_E_FORBIDDEN     not a regular file, not the user's, or not readable:
 *                     look at the next one
 * OCC_E_IO, OCC_E_MEMORY
 */
int occ_slot_read(int directory, const struct occ_key *key, int number,
		  bool or_roots, struct occ_slot *ret_slot);

/* Removes the slot's file, if it is still the one that was read. */
void occ_slot_remove(struct occ_slot *slot, struct occ_size_ledger *ledger);

/* The entry was of use: sets its times, at most once in 5 s. */
void occ_slot_touch(struct occ_slot *slot);

/*
 * Under the lock: looks for the number under which `key` is to be stored and
 * gives its name, removing corrupt files on the way. OCC_OK, OCC_E_EXISTS,
 * OCC_E_KEY_DIFFERS when all numbers are taken, or a failure.
 */
int occ_slot_choose(struct occ_size_ledger *ledger, const struct occ_key *key,
		    char ret_name[OCC_NAME_SIZE]);

#endif
