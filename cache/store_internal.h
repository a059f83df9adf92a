/* SPDX-License-Identifier: MIT */
/*
 * What the files of the store have in common: the numbered files of one hash,
 * the struct, changes under the lock, the entry of a key, and writing a file.
 * For cache/store*.c alone.
 */
#ifndef OCC_CACHE_STORE_INTERNAL_H
#define OCC_CACHE_STORE_INTERNAL_H

#include "cache/directory.h"
#include "cache/entry_file.h"
#include "cache/evict.h"
#include "cache/name.h"
#include "cache/size_ledger.h"
#include "cache/store.h"

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

/* The same of the first file of a hash, whatever its key. */
int occ_slot_read_any(int directory, const struct occ_digest *hash,
		      bool or_roots, struct occ_slot *ret_slot);

/* Removes the slot's file, if it is still the one that was read. */
void occ_slot_remove(struct occ_slot *slot, struct occ_size_ledger *ledger);

/* The entry was of use: sets its times. False: they were set within 5 s. */
bool occ_slot_touch(struct occ_slot *slot);

/* The same of any file. */
void occ_slot_touch_named(int directory, const char *name);

/* The first file of a hash, which isn't read, was of use so often. */
void occ_slot_add_uses(int directory, const struct occ_digest *hash,
		       uint64_t count);

/*
 * Under the lock: looks for the number under which `key` is to be stored and
 * gives its name, removing corrupt files on the way. OCC_OK, OCC_E_EXISTS,
 * OCC_E_KEY_DIFFERS when all numbers are taken, or a failure.
 */
int occ_slot_choose(struct occ_size_ledger *ledger, const struct occ_key *key,
		    char ret_name[OCC_NAME_SIZE]);

/* Linux' smallest. */
#define OCC_STORE_PAGE_SIZE 4096

struct occ_store {
	char *directory;
	struct occ_evict_limits limits;
	struct occ_evicted evicted; /* atomic */
	enum occ_directory_create create;
	bool steady; /* atomic: see occ_directory_find() */
	bool swept;  /* atomic: orphans were looked for, or needn't be */
};

/*
 * Opens the directory, for the caller to close. For whoever changes something
 * in it: OCC_E_NOT_FOUND where there is none.
 */
int occ_store_open_to_change(struct occ_store *store, int *ret_directory);

/* For whoever adds something: it is made. */
int occ_store_open_to_add(struct occ_store *store, int *ret_directory);

/* For whoever only reads files by their names. No directory: not found. */
int occ_store_open_to_find(struct occ_store *store, int *ret_directory);

/*
 * Takes the lock for writing a file. A corrupt config.file was rebuilt, but
 * whoever damaged it may not be done: then OCC_E_SIZE_LEDGER, so that this
 * change stands aside, and says so.
 */
int occ_store_lock(int directory, unsigned milliseconds,
		   struct occ_size_ledger *ret_ledger);

/* The slot's binary, verified: hot or, once all is read, cold. */
int occ_store_read_binary(struct occ_slot *slot, struct occ_span *ret_binary);

/* Does it say that there is no entry for the key, or none that is any good? */
bool occ_store_has_none(int error);

/*
 * Takes the lock and finds the key's entry, for changing it. Only when the
 * answer is OCC_OK, occ_store_end_update(). Files that are no good are removed.
 */
int occ_store_begin_update(struct occ_store *store, const struct occ_key *key,
			   struct occ_size_ledger *ret_ledger,
			   struct occ_slot *ret_slot);
void occ_store_end_update(struct occ_size_ledger *ledger,
			  struct occ_slot *slot);

/*
 * Under the lock: a file that is about to be made anew. One that isn't there,
 * or is too large to be ours, is OCC_OK and no bytes.
 */
int occ_store_read_old(const struct occ_store *store, int directory,
		       const char *name, struct occ_buffer *ret_bytes);

/*
 * Under the lock: the file under its name, whatever had it before. Makes room,
 * but not of the file named `keep` (NULL: none).
 */
int occ_store_write(struct occ_store *store, struct occ_size_ledger *ledger,
		    const char *name, const char *keep,
		    const struct occ_buffer *bytes);

#endif
