/* SPDX-License-Identifier: MIT */
/*
 * What always holds, whatever fails, dies or rots; the tests and the comments
 * in cache/ refer to it by number.
 *
 * (S1)  A file named *.cl_cache is complete: it got its name by rename().
 * (S2)  The sizes of all files of the list in cache/store.h, plus NEO's
 *       files (name.h), never add up to more than the maximum; space is
 *       reserved in config.file before a temp file is written. Foreign files
 *       neither count nor are touched.
 * (S3)  Names change (but for oclcache.lock's), and config.file is written,
 *       only under the lock. Readers take no lock and don't look at
 *       config.file.
 * (S4)  After taking the lock, the descriptor is config.file's (same device and
 *       inode as the path): otherwise it was replaced, and we try again.
 * (S5)  A temp file is created under the lock and is itself flock()ed as long
 *       as its writer lives: one that can be locked belongs to nobody.
 * (S6)  Every byte given to a caller has passed occ_entry_decode() and its key
 *       was compared in full.
 * (S7)  The total is never less than what is there, by our doing: it is raised
 *       before a file is made and lowered after one has gone; and counted anew
 *       where a size isn't known for sure, with no file left out.
 * (S8)  A call that returns keeps nothing: no descriptor, no lock, no memory,
 *       whatever failed. But a reservation, between its two locks.
 * (S9)  OCC_OK is true: what was stored is found by the next lookup. Numbered
 *       names have no gap before the one that was chosen.
 * (S10) A failure changes nothing but what it was about. Entries go because
 *       room is needed, their bytes are wrong, or somebody asked; what couldn't
 *       be read isn't taken for empty, and isn't written anew.
 * (S11) Nothing is waited for without end, and nothing tried without end.
 * (S12) Memory and time for a file are limited by what such files can be, not
 *       by what the file, or its size, says.
 * (S13) In a store that was opened for reading only nothing changes by us: no
 *       name, no byte, no time, no lock.
 * (S14) A directory with other files, and nothing that only a store has, stays
 *       as it is: no file of ours is made in it, and its config.file is
 *       another's.
 *
 * tests/unit/test_faults.c breaks every system call and allocation to see it,
 * tests/unit/test_rot.c every byte, tests/unit/test_powercut.c every write, and
 * tests/unit/test_crowd.c sends a crowd.
 *
 * A publish, and where a process may be killed in it:
 *
 *	lock
 *	  choose the name, make room
 *	  raise the total in config.file     killed: total too large
 *	  make the temp file, lock it        killed: and an orphan
 *	unlock
 *	write the temp file                  killed: the same
 *	lock
 *	  rename                             killed: nothing is wrong
 *	unlock
 *
 * Both leftovers are mended when a later publish doesn't seem to fit.
 */
#include "cache/store_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/listing.h"
#include "cache/nested.h"
#include "cache/name.h"
#include "cache/reservation.h"

static struct occ_store *new_store(const char *directory, uint64_t max_size,
				   enum occ_directory_create create)
{
	struct occ_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->directory = strdup(directory);
	if (!store->directory) {
		free(store);
		return NULL;
	}
	store->limits.max_size = max_size;
	store->limits.evicted = &store->evicted;
	store->create = create;
	return store;
}

struct occ_store *occ_store_open(const char *directory, uint64_t max_size,
				 bool create_parent)
{
	return new_store(directory, max_size,
			 create_parent ? OCC_DIRECTORY_CREATE_PARENT
				       : OCC_DIRECTORY_CREATE);
}

struct occ_store *occ_store_open_read_only(const char *directory)
{
	return new_store(directory, 0, OCC_DIRECTORY_READ_ONLY);
}

void occ_store_set_max_age(struct occ_store *store, int64_t seconds)
{
	store->limits.max_age = seconds;
}

void occ_store_keep_all(struct occ_store *store)
{
	store->limits.keeps = true;
}

bool occ_store_is_read_only(const struct occ_store *store)
{
	return store->create == OCC_DIRECTORY_READ_ONLY;
}

void occ_store_close(struct occ_store *store)
{
	if (!store)
		return;
	free(store->directory);
	free(store);
}

const char *occ_store_directory(const struct occ_store *store)
{
	return store->directory;
}

void occ_loaded_release(struct occ_loaded *loaded)
{
	free(loaded->memory);
	memset(loaded, 0, sizeof(*loaded));
}

static enum occ_directory_create never_made(const struct occ_store *store)
{
	return occ_store_is_read_only(store) ? OCC_DIRECTORY_READ_ONLY
					     : OCC_DIRECTORY_MUST_EXIST;
}

/* For whoever only looks: no directory is no file. */
static int open_existing(struct occ_store *store, int *ret_directory)
{
	int error = occ_directory_open(store->directory, never_made(store),
				       ret_directory);

	return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
}

int occ_store_open_to_change(struct occ_store *store, int *ret_directory)
{
	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	return open_existing(store, ret_directory);
}

int occ_store_open_to_add(struct occ_store *store, int *ret_directory)
{
	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	return occ_directory_open(store->directory, store->create,
				  ret_directory);
}

