/* SPDX-License-Identifier: MIT */
/*
 * The system calls of cache/, all of them: whole reads and writes, no EINTR but
 * from a call that was interrupted a thousand times, and descriptors that can't
 * be mistaken for a program's standard streams.
 *
 * Descriptors are always 3 or above, because the application may have closed
 * 0 to 2, and close-on-exec. Writes bring no signals. Names are single
 * components within `directory` and are never followed when they are symbolic
 * links. Unless said otherwise a call returns 0, or -1 with errno.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_CACHE_FILE_H
#define OCC_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * Opens a file; new ones get mode 0600. Never blocks, not even on a FIFO: the
 * caller looks at the type. Returns a descriptor or -1.
 */
int occ_file_open(int directory, const char *name, int flags);

/* The same, but a link is followed. */
int occ_file_open_linked(int directory, const char *name, int flags);

/*
 * Opens a file for reading, `flags` being O_NOFOLLOW or 0. Reads through the
 * descriptor leave atime alone, which has an entry's hits (occ_file_uses()),
 * unless the file is another user's: then Linux sets atime as it sees fit.
 */
int occ_file_open_keeping_times(int directory, const char *name, int flags);

/* Opens a directory for reading, following links. Descriptor or -1. */
int occ_file_open_directory(const char *path);

/*
 * Any file of the user's, for reading: a path, relative to the current
 * directory unless it is absolute, following links. Never blocks. Descriptor
 * or -1; and its status without opening it.
 */
int occ_file_open_path(const char *path);
int occ_file_status_path(const char *path, struct stat *ret_status);

/* The same for reading and writing; made, with mode 0600, if it isn't there. */
int occ_file_open_path_to_add(const char *path);

/*
 * Descriptors for openat() and its like alone: a directory by its path, which
 * may be a link, and one or whatever else by its name. Or -1.
 */
int occ_file_enter_path(const char *path);
int occ_file_enter(int directory, const char *name);
int occ_file_open_link(int directory, const char *name);

/* Where such a link leads, without a NUL. Bytes or -1. */
ssize_t occ_file_read_link(int link, char *ret_text, size_t size);

/* The umask takes its part. */
int occ_file_make_directory(int directory, const char *name, mode_t mode);

/* Of a file that has such a descriptor; needs /proc. Links are followed. */
int occ_file_set_mode(int place, mode_t mode);
int occ_file_set_mode_at(int directory, const char *name, mode_t mode);

/*
 * Gives a new file mode 0600 when the umask has kept its owner from reading and
 * writing it. Keeps errno.
 */
void occ_file_permit(int file);

/* Another descriptor for the same open file, or -1. */
int occ_file_duplicate(int file);

/* Keeps errno; -1 is fine. */
void occ_file_close(int file);

int occ_file_status(int file, struct stat *ret_status);
int occ_file_status_at(int directory, const char *name,
		       struct stat *ret_status);

/* Whether both are the same file; only sure while one of them is open. */
bool occ_file_same(const struct stat *one, const struct stat *other);

/* Reads until `size` bytes or the end. Returns the bytes read or -1. */
ssize_t occ_file_read(int file, uint64_t offset, void *data, size_t size);

/* A small file of the kernel's, as text with a NUL. Its length, or -1. */
ssize_t occ_file_read_kernel(const char *path, char *ret_text, size_t size);

/* Memory to read so much into, to be freed by free(). NULL: there is none. */
void *occ_file_memory(size_t size);

/* Writes all `size` bytes or fails. */
int occ_file_write(int file, uint64_t offset, const void *data, size_t size);

int occ_file_resize(int file, uint64_t size);

/*
 * Takes an exclusive flock(), trying for so many milliseconds (0: once). -1 and
 * EWOULDBLOCK when somebody else has it for longer: a stopped process must not
 * stop others. Unlocking is explicit because a child of fork() that still has
 * the descriptor would otherwise keep the lock.
 */
int occ_file_lock(int file, unsigned milliseconds);
void occ_file_unlock(int file);

/*
 * POSIX's locks of a range, which are the process's and not the descriptor's.
 * Taking one doesn't wait: -1 and EWOULDBLOCK when another process has it; a
 * shared one only excludes exclusive ones. Unlocking keeps errno.
 */
int occ_file_lock_range(int file, uint64_t start, uint64_t length, bool shared);
void occ_file_unlock_range(int file, uint64_t start, uint64_t length);

/*
 * A lock of another process on the range, and how long it is. `pid` is 0 or
 * less when it is of another machine or container.
 */
