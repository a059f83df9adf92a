/* SPDX-License-Identifier: MIT */
/* Changes of entries that are there, each under one lock. */
#include "cache/store_internal.h"

#include <fcntl.h>
#include <string.h>

#include "cache/file.h"

int occ_store_rewrite(struct occ_store *store, struct occ_size_ledger *ledger,
		      const struct occ_slot *slot,
		      const struct occ_buffer *bytes)
{
	return occ_store_write(store, ledger, slot->name, slot->name, bytes);
}

int occ_store_complete(struct occ_store *store, const struct occ_key *key,
		       occ_store_make make, void *data)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT, file = OCC_BUFFER_INIT;
	struct occ_size_ledger ledger;
	struct occ_slot slot;
	int error = occ_store_begin_update(store, key, &ledger, &slot);

	if (error)
		return error;
	if (make(slot.file.entry.metadata, &metadata, data)) {
		error = metadata.failed ? OCC_E_MEMORY
					: occ_entry_file_read_rest(&slot.file);
		if (!error) {
			occ_entry_recode(slot.file.memory,
					 (struct occ_span){metadata.data,
							   metadata.size},
					 slot.file.entry.binary, &file);
			error = occ_store_rewrite(store, &ledger, &slot, &file);
		}
	}
	occ_buffer_release(&metadata);
	occ_buffer_release(&file);
	occ_store_end_update(&ledger, &slot);
	return error;
}

static bool same_bytes(struct occ_span one, struct occ_span other)
{
	return one.size == other.size &&
	       !memcmp(one.data, other.data, one.size);
}

/* The new file has the place among the others that the old one had. */
static void restore_times(int directory, const struct occ_slot *slot)
{
	int file = occ_file_open(directory, slot->name, O_RDONLY);

	if (file < 0)
		return;
	occ_file_set_times(file, &slot->file.status);
	occ_file_close(file);
}

static int set_code(struct occ_store *store, struct occ_size_ledger *ledger,
		    struct occ_slot *slot, struct occ_span binary,
		    struct occ_span code)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_span there;
	int error = occ_store_read_binary(slot, &there);

	if (error == OCC_E_CORRUPT)
		occ_slot_remove(slot, ledger);
	if (error)
		return error;
	if (binary.size && !same_bytes(binary, there))
		return OCC_E_NOT_FOUND;
	if (!code.size && !slot->file.entry.code.data)
		return OCC_OK;
	occ_entry_recode_code(slot->file.memory, code, &file);
	error = occ_store_rewrite(store, ledger, slot, &file);
	if (!error)
		restore_times(ledger->directory, slot);
	occ_buffer_release(&file);
	return error;
}

int occ_store_set_code(struct occ_store *store, const struct occ_key *key,
		       struct occ_span binary, struct occ_span code)
{
	struct occ_size_ledger ledger;
	struct occ_slot slot;
	int error = occ_store_begin_update(store, key, &ledger, &slot);

	if (error)
		return error;
	error = set_code(store, &ledger, &slot, binary, code);
	occ_store_end_update(&ledger, &slot);
	return error;
}

static int discard(struct occ_size_ledger *ledger, const struct occ_key *key)
{
	struct occ_slot slot;
	int error;

	/* All of them: a gap may have hidden an older one. */
	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = occ_slot_read(ledger->directory, key, number, false,
				      &slot);
		if (error == OCC_OK)
			occ_slot_remove(&slot, ledger);
		occ_entry_file_release(&slot.file);
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
	}
	return OCC_OK;
}

int occ_store_discard(struct occ_store *store, const struct occ_key *key)
{
	struct occ_size_ledger ledger;
	int directory, error = occ_store_open_to_change(store, &directory);

	if (error)
		return error == OCC_E_NOT_FOUND ? OCC_OK : error;
	error = occ_size_ledger_lock(directory, &ledger);
	if (!error) {
		error = discard(&ledger, key);
		occ_size_ledger_unlock(&ledger);
	}
	occ_file_close(directory);
	return error;
}
