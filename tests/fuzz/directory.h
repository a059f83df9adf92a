/* SPDX-License-Identifier: MIT */
/* A directory of the fuzz target's own, in memory where that can be had. */
#ifndef TESTS_FUZZ_DIRECTORY_H
#define TESTS_FUZZ_DIRECTORY_H

#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

static char fuzz_path[] = "/dev/shm/oclcache-fuzz-XXXXXX";
static char fuzz_other_path[] = "/tmp/oclcache-fuzz-XXXXXX";
static char *fuzz_made;
static int fuzz_opened = -1;

static inline int fuzz_remove(const char *path, const struct stat *status,
			      int flag, struct FTW *level)
{
	(void)status;
	(void)flag;
	(void)level;
	return remove(path);
}

static inline void fuzz_clean(void)
{
	nftw(fuzz_made, fuzz_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *fuzz_directory(void)
{
	if (fuzz_made)
		return fuzz_made;
	fuzz_made = mkdtemp(fuzz_path);
	if (!fuzz_made)
		fuzz_made = mkdtemp(fuzz_other_path);
	fuzz_expect(fuzz_made, "a directory");
	atexit(fuzz_clean);
	fuzz_opened = open(fuzz_made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fuzz_expect(fuzz_opened >= 0, "it can be opened");
	return fuzz_made;
}

static inline int fuzz_descriptor(void)
{
	fuzz_directory();
	return fuzz_opened;
}

static inline void fuzz_write(const char *name, const void *data, size_t size)
{
	int file = openat(fuzz_descriptor(), name,
			  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fuzz_expect(file >= 0 && write(file, data, size) == (ssize_t)size,
		    "a file");
	close(file);
}

#endif
