/* SPDX-License-Identifier: MIT */
#include "cache/size_ledger.h"

#include <errno.h>
#include <fcntl.h>

#include "cache/file.h"
#include "cache/listing.h"
#include "cache/name.h"
#include "cache/temp.h"
#include "hash/buffer.h"

/* Written twice. */
#define TOTAL_SIZE 8

/*
 * (S11) How often config.file may be replaced while we wait for its lock.
 * Somebody would have to delete it this often within one publish.
 */
#define TRIES_MAX  1000

/*
 * (S11) The lock is held for a few system calls, or for an eviction. Who keeps
 * it longer is stopped or not one of us: after that long a publish is given up,
 * and for a while the lock is tried but once.
 */
#define GIVEN_UP   UINT64_C(10000000000) /* ns */

/* When waiting makes sense again, by occ_file_clock(); atomic. */
static uint64_t no_wait_until;

/* Not an enum occ_error: config.file is another one now. */
#define REPLACED 1

static int write_size(const struct occ_size_ledger *ledger, uint64_t size)
{
	unsigned char bytes[OCC_SIZE_LEDGER_SIZE];

	occ_put_u64(bytes, size);
	occ_put_u64(bytes + TOTAL_SIZE, size);
	return occ_file_write(ledger->file, 0, bytes, sizeof(bytes));
}

int occ_size_ledger_set_size(struct occ_size_ledger *ledger, uint64_t size)
{
	if (write_size(ledger, size) < 0)
		return OCC_E_IO;
	ledger->size = size;
	return OCC_OK;
}

int occ_size_ledger_add(struct occ_size_ledger *ledger, uint64_t more)
{
	uint64_t room = UINT64_MAX - ledger->size;
	int error, saved;

	error = occ_size_ledger_set_size(ledger, more > room
							 ? UINT64_MAX
							 : ledger->size + more);
	if (!error)
		return OCC_OK;
	/* (S10) Half of it may be written, and nothing will be added. */
	saved = errno;
	write_size(ledger, ledger->size);
	errno = saved;
	return error;
}

int occ_size_ledger_subtract(struct occ_size_ledger *ledger, uint64_t less)
{
	return occ_size_ledger_set_size(ledger, less > ledger->size
							? 0
							: ledger->size - less);
}

int occ_size_ledger_recount(struct occ_size_ledger *ledger)
{
	struct stat status;
	uint64_t size = 0;
	int error;

	if (occ_file_status(ledger->file, &status) < 0)
		return OCC_E_IO;
	error = occ_listing_measure(ledger->directory, &size);
	if (error)
		return error;
	/* The bytes about to be written count, too. */
	if (status.st_size < OCC_SIZE_LEDGER_SIZE)
		size += OCC_SIZE_LEDGER_SIZE - (uint64_t)status.st_size;
	return occ_size_ledger_set_size(ledger, size);
}

static int read_size(struct occ_size_ledger *ledger)
{
	unsigned char bytes[OCC_SIZE_LEDGER_SIZE];
	ssize_t count;
	int error;

	count = occ_file_read(ledger->file, 0, bytes, sizeof(bytes));
	if (count < 0)
		return OCC_E_IO;
	/* (S14) Numbers of another program's may look like totals. */
	error = occ_listing_judge(ledger->directory);
	if (error)
		return error;
	ledger->rebuilt = count < TOTAL_SIZE;
	/* As NEO made it: in its total are its files' and entries' sizes only.
	 */
	if (count < OCC_SIZE_LEDGER_SIZE)
		return occ_size_ledger_recount(ledger);
	ledger->size = occ_get_u64(bytes);
	/* This file itself counts: zeros are what a power cut leaves. */
	if (ledger->size < OCC_SIZE_LEDGER_SIZE ||
	    ledger->size < occ_get_u64(bytes + TOTAL_SIZE))
		return occ_size_ledger_recount(ledger);
	return OCC_OK;
}

/* (S4) */
static bool is_current(const struct occ_size_ledger *ledger)
{
	struct stat status;

	return !occ_file_status_at(ledger->directory, OCC_NAME_SIZE_LEDGER,
				   &status) &&
	       occ_file_same(&status, &ledger->status);
}

