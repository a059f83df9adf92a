/* SPDX-License-Identifier: MIT */
#include "cache/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "cache/silence.h"
#include "hash/testing.h"

/* At most this much per call: Linux transfers no more than 2 GiB at once. */
#define TRANSFER_MAX ((size_t)1 << 30)

/* Of x86-64 and others; elsewhere an alignment like another. */
#define HUGE_PAGE    ((size_t)2 << 20)

/* Below this a call for the pages isn't worth it. */
#define POPULATE_MIN ((size_t)32 << 10)

#define NS_PER_S     UINT64_C(1000000000)
#define NS_PER_MS    UINT64_C(1000000)
#define NS_PER_US    1000

/* A second has so many microseconds; and what tells them from others. */
#define USES_MAX     999999
#define USES_MARK    113

/*
 * (S11) Interrupted calls are tried again, but not for ever: a timer's signals
 * may come faster than a slow file system answers.
 */
#define TRIES_MAX    1000

static bool again(int *tries)
{
	return errno == EINTR && ++*tries < TRIES_MAX;
}

static int above_standard_streams(int file)
{
	int moved;

	if (file < 0 || file > 2)
		return file;
	moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
	occ_file_close(file);
	return moved;
}

int occ_file_open(int directory, const char *name, int flags)
{
	int file, tries = 0;

	flags |= O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	do {
		file = openat(directory, name, flags, 0600);
	} while (file < 0 && again(&tries));
	return above_standard_streams(file);
}

int occ_file_open_in(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >=
	    (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return occ_file_open(AT_FDCWD, path, flags);
}

int occ_file_open_directory(const char *path)
{
	int file, tries = 0;

	do {
		file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} while (file < 0 && again(&tries));
	return above_standard_streams(file);
}

int occ_file_open_path(const char *path)
{
	int file, tries = 0;

	do {
		file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	} while (file < 0 && again(&tries));
	return above_standard_streams(file);
}

int occ_file_status_path(const char *path, struct stat *ret_status)
{
	return stat(path, ret_status);
}

int occ_file_make_directory(const char *path)
{
	int saved;

	if (mkdir(path, 0700) < 0)
		return -1;
	/* The umask is of a process, the store is there for all that come. */
	saved = errno;
	chmod(path, 0700);
	errno = saved;
	return 0;
}

void occ_file_permit(int file)
{
	struct stat status;
	int saved = errno;

	if (!fstat(file, &status) && occ_file_is_mine(&status) &&
	    (~status.st_mode & 0600))
		fchmod(file, 0600);
	errno = saved;
}

int occ_file_duplicate(int file)
{
	return fcntl(file, F_DUPFD_CLOEXEC, 3);
}

void occ_file_close(int file)
{
	int saved = errno;

	/* Linux closes even when it says EINTR: never twice. */
	if (file >= 0)
		close(file);
	errno = saved;
}

int occ_file_status(int file, struct stat *ret_status)
{
	return fstat(file, ret_status);
}

int occ_file_status_at(int directory, const char *name, struct stat *ret_status)
{
	return fstatat(directory, name, ret_status, AT_SYMLINK_NOFOLLOW);
}

bool occ_file_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

ssize_t occ_file_read(int file, uint64_t offset, void *data, size_t size)
{
	size_t done = 0, wanted;
	ssize_t count;
	int tries = 0;

	while (done < size) {
		wanted =
			size - done < TRANSFER_MAX ? size - done : TRANSFER_MAX;
		count = pread(file, (char *)data + done, wanted,
			      (off_t)(offset + done));
		if (count < 0 && again(&tries))
			continue;
		if (count < 0)
			return -1;
		if (!count)
			break;
		done += (size_t)count;
	}
	return (ssize_t)done;
}

static int write_all(int file, uint64_t offset, const void *data, size_t size)
{
	size_t done = 0, wanted;
	ssize_t count;
	int tries = 0;

	while (done < size) {
		wanted =
			size - done < TRANSFER_MAX ? size - done : TRANSFER_MAX;
		count = pwrite(file, (const char *)data + done, wanted,
			       (off_t)(offset + done));
		if (count < 0 && again(&tries))
			continue;
		if (!count)
			errno = ENOSPC;
		if (count <= 0)
			return -1;
		done += (size_t)count;
	}
	return 0;
}

int occ_file_write(int file, uint64_t offset, const void *data, size_t size)
{
	struct occ_silence silence;
	int result;

	occ_silence_begin(&silence);
	result = write_all(file, offset, data, size);
	occ_silence_end(&silence, result < 0 ? errno : 0);
	return result;
}

void occ_file_get_pages(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)memory + size) & ~(page - 1);

	if (memory && to > from)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#else
	(void)memory;
	(void)size;
#endif
}

/*
 * To get new memory page by page takes longer than to read a large file into
 * it, in a virtual machine: 9 ms against 3 for 9 MB, 25 us against 5 for
 * 100 kB. The kernel gets small pages in half the time when it is asked for
 * all.
 */