int occ_store_open_to_find(struct occ_store *store, int *ret_directory)
{
	int error = occ_directory_find(store->directory, never_made(store),
				       &store->steady, ret_directory);

	return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
}

int occ_store_lock(int directory, unsigned milliseconds,
		   struct occ_size_ledger *ret_ledger)
{
	int error = occ_size_ledger_lock_within(directory, milliseconds,
						ret_ledger);

	if (error || !ret_ledger->rebuilt)
		return error;
	occ_size_ledger_unlock(ret_ledger);
	return OCC_E_SIZE_LEDGER;
}

static void end_change(struct occ_size_ledger *ledger)
{
	int directory = ledger->directory;

	occ_size_ledger_unlock(ledger);
	occ_file_close(directory);
}

static void remove_slot(struct occ_store *store, int directory,
			struct occ_size_ledger *ledger, struct occ_slot *slot)
{
	struct occ_size_ledger own;

	if (occ_store_is_read_only(store))
		return;
	if (ledger) {
		occ_slot_remove(slot, ledger);
		return;
	}
	/* Without the lock the file stays, and is a miss the next time too. */
	if (occ_size_ledger_lock(directory, &own))
		return;
	occ_slot_remove(slot, &own);
	occ_size_ledger_unlock(&own);
}

static int badness(int error)
{
	switch (error) {
	case OCC_E_CORRUPT:
		return 3;
	case OCC_E_VERSION:
		return 2;
	case OCC_E_KEY_DIFFERS:
		return 1;
	default:
		return 0;
	}
}

/* `ledger` is NULL without the lock. To be released only when it is OCC_OK. */
static int find(struct occ_store *store, int directory,
		struct occ_size_ledger *ledger, const struct occ_key *key,
		struct occ_slot *ret_slot)
{
	int error, worst = OCC_E_NOT_FOUND;

	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = occ_slot_read(directory, key, number,
				      occ_store_is_read_only(store), ret_slot);
		if (error == OCC_OK)
			return OCC_OK;
		if (error == OCC_E_CORRUPT)
			remove_slot(store, directory, ledger, ret_slot);
		occ_entry_file_release(&ret_slot->file);
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
		if (error == OCC_E_NOT_FOUND)
			break;
		if (badness(error) > badness(worst))
			worst = error;
	}
	return worst;
}

int occ_store_read_binary(struct occ_slot *slot, struct occ_span *ret_binary)
{
	int error = occ_entry_file_read_rest(&slot->file);

	if (error)
		return error;
	return occ_entry_binary(slot->file.memory, slot->file.size, ret_binary);
}

bool occ_store_has_none(int error)
{
	return error == OCC_E_NOT_FOUND || error == OCC_E_CORRUPT ||
	       error == OCC_E_KEY_DIFFERS || error == OCC_E_VERSION;
}

int occ_store_begin_update(struct occ_store *store, const struct occ_key *key,
			   struct occ_size_ledger *ret_ledger,
			   struct occ_slot *ret_slot)
{
	int directory, error = occ_store_open_to_change(store, &directory);

	if (error)
		return error;
	error = occ_store_lock(directory, OCC_SIZE_LEDGER_WAIT_MS, ret_ledger);
	if (error) {
		occ_file_close(directory);
		return error;
	}
	error = find(store, directory, ret_ledger, key, ret_slot);
	if (error)
		end_change(ret_ledger);
	return error;
}

void occ_store_end_update(struct occ_size_ledger *ledger, struct occ_slot *slot)
{
	occ_entry_file_release(&slot->file);
	end_change(ledger);
}

/* `whole`: with the binary, wherever it is. */
static int lookup(struct occ_store *store, const struct occ_key *key,
		  bool whole, struct occ_loaded *ret_loaded)
{
	int directory, error = occ_store_open_to_find(store, &directory);
	struct occ_slot slot;
	struct occ_span binary;

	if (error)
		return error;
	error = find(store, directory, NULL, key, &slot);
	if (!error && whole) {
		error = occ_store_read_binary(&slot, &binary);
		if (error == OCC_E_CORRUPT)
			remove_slot(store, directory, NULL, &slot);
		if (error)
			occ_entry_file_release(&slot.file);
	}
	occ_file_close(directory);
	if (error)
		return error;
	/* What the slot has is the caller's. */
	ret_loaded->entry = slot.file.entry;
	ret_loaded->memory = slot.file.memory;
	ret_loaded->is_uncounted = false;
	if (whole)
		ret_loaded->entry.binary = binary;
	else if (!occ_store_is_read_only(store))
		ret_loaded->is_uncounted = !occ_slot_touch(&slot);
	slot.file.memory = NULL;
	occ_entry_file_release(&slot.file);
	return OCC_OK;
}

int occ_store_lookup(struct occ_store *store, const struct occ_key *key,
		     struct occ_loaded *ret_loaded)
{
	return lookup(store, key, false, ret_loaded);
}

