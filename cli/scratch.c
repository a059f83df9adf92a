/* SPDX-License-Identifier: MIT */
#include "cli/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/text.h"

/* Of directories that are locked; those of former versions aren't. */
static const char prefix[] = "oclcache-scratch.";

/* Descriptors that the walk may keep. */
#define WALK_FILES 16

const char *occ_scratch_parent(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory == '/' ? directory : "/tmp";
}

/* A descriptor of the directory if it is the user's, or -1. */
static int open_own(const char *path)
{
	int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (file < 0 || (!fstat(file, &status) && status.st_uid == geteuid()))
		return file;
	close(file);
	return -1;
}

/*
 * False: who cleans up has taken it for a killed command's before it was
 * locked. The descriptor is meant to stay open.
 */
static bool lock(const char *path)
{
	int file = open_own(path);
	struct stat there, here;

	if (file < 0)
		return false;
	while (flock(file, LOCK_EX) && errno == EINTR)
		;
	if (!stat(path, &there) && !fstat(file, &here) &&
	    there.st_ino == here.st_ino && there.st_dev == here.st_dev)
		return true;
	close(file);
	return false;
}

char *occ_scratch_try(void)
{
	for (;;) {
		char *path =
			occ_text("%s/%sXXXXXX", occ_scratch_parent(), prefix);

		if (!mkdtemp(path)) {
			free(path);
			return NULL;
		}
		if (lock(path))
			return path;
		/* Another one is made only where it has gone. */
		if (!access(path, F_OK))
			return path;
		free(path);
	}
}

char *occ_scratch_make(void)
{
	char *path = occ_scratch_try();

	if (!path)
		occ_message_error("can't create a directory in %s: %s; set "
				  "TMPDIR to a directory that you can write to",
				  occ_scratch_parent(), strerror(errno));
	return path;
}

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

static void remove_whole(const char *path)
{
	nftw(path, remove_one, WALK_FILES, FTW_DEPTH | FTW_PHYS);
}

/* Nobody has it locked any more: whoever made it was killed. */
static void remove_stale(const char *path)
{
	int file = open_own(path);

	if (file < 0)
		return;
	if (!flock(file, LOCK_EX | LOCK_NB))
		remove_whole(path);
	close(file);
}

/* Could others put something in the place of what is in there? */
static bool is_others(const struct stat *directory)
{
	return (directory->st_mode & (S_IWGRP | S_IWOTH)) &&
	       !(directory->st_mode & S_ISVTX);
}

static void remove_all_stale(void)
{
	const char *parent = occ_scratch_parent();
	struct dirent *item;
	struct stat status;
	DIR *directory;

	if (stat(parent, &status) || is_others(&status))
		return;
	directory = opendir(parent);
	while (directory && (item = readdir(directory))) {
		char *path;

		if (strncmp(item->d_name, prefix, strlen(prefix)) != 0)
			continue;
		path = occ_text("%s/%s", parent, item->d_name);
		remove_stale(path);
		free(path);
	}
	if (directory)
		closedir(directory);
}

void occ_scratch_remove(char *scratch)
{
	if (!scratch)
		return;
	remove_whole(scratch);
	free(scratch);
	remove_all_stale();
}
