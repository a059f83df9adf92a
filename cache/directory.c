/* SPDX-License-Identifier: MIT */
#include "cache/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cache/file.h"
#include "cache/path.h"

/* NEO makes its directory with mode 0775 and the umask. */
static bool is_neos(const char *path, const struct stat *status)
{
	size_t size = strlen(path), length = strlen(OCC_DIRECTORY_NEO);

	while (size && path[size - 1] == '/')
		size--;
	return (status->st_mode & 07777) == 0775 && size > length &&
	       path[size - length - 1] == '/' &&
	       !memcmp(path + size - length, OCC_DIRECTORY_NEO, length);
}

/*
 * A user's private group has his number, as a rule: that is all that is asked,
 * since to know who is in a group can take a directory service's time.
 */
static bool is_shared(const char *path, const struct occ_path *at)
{
	const struct stat *status = &at->status;

	if (status->st_mode & S_IWOTH)
		return true;
	if (!(status->st_mode & S_IWGRP))
		return false;
	return (status->st_gid != status->st_uid && !is_neos(path, status)) ||
	       occ_file_is_listed_for_others(at->directory);
}

int occ_directory_find(const char *path, enum occ_directory_create create,
		       bool *steady, int *ret_directory)
{
	const struct occ_path_missing missing = {
		.levels = create > 0 ? (unsigned)create : 0,
		.mode = S_IRWXU,
	};
	bool known = steady && __atomic_load_n(steady, __ATOMIC_RELAXED);
	struct occ_path at;
	bool trusted;
	int error = OCC_E_IO;

	/* By its name, which nobody else can give to another one. */
	if (known && !missing.levels)
		error = occ_path_open_steady(path, &at);
	/* Gone, or not to be entered: this way says why. */
	if (error)
		error = occ_path_open(path, &missing, &at);
	if (error)
		return error;
	if (steady && at.steady != known)
		__atomic_store_n(steady, at.steady, __ATOMIC_RELAXED);
	trusted = occ_file_is_trusted(&at.status,
				      create == OCC_DIRECTORY_READ_ONLY);
	if (!trusted || is_shared(path, &at)) {
		occ_file_close(at.directory);
		return OCC_E_FORBIDDEN;
	}
	*ret_directory = at.directory;
	return OCC_OK;
}

int occ_directory_open(const char *path, enum occ_directory_create create,
		       int *ret_directory)
{
	int place, error = occ_directory_find(path, create, NULL, &place);

	if (error)
		return error;
	*ret_directory = occ_file_open(place, ".", O_RDONLY | O_DIRECTORY);
	if (*ret_directory < 0)
		error = errno == EACCES || errno == EPERM ? OCC_E_DENIED
							  : OCC_E_IO;
	occ_file_close(place);
	return error;
}

int occ_directory_look(const char *path, enum occ_directory_create create)
{
	int directory,
		error = occ_directory_find(path, create, NULL, &directory);

	if (!error)
		occ_file_close(directory);
	return error;
}
