/* SPDX-License-Identifier: MIT */
#include "cache/temp.h"

#include <errno.h>
#include <fcntl.h>

#include "cache/file.h"

/* (S11) Names are taken only by orphans and by luck: a few tries are plenty. */
#define TRIES_MAX 100

int occ_temp_lock_error(void)
{
	switch (errno) {
	case ENOLCK:
	case EOPNOTSUPP:
	case ENOSYS:
	case EINVAL:
		return OCC_E_NO_LOCK;
	case EWOULDBLOCK:
		return OCC_E_BUSY;
	default:
		return OCC_E_IO;
	}
}

static uint64_t random_for(int try)
{
	uint64_t seed[2] = {occ_file_unique(), (uint64_t)try};
	struct occ_digest digest;
	uint64_t random = 0;

	occ_digest(seed, sizeof(seed), OCC_SEED_NAME, &digest);
	for (int i = 0; i < 8; i++)
		random = random << 8 | digest.bytes[i];
	return random;
}

static int create_some(int directory, char ret_name[OCC_NAME_SIZE])
{
	int file = -1;

	for (int try = 0; try < TRIES_MAX; try++) {
		occ_name_temp(random_for(try), ret_name);
		file = occ_file_open(directory, ret_name,
				     O_RDWR | O_CREAT | O_EXCL);
		if (file >= 0 || errno != EEXIST)
			break;
	}
	return file;
}

int occ_temp_create(int directory, char ret_name[OCC_NAME_SIZE], int *ret_file)
{
	int file = create_some(directory, ret_name), error;

	if (file < 0)
		return errno == ENOENT ? OCC_E_NO_DIRECTORY
				       : occ_error_of_call(errno);
	occ_file_permit(file);
	/* (S5) */
	if (occ_file_lock(file, 0) < 0) {
		error = occ_temp_lock_error();
		occ_file_remove(directory, ret_name);
		occ_file_close(file);
		return error;
	}
	*ret_file = file;
	return OCC_OK;
}

int occ_temp_remove_orphan(int directory, const char *name)
{
	/* Write access, because NFS wants it for an exclusive lock. */
	int file = occ_file_open(directory, name, O_RDWR), removed = 0;

	if (file < 0)
		return 0;
	if (!occ_file_lock(file, 0)) {
		removed = !occ_file_remove(directory, name);
		occ_file_unlock(file);
	}
	occ_file_close(file);
	return removed;
}