void *occ_file_memory(size_t size)
{
	void *memory;

	if (size < POPULATE_MIN)
		return malloc(size);
	if (size < 2 * HUGE_PAGE || size > SIZE_MAX - HUGE_PAGE) {
		memory = malloc(size);
		occ_file_get_pages(memory, size);
		return memory;
	}
	memory = aligned_alloc(HUGE_PAGE,
			       (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
#ifdef MADV_HUGEPAGE
	/* A page that isn't filled would be too much. */
	if (memory)
		madvise(memory, size & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
	return memory;
}

int occ_file_resize(int file, uint64_t size)
{
	struct occ_silence silence;
	int result, tries = 0;

	occ_silence_begin(&silence);
	do {
		result = ftruncate(file, (off_t)size);
	} while (result < 0 && again(&tries));
	occ_silence_end(&silence, result < 0 ? errno : 0);
	return result;
}

void occ_file_pause(uint64_t nanoseconds)
{
	const struct timespec pause = {(time_t)(nanoseconds / NS_PER_S),
				       (long)(nanoseconds % NS_PER_S)};

	nanosleep(&pause, NULL);
}

uint64_t occ_file_clock(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Between two tries of a lock. */
#define PAUSE_MIN_NS 100000
#define PAUSE_MAX_NS 2000000

static int try_lock(int file)
{
	int result, tries = 0;

	do {
		result = flock(file, LOCK_EX | LOCK_NB);
	} while (result < 0 && again(&tries));
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
	} while (result < 0 && again(&tries));
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

int occ_file_touch(int file, uint64_t uses)
{
	struct timespec times[2] = {{0}, {.tv_nsec = UTIME_NOW}};

	clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec += 1;
	if (uses > USES_MAX)
		uses = USES_MAX;
	times[0].tv_nsec = (long)uses * NS_PER_US + USES_MARK;
	return futimens(file, times);
}

uint64_t occ_file_uses(const struct stat *status)
{
	int64_t ahead = status->st_atim.tv_sec - status->st_mtim.tv_sec;

	/* The kernel's now may be some milliseconds behind. */
	if (ahead < 1 || ahead > 2 ||
	    status->st_atim.tv_nsec % NS_PER_US != USES_MARK)
		return 0;
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

/* A small file of the kernel's: its bytes, or -1. */
static ssize_t read_kernel(const char *path, char *ret_text, size_t size)
{
	int file = occ_file_open_path(path);
	ssize_t length;

	if (file < 0)
		return -1;
	length = occ_file_read(file, 0, ret_text, size);
	occ_file_close(file);
	return length;
}

/* Hundredths of a second. 0: there is no such number, or it is 0. */
static int64_t read_centiseconds(const char *path)
{
	char text[24];
	ssize_t length = read_kernel(path, text, sizeof(text) - 1);

	if (length <= 0)
		return 0;
	text[length] = '\0';
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

bool occ_file_times_tell(const char *path, int64_t latest)
{
	const unsigned wanted = STATX_MTIME | STATX_CTIME | STATX_BTIME;
	struct statfs system;
	struct statx status;

	if (statfs(path, &system) < 0 || !has_own_times(&system) ||
	    statx(AT_FDCWD, path, 0, wanted, &status) < 0 ||
	    (status.stx_mask & wanted) != wanted)
		return false;
	return status.stx_mtime.tv_sec < latest &&
	       status.stx_ctime.tv_sec < latest && status.stx_ctime.tv_nsec &&
	       status.stx_btime.tv_sec;
}

bool occ_file_boot(char ret_boot[OCC_FILE_BOOT_SIZE])
{
	return read_kernel("/proc/sys/kernel/random/boot_id", ret_boot,
			   OCC_FILE_BOOT_SIZE) == OCC_FILE_BOOT_SIZE;
}

uint64_t occ_file_unique(void)
{
	return ((uint64_t)getpid() << 40) ^ occ_file_clock();
}

int occ_file_rename(int directory, const char *from, const char *to)
{
	return renameat(directory, from, directory, to);
}

int occ_file_rename_new(int directory, const char *from, const char *to)
{
	if (!renameat2(directory, from, directory, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* NFS knows no such flag but hard links. */
	if (linkat(directory, from, directory, to, 0) < 0)
		return -1;
	return unlinkat(directory, from, 0);
}

int occ_file_remove(int directory, const char *name)
{
	return unlinkat(directory, name, 0);
}

bool occ_file_is_mine(const struct stat *status)
{
	return status->st_uid == geteuid();
}

bool occ_file_is_trusted(const struct stat *status, bool or_roots)
{
	if (occ_file_is_mine(status))
		return true;
	return or_roots && status->st_uid == 0 &&
	       !(status->st_mode & S_IWOTH) &&
	       (!(status->st_mode & S_IWGRP) || status->st_gid == 0);
}

int occ_file_list(int directory, occ_file_visit visit, void *data)
{
	struct dirent *item;
	int file, saved;
	DIR *stream;

	/* A position of our own: `directory` itself is not moved. */
	file = occ_file_open(directory, ".", O_RDONLY | O_DIRECTORY);
	if (file < 0)
		return -1;
	stream = fdopendir(file);
	if (!stream) {
		occ_file_close(file);
		return -1;
	}
	do {
		errno = 0;
		item = readdir(stream);
	} while (item && visit(item->d_name, data));
	saved = item ? 0 : errno;
	closedir(stream);
	errno = saved;
	return saved ? -1 : 0;
}
