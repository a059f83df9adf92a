/* SPDX-License-Identifier: MIT */
/* New entries, and changes of those that are there, each under one lock. */
#include "cache/store_internal.h"

#include <errno.h>
#include <fcntl.h>

#include "cache/description.h"
#include "cache/file.h"
#include "cache/name.h"
#include "cache/reservation.h"

/* (S11) An import of many is worth more of a wait than a single publish. */
#define IMPORT_TRIES	10
#define IMPORT_PAUSE_NS UINT64_C(500000000)

/* s */
#define SWEEP_INTERVAL	86400

static const char tag[] = OCC_NAME_TAG_TEXT;

/* No room or no luck: backups will take the store along, no more than that. */
static void write_tag(struct occ_size_ledger *ledger, uint64_t max_size,
		      uint64_t need)
{
	struct occ_reservation reservation;
	struct stat status;
	uint64_t size = sizeof(tag) - 1;

	if (!occ_file_status_at(ledger->directory, OCC_NAME_TAG, &status) ||
	    errno != ENOENT)
		return;
	if (max_size &&
	    (ledger->size > max_size || max_size - ledger->size < size ||
	     max_size - ledger->size - size < need))
		return;
	if (occ_reservation_make(ledger, size, &reservation))
		return;
	if (occ_reservation_write(&reservation, tag))
		occ_reservation_cancel(&reservation, ledger);
	else
		occ_reservation_commit(&reservation, ledger, OCC_NAME_TAG);
}

/*
 * Are orphans to be looked for? Once a day, which the tag's time tells, by the
 * first publish of a process.
 */
static bool is_day_over(struct occ_store *store, int directory)
{
	struct stat status;
	int64_t age;
	int file;

	if (__atomic_exchange_n(&store->swept, true, __ATOMIC_RELAXED))
		return false;
	file = occ_file_open(directory, OCC_NAME_TAG, O_RDONLY);
	if (file < 0)
		return true;
	age = occ_file_status(file, &status) < 0
		      ? 0
		      : occ_file_now() - status.st_mtim.tv_sec;
	/* Less than 0: the clock was set back. */
	if (age < 0 || age >= SWEEP_INTERVAL)
		occ_file_touch(file, 0);
	occ_file_close(file);
	return age < 0 || age >= SWEEP_INTERVAL;
}

static int reserve(struct occ_store *store, int directory,
		   const struct occ_key *key, uint64_t size,
		   struct occ_reservation *ret_reservation,
		   struct occ_eviction *eviction)
{
	char name[OCC_NAME_SIZE];
	struct occ_size_ledger ledger;
	int error;

	error = occ_store_lock(directory, OCC_SIZE_LEDGER_WAIT_MS, &ledger);
	if (error)
		return error;
	error = occ_slot_choose(&ledger, key, name);
	if (!error)
		write_tag(&ledger, store->limits.max_size, size);
	if (!error)
		error = occ_evict_begin(&ledger, &store->limits, size, NULL,
					eviction);
	if (!error)
		error = occ_reservation_make(&ledger, size, ret_reservation);
	occ_size_ledger_unlock(&ledger);
	return error;
}

/*
 * `error`: of the writing. The name is chosen again (S9): it may be taken by
 * now.
 */
static int settle(int directory, const struct occ_key *key,
		  struct occ_reservation *reservation, int error)
{
	int write_errno = errno, lock_error;
	bool written = !error;
	char name[OCC_NAME_SIZE];
	struct occ_size_ledger ledger;

	lock_error = occ_size_ledger_lock(directory, &ledger);
	if (lock_error) {
		occ_reservation_drop(reservation);
		return written ? lock_error : error;
	}
	if (written)
		error = occ_slot_choose(&ledger, key, name);
	if (error)
		occ_reservation_cancel(reservation, &ledger);
	else
		error = occ_reservation_commit(reservation, &ledger, name);
	occ_size_ledger_unlock(&ledger);
	if (!written)
		errno = write_errno;
	return error;
}

static int publish(struct occ_store *store, const struct occ_key *key,
		   const struct occ_buffer *file)
{
	struct occ_eviction eviction = {0};
	struct occ_reservation reservation;
	int directory, error;

	error = occ_store_open_to_add(store, &directory);
	if (error)
		return error;
	error = reserve(store, directory, key, file->size, &reservation,
			&eviction);
	if (!error) {
		error = occ_reservation_write(&reservation, file->data);
		if (!error)
			occ_file_mark_uses(reservation.file, 0);
		error = settle(directory, key, &reservation, error);
	}
	occ_evict_finish(directory, &eviction);
	if (!error && is_day_over(store, directory))
		occ_evict_orphans(directory);
	occ_file_close(directory);
	return error;
}

int occ_store_publish(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	int error;

	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	occ_entry_encode(key, metadata, binary, &file);
	if (file.failed)
		error = OCC_E_MEMORY;
	else if ((store->limits.max_size &&
		  file.size > store->limits.max_size) ||
		 file.size > OCC_ENTRY_SIZE_MAX)
		error = OCC_E_TOO_LARGE;
	else
		error = publish(store, key, &file);
	occ_buffer_release(&file);
	return error;
}

/* What was hit stays hit: the new file has the hits that the old one had. */
static void keep_uses(int directory, const struct occ_slot *slot)
{
	uint64_t uses = occ_file_uses(&slot->file.status);
	int file;

	if (uses == OCC_FILE_USES_UNKNOWN)
		return;
	file = occ_file_open(directory, slot->name, O_RDONLY);
	if (file < 0)
		return;
	occ_file_mark_uses(file, uses);
	occ_file_close(file);
}

