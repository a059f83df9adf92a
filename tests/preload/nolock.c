/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into a command: a file system that has no locks, or no more of
 * them.
 */
#include <errno.h>
#include <sys/file.h>

__attribute__((visibility("default"))) int flock(int file, int operation)
{
	(void)file;
	(void)operation;
	errno = ENOLCK;
	return -1;
}