struct occ_file_owner {
	bool any;
	pid_t pid;
	uint64_t length;
};
int occ_file_range_owner(int file, uint64_t start, uint64_t length,
			 struct occ_file_owner *ret_owner);

/* Does nothing for so many nanoseconds. */
void occ_file_pause(uint64_t nanoseconds);

/* Nanoseconds of the monotonic clock. */
uint64_t occ_file_clock(void);

/*
 * Sets mtime to now, and atime to a moment within the two seconds after it,
 * whose microseconds say how often the file was of use (999999 times at most):
 * nobody else needs to know when it was last read.
 */
int occ_file_touch(int file, uint64_t uses);

/* The same for a file that was just written, whose mtime stays. */
int occ_file_mark_uses(int file, uint64_t uses);

/*
 * What atime says so, or OCC_FILE_USES_UNKNOWN if it is any other time: nobody
 * has touched the file, somebody else has read it since, or its file system
 * doesn't keep nanoseconds.
 */
#define OCC_FILE_USES_UNKNOWN UINT64_MAX
uint64_t occ_file_uses(const struct stat *status);

/* Sets atime and mtime to those of `status`. 0, or -1 with errno. */
int occ_file_set_times(int file, const struct stat *status);

/* Seconds since 1970. */
int64_t occ_file_now(void);

/* Some number that another call, thread or process hardly gets. */
uint64_t occ_file_unique(void);

int occ_file_rename(int directory, const char *from, const char *to);

/* As rename, but fails with EEXIST when `to` is there. */
int occ_file_rename_new(int directory, const char *from, const char *to);

int occ_file_remove(int directory, const char *name);

/*
 * Is it too long ago that the file changed for another change to leave its
 * times as they are? The coarsest clock is FAT's, 2 s. Not for times to come:
 * clocks of file servers may be ahead.
 */
bool occ_file_is_settled(const struct stat *status);

/*
 * Seconds since 1970: what was written through a mapping before then is on the
 * disk, as far as the kernel keeps to its settings (vm.dirty_expire_centisecs,
 * dirty_writeback_centisecs), and a minute ago at least. Until a page is,
 * writing to it again leaves the file's times alone. INT64_MIN: it can't be
 * told.
 */
#define OCC_FILE_QUIET_S 60
int64_t occ_file_written_back(void);

/*
 * Would the times of the file at this path, as occ_file_open_path() has it,
 * tell for certain that it was changed? It wasn't since `latest`
 * (occ_file_written_back()), and its file system is one whose kernel sets them
 * itself (ext2 to ext4, XFS, Btrfs, F2FS) and did: images that were made
 * reproducibly have times without a fraction, or know of no birth. Not an
 * overlay, because what is below it can't be told: tmpfs leaves times alone.
 */
bool occ_file_times_tell(const char *path, int64_t latest);

/*
 * Does the same hold of the open file, and will its times tell of all that is
 * written to it from now on? Has the kernel write back what was written through
 * a mapping, whose pages then can't be written to without a fault, which sets
 * the times; a file that old has none, as a rule, and the call takes 1 us.
 * False also when that can't be had.
 */
bool occ_file_will_tell(int file, int64_t latest);

/*
 * What is different after each start of the system. After a crash new contents
 * may have old times. False: it can't be told.
 */
#define OCC_FILE_BOOT_SIZE 36
bool occ_file_boot(char ret_boot[OCC_FILE_BOOT_SIZE]);

/*
 * Whether the user that files are made for owns this one. One without a number
 * owns none: so do all others.
 */
bool occ_file_is_mine(const struct stat *status);

/* Or is it root's, who can change everything else, too? */
bool occ_file_is_mine_or_roots(const struct stat *status);

/*
 * Is it of a user whom the process's user namespace has no number for? Then it
 * may be root's, or anybody's.
 */
bool occ_file_is_unmapped(const struct stat *status);

/*
 * Does an access control list let some user or group write to the directory?
 * Such a list is behind group permissions only: st_mode has the most that any
 * of it may. True also when that can't be told.
 */
bool occ_file_is_listed_for_others(int directory);

/*
 * The same as occ_file_is_mine(); with `or_roots` whether nobody else could
 * have written it but root: it is the user's, or root's and only root can write
 * it.
 */
bool occ_file_is_trusted(const struct stat *status, bool or_roots);

/*
 * Calls `visit` with every name in the directory, "." and ".." included, in
 * any order, until it returns false.
 */
typedef bool (*occ_file_visit)(const char *name, void *data);
int occ_file_list(int directory, occ_file_visit visit, void *data);

#endif
