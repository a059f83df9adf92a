/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a compiler: writes down every path that it looked for and
 * that wasn't there, each with a NUL, to the file that OCC_TEST_READS names.
 * That is where a file would be read if there were one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

int open64(const char *path, int flags, ...);
int stat64(const char *path, struct stat64 *status);

static int next_open(const char *path, int flags, mode_t mode)
{
	return openat(AT_FDCWD, path, flags, mode);
}

static void note(const char *path, int result)
{
	const char *log = getenv("OCC_TEST_READS");
	int error = errno, fd;

	if (result >= 0 || !log || (error != ENOENT && error != ENOTDIR))
		return;
	fd = next_open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0) {
		if (write(fd, path, strlen(path) + 1) < 0)
			abort();
		close(fd);
	}
	errno = error;
}

static int note_open(const char *path, int flags, mode_t mode)
{
	int fd = next_open(path, flags, mode);

	if (!(flags & O_CREAT))
		note(path, fd);
	return fd;
}

EXPORT int open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return note_open(path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return note_open(path, flags, mode);
}

EXPORT int stat(const char *path, struct stat *status)
{
	int result = fstatat(AT_FDCWD, path, status, 0);

	note(path, result);
	return result;
}

EXPORT int stat64(const char *path, struct stat64 *status)
{
	int result = fstatat64(AT_FDCWD, path, status, 0);

	note(path, result);
	return result;
}