/* What is given up within less than the usual time says nothing of others. */
static int wait_for_lock(int file, unsigned milliseconds)
{
	uint64_t now = occ_file_clock();
	bool shortly = milliseconds < OCC_SIZE_LEDGER_WAIT_MS;
	bool patient = now >= __atomic_load_n(&no_wait_until, __ATOMIC_RELAXED);

	if (!shortly)
		milliseconds = patient ? OCC_SIZE_LEDGER_WAIT_MS : 0;
	if (!occ_file_lock(file, milliseconds))
		return OCC_OK;
	if (!shortly && patient && errno == EWOULDBLOCK)
		__atomic_store_n(&no_wait_until, now + GIVEN_UP,
				 __ATOMIC_RELAXED);
	return occ_temp_lock_error();
}

static int lock_existing(struct occ_size_ledger *ledger, unsigned milliseconds)
{
	int error;

	if (occ_file_status(ledger->file, &ledger->status) < 0)
		return OCC_E_IO;
	if (!S_ISREG(ledger->status.st_mode)) {
		errno = EINVAL;
		return OCC_E_IO;
	}
	if (!occ_file_is_mine(&ledger->status))
		return OCC_E_FORBIDDEN;
	error = wait_for_lock(ledger->file, milliseconds);
	if (error)
		return error;
	error = is_current(ledger) ? read_size(ledger) : REPLACED;
	if (error)
		occ_file_unlock(ledger->file);
	return error;
}

/*
 * The new file is locked before it gets its name, so nobody ever sees it
 * without a size and thinks that it is corrupt.
 */
static int create(struct occ_size_ledger *ledger)
{
	char name[OCC_NAME_SIZE];
	int error = occ_listing_judge(ledger->directory);

	if (!error)
		error = occ_temp_create(ledger->directory, name, &ledger->file);
	if (error)
		return error;
	if (occ_file_rename_new(ledger->directory, name, OCC_NAME_SIZE_LEDGER) <
	    0) {
		/* ENOENT: taken for an orphan by who has the lock. */
		error = errno == EEXIST || errno == ENOENT ? REPLACED
							   : OCC_E_IO;
		occ_file_remove(ledger->directory, name);
	} else if (occ_file_status(ledger->file, &ledger->status) < 0) {
		error = OCC_E_IO;
	} else {
		error = occ_size_ledger_recount(ledger);
	}
	if (error) {
		occ_file_unlock(ledger->file);
		occ_file_close(ledger->file);
	}
	return error;
}

static int try_lock(struct occ_size_ledger *ledger, unsigned milliseconds)
{
	int error;

	ledger->file =
		occ_file_open(ledger->directory, OCC_NAME_SIZE_LEDGER, O_RDWR);
	if (ledger->file < 0 && errno == ENOENT)
		return create(ledger);
	if (ledger->file < 0)
		return occ_error_of_call(errno);
	error = lock_existing(ledger, milliseconds);
	if (error)
		occ_file_close(ledger->file);
	return error;
}

int occ_size_ledger_lock(int directory, struct occ_size_ledger *ret_ledger)
{
	return occ_size_ledger_lock_within(directory, OCC_SIZE_LEDGER_WAIT_MS,
					   ret_ledger);
}

int occ_size_ledger_lock_within(int directory, unsigned milliseconds,
				struct occ_size_ledger *ret_ledger)
{
	struct occ_size_ledger ledger = {.directory = directory};
	int error = REPLACED;

	for (int try = 0; error == REPLACED && try < TRIES_MAX; try++)
		error = try_lock(&ledger, milliseconds);
	if (error == REPLACED) {
		errno = EBUSY;
		return OCC_E_IO;
	}
	if (!error)
		*ret_ledger = ledger;
	return error;
}

void occ_size_ledger_unlock(struct occ_size_ledger *ledger)
{
	occ_file_unlock(ledger->file);
	occ_file_close(ledger->file);
	ledger->file = -1;
}
