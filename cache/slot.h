/* SPDX-License-Identifier: MIT */
/*
 * The numbered files of one hash: reading one of them, verified, and removing
 * one that is no good.
 *
 * A slot keeps its file open until it is released: as long as it is, the inode
 * isn't given to another file, so that "same device and inode" means the file
 * that was read.
 */
#ifndef OCC_CACHE_SLOT_H
#define OCC_CACHE_SLOT_H

#include "cache/config.h"
#include "cache/entry.h"
#include "cache/name.h"

/*
 * Files of one hash. Two keys of one hash are not to be expected before 2^64
 * entries; more than a few can only be made by intent.
 */
#define OCC_SLOTS_MAX 16

struct occ_slot {
	char name[OCC_NAME_SIZE];
	int file;
	struct stat status;
	unsigned char *memory; /* the hot part */
	struct occ_entry entry;
};

/*
 * Reads the key's `number`th file. Whatever the answer, occ_slot_release().
 *
 * OCC_OK              `entry` is for this key
 * OCC_E_NOT_FOUND     no such file, so none with a higher number either
 * OCC_E_KEY_DIFFERS, OCC_E_VERSION, OCC_E_CORRUPT
 *                     look at the next one
 * OCC_E_FORBIDDEN     not a regular file, not the user's, or not readable:
 *                     look at the next one
 * OCC_E_IO, OCC_E_MEMORY
 */
int occ_slot_read(int directory, const struct occ_key *key, int number,
		  struct occ_slot *ret_slot);

/*
 * The same by the directory's path: for a look-up there is nothing to open.
 * `or_roots`: the file may also be root's (occ_file_is_trusted()).
 */
int occ_slot_read_in(const char *directory, const struct occ_key *key,
		     int number, bool or_roots, struct occ_slot *ret_slot);
void occ_slot_release(struct occ_slot *slot);

/*
 * Reads the cold part too, which nothing vouches for yet, for a slot that was
 * OCC_OK. Then `memory` is the whole file, and `entry` has moved with it.
 * OCC_OK, OCC_E_CORRUPT, OCC_E_IO or OCC_E_MEMORY.
 */
int occ_slot_read_cold(struct occ_slot *slot);

/* Removes the slot's file, if it is still the one that was read. */
void occ_slot_remove(struct occ_slot *slot, struct occ_config *config);

/* The entry was of use: sets its times, at most once in 5 s. */
void occ_slot_touch(struct occ_slot *slot);

/*
 * Under the lock: looks for the number under which `key` is to be stored and
 * gives its name, removing corrupt files on the way. OCC_OK, OCC_E_EXISTS,
 * OCC_E_KEY_DIFFERS when all numbers are taken, or a failure.
 */
int occ_slot_choose(struct occ_config *config, const struct occ_key *key,
		    char ret_name[OCC_NAME_SIZE]);

#endif
