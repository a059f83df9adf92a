/* SPDX-License-Identifier: MIT */
/* The store's files by their names: read, written, replaced, and touched. */
#include "cache/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/name.h"
#include "cache/reservation.h"

/* (S12) Of files that aren't entries; traces have whole sources in them. */
#define FILE_SIZE_MAX ((uint64_t)256 << 20)

/*
 * An open one, which is closed; -1: it couldn't be opened.
 *
 * (S10) Files of ours change by rename() alone, or in their place and never
 * shrink: one that ends before its size hasn't been read.
 */
static int read_file(const struct occ_store *store, int file,
		     struct occ_buffer *ret_bytes)
{
	unsigned char *data = NULL;
	struct stat status;
	int error = OCC_OK;
	size_t size = 0;

	if (file < 0)
		return errno == ENOENT ? OCC_E_NOT_FOUND : OCC_E_IO;
	if (occ_file_status(file, &status) < 0)
		error = OCC_E_IO;
	else if (!S_ISREG(status.st_mode) ||
		 !occ_file_is_trusted(&status, occ_store_is_read_only(store)))
		error = OCC_E_FORBIDDEN;
	else if ((uint64_t)status.st_size > FILE_SIZE_MAX)
		error = OCC_E_TOO_LARGE;
	if (!error) {
		size = (size_t)status.st_size;
		data = malloc(size + 1);
		if (!data)
			error = OCC_E_MEMORY;
		else if (occ_file_read(file, 0, data, size) != (ssize_t)size)
			error = OCC_E_IO;
	}
	occ_file_close(file);
	if (error) {
		free(data);
		return error;
	}
	*ret_bytes = (struct occ_buffer){
		.data = data,
		.size = size,
		.capacity = size + 1,
	};
	return OCC_OK;
}

int occ_store_write(struct occ_store *store, struct occ_size_ledger *ledger,
		    const char *name, const char *keep,
		    const struct occ_buffer *bytes)
{
	struct occ_reservation reservation;
	int error;

	if (bytes->failed)
		return OCC_E_MEMORY;
	error = occ_evict_make_room(ledger, &store->limits, bytes->size, keep);
	if (!error)
		error = occ_reservation_make(ledger, bytes->size, &reservation);
	if (error)
		return error;
	error = occ_reservation_write(&reservation, bytes->data);
	if (error)
		occ_reservation_cancel(&reservation, ledger);
	else
		error = occ_reservation_commit(&reservation, ledger, name);
	return error;
}

/* What was larger than it ever was made is no good at all. */
int occ_store_read_old(const struct occ_store *store, int directory,
		       const char *name, struct occ_buffer *ret_bytes)
{
	int error = read_file(store, occ_file_open(directory, name, O_RDONLY),
			      ret_bytes);

	return error == OCC_E_NOT_FOUND || error == OCC_E_TOO_LARGE ? OCC_OK
								    : error;
}

/* Under one lock from reading to renaming, so that no change is lost. */
static int replace(struct occ_store *store, struct occ_size_ledger *ledger,
		   const char *name, occ_store_make make, void *data)
{
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT;
	int error = occ_store_read_old(store, ledger->directory, name, &old);

	if (!error && make(occ_buffer_span(&old), &new, data))
		error = occ_store_write(store, ledger, name, NULL, &new);
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	return error;
}

static int change(struct occ_store *store, const char *name,
		  occ_store_make make, void *data)
{
	struct occ_size_ledger ledger;
	int directory, error = occ_store_open_to_add(store, &directory);

	if (error)
		return error;
	error = occ_store_lock(directory, OCC_SIZE_LEDGER_WAIT_MS, &ledger);
	if (!error) {
		error = replace(store, &ledger, name, make, data);
		occ_size_ledger_unlock(&ledger);
	}
	occ_file_close(directory);
	return error;
}

bool occ_store_content_is(struct occ_span old_bytes,
			  struct occ_buffer *new_bytes, void *data)
{
	const struct occ_buffer *file = data;

	if (occ_span_equal(old_bytes, occ_buffer_span(file)))
		return false;
	occ_buffer_append(new_bytes, file->data, file->size);
	return true;
}

int occ_store_replace(struct occ_store *store, const char *name,
		      occ_store_make make, void *data)
{
	/* Anything else would not be counted, or be taken for an entry. */
	if (strcmp(name, OCC_NAME_STATE) != 0 &&
	    !occ_name_is_beside(occ_name_kind(name))) {
		errno = EINVAL;
		return OCC_E_IO;
	}
	return change(store, name, make, data);
}

int occ_store_read(struct occ_store *store, const char *name,
		   struct occ_buffer *ret_bytes)
{
	int directory, error = occ_store_open_to_find(store, &directory);

	if (error)
		return error;
	error = read_file(store, occ_file_open(directory, name, O_RDONLY),
			  ret_bytes);
	occ_file_close(directory);
	return error;
}

void occ_store_add_uses(struct occ_store *store,
			const struct occ_entry_use *uses, size_t count)
{
	int directory;

	if (occ_store_open_to_change(store, &directory))
		return;
	for (size_t i = 0; i < count; i++)
		occ_slot_add_uses(directory, &uses[i].hash, uses[i].count);
	occ_file_close(directory);
}

void occ_store_touch_file(struct occ_store *store, const char *name)
{
	int directory;

	if (occ_store_open_to_change(store, &directory))
		return;
	occ_slot_touch_named(directory, name);
	occ_file_close(directory);
}
