/* SPDX-License-Identifier: MIT */
/* "oclcache.counters" and "oclcache.history", which change in their places. */
#include "cache/store_internal.h"

#include <fcntl.h>

#include "cache/file.h"
#include "cache/name.h"

static bool has_size(int file, uint64_t size)
{
	struct stat status;

	return !occ_file_status(file, &status) &&
	       (uint64_t)status.st_size == size;
}

/*
 * In its place, which is several times faster than a rename: what is
 * one page the kernel writes whole, whoever is killed. A power cut may tear it.
 */
static int overwrite(const struct occ_size_ledger *ledger, const char *name,
		     const struct occ_buffer *bytes)
{
	int file = occ_file_open(ledger->directory, name, O_WRONLY);
	int error = OCC_E_IO;

	if (file < 0)
		return OCC_E_IO;
	if (has_size(file, bytes->size) &&
	    !occ_file_write(file, 0, bytes->data, bytes->size))
		error = OCC_OK;
	occ_file_close(file);
	return error;
}

/* Nothing is evicted for these files. */
static bool fits(const struct occ_store *store,
		 const struct occ_size_ledger *ledger, uint64_t size)
{
	uint64_t max_size = store->limits.max_size;

	return !max_size ||
	       (ledger->size <= max_size && size <= max_size - ledger->size);
}

static int store_counters(struct occ_store *store,
			  struct occ_size_ledger *ledger, size_t old_size,
			  const struct occ_buffer *bytes)
{
	if (!bytes->failed && bytes->size == old_size &&
	    bytes->size <= OCC_STORE_PAGE_SIZE &&
	    !overwrite(ledger, OCC_NAME_COUNTERS, bytes))
		return OCC_OK;
	/* Only if it fits as it is. */
	if (!fits(store, ledger, bytes->size))
		return OCC_E_TOO_LARGE;
	return occ_store_write(store, ledger, OCC_NAME_COUNTERS, NULL, bytes);
}

static int count(struct occ_store *store, struct occ_size_ledger *ledger,
		 occ_store_make make, void *data)
{
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT;
	int error = occ_store_read_old(store, ledger->directory,
				       OCC_NAME_COUNTERS, &old);

	if (!error && make(occ_buffer_span(&old), &new, data))
		error = store_counters(store, ledger, old.size, &new);
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	return error;
}

bool occ_store_history_grow(struct occ_store_history *history, uint64_t size)
{
	struct occ_size_ledger *ledger = history->ledger;
	uint64_t more = size - history->size;

	/* (S7): first */
	if (!fits(history->store, ledger, more) ||
	    occ_size_ledger_add(ledger, more))
		return false;
	if (occ_file_resize(history->file, size) < 0) {
		/* An ftruncate() that failed may have done it. */
		if (has_size(history->file, history->size))
			occ_size_ledger_subtract(ledger, more);
		return false;
	}
	history->size = size;
	return true;
}

static void note(struct occ_store *store, struct occ_size_ledger *ledger,
		 const struct occ_store_noting *noting)
{
	struct occ_store_history history = {.store = store, .ledger = ledger};
	struct stat status;

	history.file = occ_file_open(ledger->directory, OCC_NAME_HISTORY,
				     O_RDWR | O_CREAT);
	if (history.file < 0)
		return;
	if (!occ_file_status(history.file, &status) &&
	    S_ISREG(status.st_mode) && occ_file_is_trusted(&status, false)) {
		occ_file_permit(history.file);
		history.size = (uint64_t)status.st_size;
		noting->note(&history, noting->data);
	}
	occ_file_close(history.file);
}

int occ_store_count(struct occ_store *store, unsigned milliseconds,
		    occ_store_make make, void *data,
		    const struct occ_store_noting *noting)
{
	struct occ_size_ledger ledger;
	int directory, error = occ_store_open_to_add(store, &directory);

	if (error)
		return error;
	error = occ_store_lock(directory, milliseconds, &ledger);
	if (!error) {
		error = count(store, &ledger, make, data);
		if (!error && noting)
			note(store, &ledger, noting);
		occ_size_ledger_unlock(&ledger);
	}
	occ_file_close(directory);
	return error;
}
