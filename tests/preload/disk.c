/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into an application: a disk that is slow just when it matters.
 *
 *	DISK_HOLD=FILE	nothing gets its name before that file exists
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void hold(void)
{
	const char *file = getenv("DISK_HOLD");

	while (file && access(file, F_OK))
		usleep(10000);
}

EXPORT int renameat(int from_directory, const char *from, int to_directory,
		    const char *to)
{
	int (*next)(int, const char *, int, const char *) =
		(int (*)(int, const char *, int,
			 const char *))dlsym(RTLD_NEXT, "renameat");

	hold();
	return next(from_directory, from, to_directory, to);
}

EXPORT int renameat2(int from_directory, const char *from, int to_directory,
		     const char *to, unsigned flags)
{
	int (*next)(int, const char *, int, const char *, unsigned) =
		(int (*)(int, const char *, int, const char *,
			 unsigned))dlsym(RTLD_NEXT, "renameat2");

	hold();
	return next(from_directory, from, to_directory, to, flags);
}
