/* SPDX-License-Identifier: MIT */
#include "cli/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cli/link_target.h"
#include "cli/text.h"

static const struct occ_path_missing missing = {.levels = 2, .mode = 0700};

static int write_whole(int file, const void *data, size_t size)
{
	return occ_file_write(file, 0, data, size) || fsync(file) ? -1 : 0;
}

/* Makes a file beside it, and gives it the name. */
static int put(int directory, const char *name, bool is_new, mode_t mode,
	       const void *data, size_t size)
{
	char *temp = occ_text("%s.%ld.tmp", name, (long)getpid());
	int file = occ_file_open(directory, temp, O_WRONLY | O_CREAT | O_EXCL);
	int result = -1, saved;

	if (file >= 0) {
		occ_file_permit(file);
		result = write_whole(file, data, size);
		if (!result && mode)
			result = fchmod(file, mode);
		if (!result)
			result =
				is_new ? occ_file_rename_new(directory, temp,
							     name)
				       : occ_file_rename(directory, temp, name);
		saved = errno;
		if (result)
			occ_file_remove(directory, temp);
		occ_file_close(file);
		errno = saved;
	}
	saved = errno;
	free(temp);
	errno = saved;
	return result;
}

static int replace(const char *path, bool is_new, mode_t mode, const void *data,
		   size_t size)
{
	struct occ_path place;
	const char *name;
	int result, saved;

	result = occ_path_open_parent(path, &missing, &place, &name);
	if (result) {
		if (result == OCC_E_ANOTHERS)
			errno = EPERM;
		else if (result == OCC_E_DENIED)
			errno = EACCES;
		return -1;
	}
	result = put(place.directory, name, is_new, mode, data, size);
	saved = errno;
	occ_file_close(place.directory);
	errno = saved;
	return result;
}

int occ_replace_file_new(const char *path, const void *data, size_t size)
{
	return replace(path, true, 0, data, size);
}

int occ_replace_file(const char *path, const void *data, size_t size)
{
	char *file = occ_link_target(path);
	struct stat status;
	mode_t mode = 0;
	int result, saved;

	if (!stat(path, &status))
		mode = status.st_mode & 0777;
	result = replace(file, false, mode, data, size);
	saved = errno;
	free(file);
	errno = saved;
	return result;
}
