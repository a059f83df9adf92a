/* SPDX-License-Identifier: MIT */
/*
 * What the files of the store have in common: the struct, changes under the
 * lock, the entry of a key, and writing a file. For cache/store*.c alone.
 */
#ifndef OCC_CACHE_STORE_INTERNAL_H
#define OCC_CACHE_STORE_INTERNAL_H

#include "cache/directory.h"
#include "cache/evict.h"
#include "cache/size_ledger.h"
#include "cache/slot.h"
#include "cache/store.h"

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
 * Under the lock: the file under its name, whatever had it before. Makes room,
 * but not of the file named `keep` (NULL: none).
 */
int occ_store_write(struct occ_store *store, struct occ_size_ledger *ledger,
		    const char *name, const char *keep,
		    const struct occ_buffer *bytes);

#endif