/* Replaces the slot's entry, under the lock. */
static int rewrite(struct occ_store *store, struct occ_size_ledger *ledger,
		   const struct occ_slot *slot, const struct occ_buffer *bytes)
{
	int error =
		occ_store_write(store, ledger, slot->name, slot->name, bytes);

	if (!error)
		keep_uses(ledger->directory, slot);
	return error;
}

/*
 * A hit looks at the hot part alone, so that an entry whose cold part is bad
 * stands in the way of a whole one.
 */
static int mend(struct occ_store *store, const struct occ_key *key,
		const struct occ_buffer *file)
{
	struct occ_size_ledger ledger;
	struct occ_slot slot;
	int error = occ_store_begin_update(store, key, &ledger, &slot);

	if (error)
		return error;
	error = occ_entry_file_read_rest(&slot.file);
	if (!error)
		error = occ_entry_check_cold(slot.file.memory, slot.file.size);
	if (error == OCC_E_CORRUPT)
		error = rewrite(store, &ledger, &slot, file);
	else if (!error)
		error = OCC_E_EXISTS;
	occ_store_end_update(&ledger, &slot);
	return error;
}

/* Publishes, or mends what is there. */
static int import_once(struct occ_store *store, const struct occ_key *key,
		       const struct occ_buffer *file)
{
	int error = publish(store, key, file);

	return error == OCC_E_EXISTS ? mend(store, key, file) : error;
}

int occ_store_import(struct occ_store *store,
		     const struct occ_entry_file *whole)
{
	const struct occ_buffer file = {whole->memory, whole->size, whole->size,
					false};
	struct occ_key key;
	int error;

	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	if (store->limits.max_size && file.size > store->limits.max_size)
		return OCC_E_TOO_LARGE;
	error = occ_entry_file_key(whole, &key);
	if (error)
		return error;
	error = import_once(store, &key, &file);
	/* (S11) What stood in the way a moment ago may have gone. */
	for (int try = 1; try < IMPORT_TRIES &&
			  (error == OCC_E_BUSY || occ_store_has_none(error));
	     try++) {
		/* Who has waited in vain doesn't wait again for a while. */
		if (error == OCC_E_BUSY)
			occ_file_pause(IMPORT_PAUSE_NS);
		error = import_once(store, &key, &file);
	}
	occ_key_release(&key);
	return error;
}

/* What an entry is to become. */
struct fuller {
	const struct occ_key *key;
	struct occ_span metadata;
	struct occ_span binary;
	bool renews; /* whatever the old one is */
};

static uint64_t completeness(struct occ_span metadata)
{
	struct occ_entry entry = {.metadata = metadata};

	/* Who doesn't say it has no more to come. */
	return occ_entry_number(&entry, OCC_META_COMPLETENESS, UINT64_MAX);
}

static void encode_fuller(const struct fuller *fuller,
			  const struct occ_entry *old,
			  struct occ_buffer *ret_file)
{
	static const struct occ_span none = {NULL, 0};
	struct occ_span kernels = occ_entry_bytes(old, OCC_META_KERNELS);
	struct occ_buffer merged = OCC_BUFFER_INIT;
	struct occ_span metadata = fuller->metadata;

	if (!fuller->renews &&
	    occ_description_complete(metadata, kernels, none, &merged) &&
	    !merged.failed)
		metadata = occ_buffer_span(&merged);
	occ_entry_encode(fuller->key, metadata, fuller->binary, ret_file);
	occ_buffer_release(&merged);
}

/* Replaces the entry that is there, or publishes a new one. */
static int put(struct occ_store *store, const struct fuller *fuller)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_size_ledger ledger;
	struct occ_slot slot;
	int error = occ_store_begin_update(store, fuller->key, &ledger, &slot);

	if (occ_store_has_none(error))
		return occ_store_publish(store, fuller->key, fuller->metadata,
					 fuller->binary);
	if (error)
		return error;
	error = OCC_E_EXISTS;
	if (fuller->renews || completeness(slot.file.entry.metadata) <
				      completeness(fuller->metadata)) {
		encode_fuller(fuller, &slot.file.entry, &file);
		error = rewrite(store, &ledger, &slot, &file);
	}
	occ_buffer_release(&file);
	occ_store_end_update(&ledger, &slot);
	return error;
}

int occ_store_improve(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary)
{
	const struct fuller fuller = {key, metadata, binary, false};

	return put(store, &fuller);
}

int occ_store_renew(struct occ_store *store, const struct occ_key *key,
		    struct occ_span metadata, struct occ_span binary)
{
	const struct fuller fuller = {key, metadata, binary, true};

	return put(store, &fuller);
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
					 occ_buffer_span(&metadata),
					 slot.file.entry.binary, &file);
			error = rewrite(store, &ledger, &slot, &file);
		}
	}
	occ_buffer_release(&metadata);
	occ_buffer_release(&file);
	occ_store_end_update(&ledger, &slot);
	return error;
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
	if (binary.size && !occ_span_equal(binary, there))
		return OCC_E_NOT_FOUND;
	if (!code.size && !slot->file.entry.code.data)
		return OCC_OK;
	occ_entry_recode_code(slot->file.memory, code, &file);
	error = rewrite(store, ledger, slot, &file);
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
