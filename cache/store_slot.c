/* SPDX-License-Identifier: MIT */
/*
 * The numbered files of one hash: reading the one of a key, removing one that
 * is no good, and choosing the number for a new one.
 */
#include "cache/store_internal.h"

#include <fcntl.h>
#include <string.h>

#include "cache/file.h"

/* Closer together, uses needn't be told apart; a write per hit is expensive. */
#define TOUCH_INTERVAL 5

/* Somebody else sets an entry's times in some microseconds. */
#define PATIENCE_MS    30

static int read_numbered(int directory, const struct occ_digest *hash,
			 int number, bool or_roots, struct occ_slot *ret_slot)
{
	int error;

	memset(ret_slot, 0, sizeof(*ret_slot));
	occ_name_entry(hash, number, ret_slot->name);
	error = occ_entry_file_read(directory, ret_slot->name, or_roots,
				    OCC_ENTRY_FILE_HOT, &ret_slot->file);
	if (error)
		return error;
	/* An intact entry of another hash has the wrong name: not ours. */
	if (memcmp(ret_slot->file.entry.hash.bytes, hash->bytes,
		   OCC_DIGEST_SIZE) != 0)
		return OCC_E_CORRUPT;
	return OCC_OK;
}

int occ_slot_read_any(int directory, const struct occ_digest *hash,
		      bool or_roots, struct occ_slot *ret_slot)
{
	return read_numbered(directory, hash, 0, or_roots, ret_slot);
}

int occ_slot_read(int directory, const struct occ_key *key, int number,
		  bool or_roots, struct occ_slot *ret_slot)
{
	const struct occ_entry *entry = &ret_slot->file.entry;
	int error = read_numbered(directory, &key->hash, number, or_roots,
				  ret_slot);

	if (error)
		return error;
	/* (S6) */
	if (!occ_span_equal(entry->key, occ_buffer_span(&key->stored)))
		return OCC_E_KEY_DIFFERS;
	return OCC_OK;
}

void occ_slot_remove(struct occ_slot *slot, struct occ_size_ledger *ledger)
{
	struct stat named;

	if (occ_file_status_at(ledger->directory, slot->name, &named) < 0 ||
	    !occ_file_same(&named, &slot->file.status))
		return;
	if (occ_file_remove(ledger->directory, slot->name) < 0)
		return;
	/* (S7) An intact one is known to have been counted with this size. */
	if (slot->file.entry.key.data)
		occ_size_ledger_subtract(ledger, (uint64_t)named.st_size);
	else
		occ_size_ledger_recount(ledger);
}

/* Hits that aren't known count from now on. */
static void add_uses(int file, const struct stat *status, uint64_t count)
{
	uint64_t uses = occ_file_uses(status);

	if (uses == OCC_FILE_USES_UNKNOWN)
		uses = 0;
	occ_file_touch(file, uses + count);
}

static bool touch(int file, const struct stat *status)
{
	int64_t age = occ_file_now() - status->st_mtim.tv_sec;

	/* In the future: the clock was set back, or the file copied. */
	if (age <= TOUCH_INTERVAL && age >= 0)
		return false;
	add_uses(file, status, 1);
	return true;
}

bool occ_slot_touch(struct occ_slot *slot)
{
	return touch(slot->file.descriptor, &slot->file.status);
}

void occ_slot_touch_named(int directory, const char *name)
{
	int file = occ_file_open(directory, name, O_RDONLY);
	struct stat status;

	if (file < 0)
		return;
	if (!occ_file_status(file, &status) && S_ISREG(status.st_mode))
		touch(file, &status);
	occ_file_close(file);
}

void occ_slot_add_uses(int directory, const struct occ_digest *hash,
		       uint64_t count)
{
	char name[OCC_NAME_SIZE];
	struct stat status;
	int file;

	occ_name_entry(hash, 0, name);
	file = occ_file_open(directory, name, O_RDONLY);
	if (file < 0)
		return;
	/* Some can't be locked so, such as NFS': they are counted all the same.
	 */
	occ_file_lock(file, PATIENCE_MS);
	if (!occ_file_status(file, &status) && S_ISREG(status.st_mode))
		add_uses(file, &status, count);
	occ_file_unlock(file);
	occ_file_close(file);
}

static bool is_there(const struct occ_size_ledger *ledger, const char *name)
{
	struct stat status;

	return !occ_file_status_at(ledger->directory, name, &status);
}

int occ_slot_choose(struct occ_size_ledger *ledger, const struct occ_key *key,
		    char ret_name[OCC_NAME_SIZE])
{
	struct occ_slot slot;
	int error = OCC_OK;

	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = occ_slot_read(ledger->directory, key, number, false,
				      &slot);
		if (error == OCC_E_CORRUPT)
			occ_slot_remove(&slot, ledger);
		occ_entry_file_release(&slot.file);
		if (error == OCC_OK)
			return OCC_E_EXISTS;
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
		/* (S9) Behind one that isn't there nobody looks. */
		if (error == OCC_E_FORBIDDEN && !is_there(ledger, slot.name))
			return OCC_E_IO;
		if (error == OCC_E_CORRUPT || error == OCC_E_NOT_FOUND) {
			memcpy(ret_name, slot.name, sizeof(slot.name));
			return OCC_OK;
		}
	}
	return OCC_E_KEY_DIFFERS;
}
