/* SPDX-License-Identifier: MIT */
#include "cache/config.h"

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
#define WAIT_MS	   1000
#define GIVEN_UP   UINT64_C(10000000000) /* ns */

/* When waiting makes sense again, by occ_file_clock(); atomic. */
static uint64_t no_wait_until;

/* Not an enum occ_error: config.file is another one now. */
#define REPLACED 1

static int write_size(const struct occ_config *config, uint64_t size)
{
	unsigned char bytes[OCC_CONFIG_SIZE];

	occ_put_u64(bytes, size);
	occ_put_u64(bytes + TOTAL_SIZE, size);
	return occ_file_write(config->file, 0, bytes, sizeof(bytes));
}

int occ_config_set_size(struct occ_config *config, uint64_t size)
{
	if (write_size(config, size) < 0)
		return OCC_E_IO;
	config->size = size;
	return OCC_OK;
}

int occ_config_add(struct occ_config *config, uint64_t more)
{
	uint64_t room = UINT64_MAX - config->size;
	int error, saved;

	error = occ_config_set_size(config, more > room ? UINT64_MAX
							: config->size + more);
	if (!error)
		return OCC_OK;
	/* (S10) Half of it may be written, and nothing will be added. */
	saved = errno;
	write_size(config, config->size);
	errno = saved;
	return error;
}

int occ_config_subtract(struct occ_config *config, uint64_t less)
{
	return occ_config_set_size(config, less > config->size
						   ? 0
						   : config->size - less);
}

int occ_config_recount(struct occ_config *config)
{
	struct stat status;
	uint64_t size = 0;
	int error;

	if (occ_file_status(config->file, &status) < 0)
		return OCC_E_IO;
	error = occ_listing_measure(config->directory, &size);
	if (error)
		return error;
	/* The bytes about to be written count, too. */
	if (status.st_size < OCC_CONFIG_SIZE)
		size += OCC_CONFIG_SIZE - (uint64_t)status.st_size;
	return occ_config_set_size(config, size);
}

static int read_size(struct occ_config *config)
{
	unsigned char bytes[OCC_CONFIG_SIZE];
	ssize_t count;

	count = occ_file_read(config->file, 0, bytes, sizeof(bytes));
	if (count < 0)
		return OCC_E_IO;
	config->rebuilt = count < TOTAL_SIZE;
	if (config->rebuilt)
		return occ_config_recount(config);
	config->size = occ_get_u64(bytes);
	/* As NEO made it: what we write makes it longer, and that counts. */
	if (count < OCC_CONFIG_SIZE)
		return occ_config_add(config,
				      OCC_CONFIG_SIZE - (uint64_t)count);
	/* This file itself counts: zeros are what a power cut leaves. */
	if (config->size < OCC_CONFIG_SIZE ||
	    config->size < occ_get_u64(bytes + TOTAL_SIZE))
		return occ_config_recount(config);
	return OCC_OK;
}

/* (S4) */
static bool is_current(const struct occ_config *config)
{
	struct stat status;

	return !occ_file_status_at(config->directory, OCC_NAME_CONFIG,
				   &status) &&
	       occ_file_same(&status, &config->status);
}

/* What is given up there says nothing about others. */
static int wait_shortly(int file, unsigned milliseconds)
{
	if (!occ_file_lock(file, milliseconds))
		return OCC_OK;
	return occ_temp_lock_error();
}

static int wait_for_lock(int file)
{
	uint64_t now = occ_file_clock();
	bool patient = now >= __atomic_load_n(&no_wait_until, __ATOMIC_RELAXED);

	if (!occ_file_lock(file, patient ? WAIT_MS : 0))
		return OCC_OK;
	if (patient && errno == EWOULDBLOCK)
		__atomic_store_n(&no_wait_until, now + GIVEN_UP,
				 __ATOMIC_RELAXED);
	return occ_temp_lock_error();
}

static int lock_existing(struct occ_config *config, unsigned milliseconds)
{
	int error;

	if (occ_file_status(config->file, &config->status) < 0)
		return OCC_E_IO;
	if (!S_ISREG(config->status.st_mode)) {
		errno = EINVAL;
		return OCC_E_IO;
	}
	if (!occ_file_is_mine(&config->status))
		return OCC_E_FORBIDDEN;
	error = milliseconds < WAIT_MS
			? wait_shortly(config->file, milliseconds)
			: wait_for_lock(config->file);
	if (error)
		return error;
	error = is_current(config) ? read_size(config) : REPLACED;
	if (error)
		occ_file_unlock(config->file);
	return error;
}

/*
 * The new file is locked before it gets its name, so nobody ever sees it
 * without a size and thinks that it is corrupt.
 */
static int create(struct occ_config *config)
{
	char name[OCC_NAME_SIZE];
	int error;

	error = occ_temp_create(config->directory, name, &config->file);
	if (error)
		return error;
	if (occ_file_rename_new(config->directory, name, OCC_NAME_CONFIG) < 0) {
		/* ENOENT: taken for an orphan by who has the lock. */
		error = errno == EEXIST || errno == ENOENT ? REPLACED
							   : OCC_E_IO;
		occ_file_remove(config->directory, name);
	} else if (occ_file_status(config->file, &config->status) < 0) {
		error = OCC_E_IO;
	} else {
		error = occ_config_recount(config);
	}
	if (error) {
		occ_file_unlock(config->file);
		occ_file_close(config->file);
	}
	return error;
}

static int try_lock(struct occ_config *config, unsigned milliseconds)
{
	int error;

	config->file =
		occ_file_open(config->directory, OCC_NAME_CONFIG, O_RDWR);
	if (config->file < 0 && errno == ENOENT)
		return create(config);
	if (config->file < 0)
		return OCC_E_IO;
	error = lock_existing(config, milliseconds);
	if (error)
		occ_file_close(config->file);
	return error;
}

int occ_config_lock(int directory, struct occ_config *ret_config)
{
	return occ_config_lock_within(directory, WAIT_MS, ret_config);
}

int occ_config_lock_within(int directory, unsigned milliseconds,
			   struct occ_config *ret_config)
{
	struct occ_config config = {.directory = directory};
	int error = REPLACED;

	for (int try = 0; error == REPLACED && try < TRIES_MAX; try++)
		error = try_lock(&config, milliseconds);
	if (error == REPLACED) {
		errno = EBUSY;
		return OCC_E_IO;
	}
	if (!error)
		*ret_config = config;
	return error;
}

void occ_config_unlock(struct occ_config *config)
{
	occ_file_unlock(config->file);
	occ_file_close(config->file);
	config->file = -1;
}
