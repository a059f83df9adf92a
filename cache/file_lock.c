/* SPDX-License-Identifier: MIT */
/* Locks of cache/file.h, and waiting for them. */
#include "cache/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#define NS_PER_MS    UINT64_C(1000000)

/* Between two tries of a lock. */
#define PAUSE_MIN_NS 100000
#define PAUSE_MAX_NS 2000000

static int try_lock(int file)
{
	int result, tries = 0;

	do {
		result = flock(file, LOCK_EX | LOCK_NB);
	} while (result < 0 && occ_file_again(&tries));
	return result;
}

int occ_file_lock(int file, unsigned milliseconds)
{
	uint64_t pause = PAUSE_MIN_NS, start = occ_file_clock();

	while (try_lock(file) < 0) {
		if (errno != EWOULDBLOCK)
			return -1;
		if (occ_file_clock() - start >= milliseconds * NS_PER_MS) {
			errno = EWOULDBLOCK;
			return -1;
		}
		occ_file_pause(pause);
		if (pause < PAUSE_MAX_NS)
			pause *= 2;
	}
	return 0;
}

void occ_file_unlock(int file)
{
	int saved = errno;

	flock(file, LOCK_UN);
	errno = saved;
}

static int control_range(int file, int command, struct flock *lock)
{
	int result, tries = 0;

	do {
		result = fcntl(file, command, lock);
	} while (result < 0 && occ_file_again(&tries));
	return result;
}

static struct flock range_lock(uint64_t start, uint64_t length, short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)start,
		.l_len = (off_t)length,
	};
}

int occ_file_lock_range(int file, uint64_t start, uint64_t length, bool shared)
{
	struct flock lock =
		range_lock(start, length, shared ? F_RDLCK : F_WRLCK);
	int result = control_range(file, F_SETLK, &lock);

	/* POSIX allows either. */
	if (result < 0 && errno == EACCES)
		errno = EWOULDBLOCK;
	return result;
}

void occ_file_unlock_range(int file, uint64_t start, uint64_t length)
{
	struct flock lock = range_lock(start, length, F_UNLCK);
	int saved = errno;

	control_range(file, F_SETLK, &lock);
	errno = saved;
}

int occ_file_range_owner(int file, uint64_t start, uint64_t length,
			 struct occ_file_owner *ret_owner)
{
	struct flock lock = range_lock(start, length, F_WRLCK);

	if (control_range(file, F_GETLK, &lock) < 0)
		return -1;
	ret_owner->any = lock.l_type != F_UNLCK;
	ret_owner->pid = lock.l_pid;
	ret_owner->length = (uint64_t)lock.l_len;
	return 0;
}

void occ_file_pause(uint64_t nanoseconds)
{
	const struct timespec pause = {(time_t)(nanoseconds /
						OCC_FILE_NS_PER_S),
				       (long)(nanoseconds % OCC_FILE_NS_PER_S)};

	nanosleep(&pause, NULL);
}
