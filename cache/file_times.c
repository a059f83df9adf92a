/* SPDX-License-Identifier: MIT */
/* Times of cache/file.h, and what they tell. */
#include "cache/file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "hash/testing.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_US 1000

/* A second has so many microseconds; and what tells them from others. */
#define USES_MAX  999999
#define USES_MARK 113

uint64_t occ_file_clock(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void occ_file_pause(uint64_t nanoseconds)
{
	const struct timespec pause = {(time_t)(nanoseconds / NS_PER_S),
				       (long)(nanoseconds % NS_PER_S)};

	nanosleep(&pause, NULL);
}

static int set_uses(int file, uint64_t uses, long mtime)
{
	struct timespec times[2] = {{0}, {.tv_nsec = mtime}};

	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec += 1;
	if (uses > USES_MAX)
		uses = USES_MAX;
	times[0].tv_nsec = (long)uses * NS_PER_US + USES_MARK;
	return futimens(file, times);
}

int occ_file_touch(int file, uint64_t uses)
{
	return set_uses(file, uses, UTIME_NOW);
}

int occ_file_mark_uses(int file, uint64_t uses)
{
	return set_uses(file, uses, UTIME_OMIT);
}

uint64_t occ_file_uses(const struct stat *status)
{
	int64_t ahead = status->st_atim.tv_sec - status->st_mtim.tv_sec;

	/* The kernel's now may be some milliseconds behind. */
	if (ahead < 1 || ahead > 2 ||
	    status->st_atim.tv_nsec % NS_PER_US != USES_MARK)
		return OCC_FILE_USES_UNKNOWN;
	return (uint64_t)(status->st_atim.tv_nsec / NS_PER_US);
}

int occ_file_set_times(int file, const struct stat *status)
{
	const struct timespec times[2] = {status->st_atim, status->st_mtim};

	return futimens(file, times);
}

int64_t occ_file_now(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

bool occ_file_is_settled(const struct stat *status)
{
	const int64_t coarsest = 2; /* seconds */
	int64_t now = occ_file_now();

	return now - status->st_mtim.tv_sec > coarsest &&
	       now - status->st_ctim.tv_sec > coarsest;
}

/* Hundredths of a second. 0: there is no such number, or it is 0. */
static int64_t read_centiseconds(const char *path)
{
	char text[24];

	if (occ_file_read_kernel(path, text, sizeof(text)) < 0)
		return 0;
	return strtoll(text, NULL, 10);
}

int64_t occ_file_written_back(void)
{
	int64_t expire =
		read_centiseconds("/proc/sys/vm/dirty_expire_centisecs");
	int64_t interval =
		read_centiseconds("/proc/sys/vm/dirty_writeback_centisecs");
	int64_t quiet = OCC_FILE_QUIET_S;

	/* An interval of 0: never. */
	if (expire <= 0 || interval <= 0 || expire > INT32_MAX ||
	    interval > INT32_MAX)
		return INT64_MIN;
	if (quiet < (expire + 2 * interval) / 100 + 1)
		quiet = (expire + 2 * interval) / 100 + 1;
#ifdef OCC_TEST_KEY
	quiet = occ_testing_quiet(quiet);
#endif
	return occ_file_now() - quiet;
}

/* The types that statfs(2) gives. */
static bool has_own_times(const struct statfs *system)
{
	switch (system->f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static bool times_tell(int directory, const char *path, int flags,
		       int64_t latest)
{
	const unsigned wanted = STATX_MTIME | STATX_CTIME | STATX_BTIME;
	struct statx status;

	if (statx(directory, path, flags, wanted, &status) < 0 ||
	    (status.stx_mask & wanted) != wanted)
		return false;
	return status.stx_mtime.tv_sec < latest &&
	       status.stx_ctime.tv_sec < latest && status.stx_ctime.tv_nsec &&
	       status.stx_btime.tv_sec;
}

bool occ_file_times_tell(const char *path, int64_t latest)
{
	struct statfs system;

	return statfs(path, &system) == 0 && has_own_times(&system) &&
	       times_tell(AT_FDCWD, path, 0, latest);
}

bool occ_file_will_tell(int file, int64_t latest)
{
	const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE |
			     SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	struct statfs system;

	/* Young files have much to be written back: not for their sake. */
	return fstatfs(file, &system) == 0 && has_own_times(&system) &&
	       times_tell(file, "", AT_EMPTY_PATH, latest) &&
	       sync_file_range(file, 0, 0, all) == 0;
}

bool occ_file_boot(char ret_boot[OCC_FILE_BOOT_SIZE])
{
	char text[OCC_FILE_BOOT_SIZE + 1];

	if (occ_file_read_kernel("/proc/sys/kernel/random/boot_id", text,
				 sizeof(text)) != OCC_FILE_BOOT_SIZE)
		return false;
	memcpy(ret_boot, text, OCC_FILE_BOOT_SIZE);
	return true;
}

uint64_t occ_file_unique(void)
{
	return ((uint64_t)getpid() << 40) ^ occ_file_clock();
}
