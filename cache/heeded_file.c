/* SPDX-License-Identifier: MIT */
#include "cache/heeded_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"

/* Whose group has his number is in it alone. */
static bool only_owner_writes(const struct stat *status)
{
	return occ_file_is_trusted(status, true) &&
	       !(status->st_mode & S_IWOTH) &&
	       (!(status->st_mode & S_IWGRP) ||
		status->st_gid == status->st_uid);
}

static const char *judge(const struct stat *status, enum occ_heeded_file kind)
{
	if (!S_ISREG(status->st_mode))
		return "isn't a regular file";
	if (kind == OCC_HEEDED_PUBLIC && !only_owner_writes(status))
		return "can be written by users other than you and root";
	if (kind == OCC_HEEDED_SECRET && !occ_file_is_mine(status))
		return "belongs to another user";
	if (kind == OCC_HEEDED_SECRET && status->st_mode & (S_IRWXG | S_IRWXO))
		return "can be read or written by other users";
	if (status->st_size > OCC_HEEDED_FILE_MAX)
		return "is larger than 64 KiB";
	return NULL;
}

static const char *read_text(int file, enum occ_heeded_file kind,
			     char **ret_text, size_t *ret_size)
{
	const char *problem;
	struct stat status;
	ssize_t size;
	char *text;

	if (occ_file_status(file, &status))
		return "can't be read";
	problem = judge(&status, kind);
	if (problem)
		return problem;
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return "can't be read: out of memory";
	size = occ_file_read(file, 0, text, (size_t)status.st_size);
	/* Half a number is another number. */
	if (size != status.st_size) {
		explicit_bzero(text, (size_t)status.st_size);
		free(text);
		return size < 0 ? "can't be read"
				: "is being written at the moment";
	}
	text[size] = '\0';
	*ret_text = text;
	*ret_size = (size_t)size;
	return NULL;
}

/* Is it there, for others? A home that can't be entered has none for us. */
static bool is_missing(const char *path)
{
	struct stat status;

	return errno == ENOENT || errno == ENOTDIR ||
	       occ_file_status_path(path, &status);
}

const char *occ_heeded_file_read(const char *path, enum occ_heeded_file kind,
				 char **ret_text, size_t *ret_size)
{
	int file = occ_file_open_path(path);
	const char *problem;

	*ret_text = NULL;
	*ret_size = 0;
	if (file < 0)
		return is_missing(path) ? NULL : "can't be read";
	problem = read_text(file, kind, ret_text, ret_size);
	occ_file_close(file);
	return problem;
}