int occ_store_lookup_whole(struct occ_store *store, const struct occ_key *key,
			   struct occ_loaded *ret_loaded)
{
	return lookup(store, key, true, ret_loaded);
}

int occ_store_read_entry(struct occ_store *store, const struct occ_key *key,
			 struct occ_entry_file *ret_whole)
{
	int directory, error = occ_store_open_to_find(store, &directory);
	struct occ_slot slot;

	memset(ret_whole, 0, sizeof(*ret_whole));
	if (error)
		return error;
	error = find(store, directory, NULL, key, &slot);
	if (!error) {
		error = occ_entry_file_read(directory, slot.name,
					    occ_store_is_read_only(store),
					    OCC_ENTRY_FILE_WHOLE, ret_whole);
		occ_entry_file_release(&slot.file);
	}
	/* (S6) Another may have the name by now. */
	if (!error && !occ_span_equal(ret_whole->entry.key,
				      occ_buffer_span(&key->stored)))
		error = OCC_E_KEY_DIFFERS;
	if (error)
		occ_entry_file_release(ret_whole);
	occ_file_close(directory);
	return error;
}

/* Numbered files need their keys. */
static bool has_second(int directory, const struct occ_digest *hash)
{
	char name[OCC_NAME_SIZE];
	struct stat status;

	occ_name_entry(hash, 1, name);
	return !occ_file_status_at(directory, name, &status);
}

int occ_store_read_ahead(struct occ_store *store, const struct occ_digest *hash,
			 struct occ_loaded *ret_loaded)
{
	int directory, error = occ_store_open_to_find(store, &directory);
	struct occ_slot slot;

	if (error)
		return error;
	error = occ_slot_read_any(directory, hash,
				  occ_store_is_read_only(store), &slot);
	if (!error && has_second(directory, hash))
		error = OCC_E_NOT_FOUND;
	occ_file_close(directory);
	if (!error) {
		ret_loaded->entry = slot.file.entry;
		ret_loaded->memory = slot.file.memory;
		ret_loaded->is_uncounted = true;
		slot.file.memory = NULL;
	}
	occ_entry_file_release(&slot.file);
	return error;
}

void occ_store_take_evicted(struct occ_store *store, uint64_t *ret_files,
			    uint64_t *ret_bytes)
{
	*ret_files =
		__atomic_exchange_n(&store->evicted.files, 0, __ATOMIC_RELAXED);
	*ret_bytes =
		__atomic_exchange_n(&store->evicted.bytes, 0, __ATOMIC_RELAXED);
}

/* Under the lock. */
static int try_to_write(struct occ_store *store, struct occ_size_ledger *ledger)
{
	static const unsigned char page[OCC_STORE_PAGE_SIZE];
	struct occ_evict_limits limits = store->limits;
	struct occ_reservation reservation;
	int error, number;

	limits.keeps = true;
	error = occ_evict_make_room(ledger, &limits, sizeof(page), NULL);
	if (error)
		return error == OCC_E_TOO_LARGE ? OCC_OK : error;
	error = occ_reservation_make(ledger, sizeof(page), &reservation);
	if (error)
		return error;
	error = occ_reservation_write(&reservation, page);
	number = errno;
	occ_reservation_cancel(&reservation, ledger);
	errno = number;
	return error;
}

static int prepare(struct occ_store *store, bool writes)
{
	struct occ_size_ledger ledger;
	int directory, error = occ_store_open_to_add(store, &directory);

	if (error)
		return error;
	error = occ_size_ledger_lock(directory, &ledger);
	if (!error) {
		if (writes)
			error = try_to_write(store, &ledger);
		occ_size_ledger_unlock(&ledger);
	}
	occ_file_close(directory);
	return error;
}

int occ_store_prepare(struct occ_store *store)
{
	return prepare(store, false);
}

int occ_store_try(struct occ_store *store)
{
	return prepare(store, true);
}

int occ_store_measure(struct occ_store *store, uint64_t *ret_size)
{
	int directory, error;

	error = occ_directory_open(store->directory, never_made(store),
				   &directory);
	if (error)
		return error;
	error = occ_listing_measure(directory, ret_size);
	occ_file_close(directory);
	return error;
}

/* Among so many files that aren't entries there probably is one. */
#define NAMES_MAX 4096

struct sought {
	bool found;
	unsigned names;
};

/* Stops at the first. */
static bool is_no_entry(const char *name, void *data)
{
	enum occ_name_kind kind = occ_name_kind(name);
	struct sought *sought = data;

	sought->found = kind == OCC_NAME_ENTRY || kind == OCC_NAME_NEO ||
			occ_nested_is_name(name) ||
			++sought->names >= NAMES_MAX;
	return !sought->found;
}

bool occ_store_has_entries(struct occ_store *store)
{
	int directory, error = open_existing(store, &directory);
	struct sought sought = {0};

	if (error)
		return error != OCC_E_NOT_FOUND;
	if (occ_file_list(directory, is_no_entry, &sought))
		sought.found = true;
	occ_file_close(directory);
	return sought.found;
}
