/* SPDX-License-Identifier: MIT */
#include "cache/directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

static int make_one(const char *path)
{
	if (!occ_file_make_directory(path) || errno == EEXIST)
		return 0;
	return -1;
}

static int make_parent(const char *path)
{
	char *parent = strdup(path), *end;
	int result = -1;

	if (!parent)
		return -1;
	end = parent + strlen(parent);
	while (end > parent && end[-1] == '/')
		*--end = '\0';
	end = strrchr(parent, '/');
	if (end && end > parent) {
		*end = '\0';
		result = make_one(parent);
	}
	free(parent);
	return result;
}

static int make(const char *path, enum occ_directory_create create)
{
	if (create <= OCC_DIRECTORY_MUST_EXIST)
		return -1;
	if (!make_one(path))
		return 0;
	if (errno != ENOENT || create != OCC_DIRECTORY_CREATE_PARENT)
		return -1;
	return make_parent(path) < 0 ? -1 : make_one(path);
}

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
static bool is_shared(const char *path, const struct stat *status)
{
	if (status->st_mode & S_IWOTH)
		return true;
	return status->st_mode & S_IWGRP && status->st_gid != status->st_uid &&
	       !is_neos(path, status);
}

static int judge(const char *path, const struct stat *status,
		 enum occ_directory_create create)
{
	bool trusted =
		occ_file_is_trusted(status, create == OCC_DIRECTORY_READ_ONLY);

	return trusted && !is_shared(path, status) ? OCC_OK : OCC_E_FORBIDDEN;
}

static int check(const char *path, int directory,
		 enum occ_directory_create create)
{
	struct stat status;

	if (occ_file_status(directory, &status) < 0)
		return OCC_E_IO;
	return judge(path, &status, create);
}

static int error_of(int number)
{
	if (number == ENOENT || number == ENOTDIR)
		return OCC_E_NO_DIRECTORY;
	return number == EACCES || number == EPERM ? OCC_E_DENIED : OCC_E_IO;
}

int occ_directory_look(const char *path, enum occ_directory_create create)
{
	struct stat status;

	if (occ_file_status_path(path, &status) < 0)
		return error_of(errno);
	return S_ISDIR(status.st_mode) ? judge(path, &status, create)
				       : OCC_E_NO_DIRECTORY;
}

int occ_directory_open(const char *path, enum occ_directory_create create,
		       int *ret_directory)
{
	int directory = occ_file_open_directory(path), error;

	if (directory < 0 && errno == ENOENT) {
		if (make(path, create) < 0)
			return OCC_E_NO_DIRECTORY;
		directory = occ_file_open_directory(path);
	}
	if (directory < 0)
		return error_of(errno);
	error = check(path, directory, create);
	if (error) {
		occ_file_close(directory);
		return error;
	}
	*ret_directory = directory;
	return OCC_OK;
}
