/* SPDX-License-Identifier: MIT */
/*
 * Faults on demand: every system call and every allocation of hash/ and cache/
 * comes by here, because programs with this header are linked with
 * -Wl,--wrap=NAME for each (FAULTY in the Makefile). The layer knows nothing of
 * it.
 *
 * Calling sequence: fault_arm(), the calls to be tested, fault_disarm(). In
 * between the n-th call of its class, counted from 1, does as `plan` says, and
 * if `for_ever` all later ones; `calls` and `hits` are counted. n = 0 counts
 * only, and notes the calls' names in `trace`. While it is armed nobody sleeps:
 * the monotonic clock is set forward instead.
 *
 * What a call changed in the file system, and that it worked, is told to
 * `fault.changed`, when a test has set it; armed or not.
 *
 * Threads: none but the test's own.
 */
#ifndef TESTS_UNIT_FAULT_H
#define TESTS_UNIT_FAULT_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

enum fault_class {
	FAULT_SYSTEM,
	FAULT_MEMORY,
};

enum fault_how {
	FAULT_FAILS,	    /* nothing is done, `error` */
	FAULT_FAILS_AFTER,  /* it is done, but `error`: an answer was lost */
	FAULT_SHORT,	    /* reads and writes: half of it */
	FAULT_EMPTY,	    /* reads and writes: nothing of it */
	FAULT_DIES,	    /* the process ends instead */
	FAULT_DIES_BETWEEN, /* writes: half of it, and the process ends */
};

/* All that comes by here; what isn't among it can't fail, or only crash. */
static const char *const fault_names[] = {
	"open",	      "openat",	       "stat",	     "fstat",
	"fstatat",    "statfs",	       "fstatfs",    "sync_file_range",
	"statx",      "mkdirat",       "fcntl",	     "close",
	"readlinkat", "fgetxattr",     "pread",	     "pwrite",
	"ftruncate",  "flock",	       "chmod",	     "fchmod",
	"fchmodat",   "futimens",      "renameat",   "renameat2",
	"linkat",     "unlinkat",      "fdopendir",  "readdir",
	"closedir",   "madvise",       "nanosleep",  "clock_gettime",
	"socket",     "connect",       "getsockopt", "setsockopt",
	"poll",	      "send",	       "recv",	     "malloc",
	"calloc",     "realloc",       "strdup",     "strndup",
	"free",	      "aligned_alloc",
};

/* What a process says that died of a fault. */
#define FAULT_EXIT  97

#define FAULT_TRACE 4096

/* What was done to the file system. */
struct fault_change {
	enum {
		FAULT_CREATES,
		FAULT_MAKES_DIRECTORY,
		FAULT_WRITES,
		FAULT_RESIZES,
		FAULT_RENAMES,
		FAULT_LINKS,
		FAULT_REMOVES,
	} what;
	int file;	  /* created, written or resized */
	const char *name; /* before it, or a path; NULL when it has none */
	const char *to;	  /* a new name, or NULL */
	const void *data;
	uint64_t offset, size;
};

struct fault_plan {
	enum fault_class class;
	enum fault_how how;
	unsigned n;
	int error;
	bool for_ever;
};

static struct {
	bool armed;
	struct fault_plan plan;
	unsigned calls;
	unsigned hits;
	const char *trace[FAULT_TRACE]; /* trace[n] is the n-th call's name */
	uint64_t clock; /* the monotonic one while armed, in ns */
	time_t skew;	/* of the other, in s */
	/* Whether it is armed or not. */
	long blocks;	/* that were allocated and not freed */
	size_t largest; /* ever asked for; tests may set it to 0 */
	void (*changed)(const struct fault_change *change);
} fault;

static inline uint64_t fault_clock(void);

static inline void fault_arm(const struct fault_plan *plan)
{
	fault.plan = *plan;
	fault.calls = 0;
	fault.hits = 0;
	fault.clock = fault_clock();
	fault.armed = true;
}

static inline void fault_disarm(void)
{
	fault.armed = false;
}

/* Returns `result`, of the call that was to make the change. */
static inline int fault_tell(int result, const struct fault_change *change)
{
	int saved = errno;

	if (result >= 0 && fault.changed)
		fault.changed(change);
	errno = saved;
	return result;
}

#define FAULT_TELL(result, ...)                                                \
	fault_tell(result, &(const struct fault_change){__VA_ARGS__})

static inline bool fault_is_transfer(const char *name)
{
	return !strcmp(name, "pread") || !strcmp(name, "pwrite");
}

/* Whether such a fault means something for that call. */
static inline bool fault_applies(enum fault_how how, const char *name)
{
	switch (how) {
	case FAULT_SHORT:
	case FAULT_EMPTY:
		return fault_is_transfer(name);
	case FAULT_DIES_BETWEEN:
		return !strcmp(name, "pwrite");
	default:
		return true;
	}
}

/* Is this the call? */
static inline bool fault_hits(enum fault_class class, const char *name)
{
	const struct fault_plan *plan = &fault.plan;

	if (!fault.armed || class != plan->class)
		return false;
	fault.calls++;
	if (!plan->n && fault.calls < FAULT_TRACE)
		fault.trace[fault.calls] = name;
	if (!plan->n || fault.calls < plan->n ||
	    (fault.calls > plan->n && !plan->for_ever) ||
	    !fault_applies(plan->how, name))
		return false;
	fault.hits++;
	if (plan->how == FAULT_DIES)
		_exit(FAULT_EXIT);
	return true;
}

/*
 * `done`: what the call would answer, evaluated when it is to be made; `undo`
 * what is to become of an answer that gets lost.
 */
#define FAULT_INTO(type, name, failed, done, undo)                             \
	do {                                                                   \
		type result;                                                   \
                                                                               \
		if (!fault_hits(FAULT_SYSTEM, name))                           \
			return done;                                           \
		if (fault.plan.how == FAULT_FAILS_AFTER) {                     \
			result = done;                                         \
			(void)result;                                          \
			undo;                                                  \
		}                                                              \
		errno = fault.plan.error;                                      \
		return failed;                                                 \
	} while (0)

#define FAULT_CALL(name, done) FAULT_INTO(int, name, -1, done, (void)0)
#define FAULT_OPEN(name, done)                                                 \
	FAULT_INTO(int, name, -1, done, if (result >= 0) __real_close(result))

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names. */
#define FAULT_DECLARE(type, name, ...)                                         \
	type __real_##name(__VA_ARGS__);                                       \
	type __wrap_##name(__VA_ARGS__)

FAULT_DECLARE(int, open, const char *, int, ...);
FAULT_DECLARE(int, openat, int, const char *, int, ...);
FAULT_DECLARE(int, stat, const char *, struct stat *);
FAULT_DECLARE(int, fstat, int, struct stat *);
FAULT_DECLARE(int, fstatat, int, const char *, struct stat *, int);
FAULT_DECLARE(int, statfs, const char *, struct statfs *);
FAULT_DECLARE(int, fstatfs, int, struct statfs *);
FAULT_DECLARE(int, sync_file_range, int, off64_t, off64_t, unsigned);
FAULT_DECLARE(int, statx, int, const char *, int, unsigned, struct statx *);
FAULT_DECLARE(int, mkdirat, int, const char *, mode_t);
FAULT_DECLARE(ssize_t, readlinkat, int, const char *, char *, size_t);
FAULT_DECLARE(ssize_t, fgetxattr, int, const char *, void *, size_t);
FAULT_DECLARE(int, fcntl, int, int, ...);
FAULT_DECLARE(int, close, int);
FAULT_DECLARE(ssize_t, pread, int, void *, size_t, off_t);
FAULT_DECLARE(ssize_t, pwrite, int, const void *, size_t, off_t);
FAULT_DECLARE(int, ftruncate, int, off_t);
FAULT_DECLARE(int, flock, int, int);
FAULT_DECLARE(int, chmod, const char *, mode_t);
FAULT_DECLARE(int, fchmod, int, mode_t);
FAULT_DECLARE(int, fchmodat, int, const char *, mode_t, int);
FAULT_DECLARE(int, futimens, int, const struct timespec *);
FAULT_DECLARE(int, renameat, int, const char *, int, const char *);
FAULT_DECLARE(int, renameat2, int, const char *, int, const char *, unsigned);
FAULT_DECLARE(int, linkat, int, const char *, int, const char *, int);
FAULT_DECLARE(int, unlinkat, int, const char *, int);
FAULT_DECLARE(DIR *, fdopendir, int);
FAULT_DECLARE(struct dirent *, readdir, DIR *);
FAULT_DECLARE(int, closedir, DIR *);
FAULT_DECLARE(int, madvise, void *, size_t, int);
FAULT_DECLARE(int, clock_gettime, clockid_t, struct timespec *);
FAULT_DECLARE(int, nanosleep, const struct timespec *, struct timespec *);
FAULT_DECLARE(int, socket, int, int, int);
FAULT_DECLARE(int, connect, int, const struct sockaddr *, socklen_t);
FAULT_DECLARE(int, getsockopt, int, int, int, void *, socklen_t *);
FAULT_DECLARE(int, setsockopt, int, int, int, const void *, socklen_t);
FAULT_DECLARE(int, poll, struct pollfd *, nfds_t, int);
FAULT_DECLARE(ssize_t, send, int, const void *, size_t, int);
FAULT_DECLARE(ssize_t, recv, int, void *, size_t, int);
FAULT_DECLARE(void *, malloc, size_t);
FAULT_DECLARE(void *, calloc, size_t, size_t);
FAULT_DECLARE(void *, realloc, void *, size_t);
FAULT_DECLARE(void *, aligned_alloc, size_t, size_t);
FAULT_DECLARE(char *, strdup, const char *);
FAULT_DECLARE(char *, strndup, const char *, size_t);
FAULT_DECLARE(void, free, void *);

static inline mode_t fault_mode(int flags, va_list *arguments)
{
	return flags & O_CREAT ? va_arg(*arguments, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = fault_mode(flags, &arguments);
	va_end(arguments);
	FAULT_OPEN("open", __real_open(path, flags, mode));
}

/* Told of files that were there, too. */
static inline int fault_openat(int directory, const char *name, int flags,
			       mode_t mode)
{
	int file = __real_openat(directory, name, flags, mode);

	if (flags & O_CREAT)
		FAULT_TELL(file, .what = FAULT_CREATES, .file = file,
			   .name = name);
	return file;
}

int __wrap_openat(int directory, const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = fault_mode(flags, &arguments);
	va_end(arguments);
	FAULT_OPEN("openat", fault_openat(directory, name, flags, mode));
}

int __wrap_stat(const char *path, struct stat *status)
{
	FAULT_CALL("stat", __real_stat(path, status));
}

int __wrap_fstat(int file, struct stat *status)
{
	FAULT_CALL("fstat", __real_fstat(file, status));
}

int __wrap_fstatat(int directory, const char *name, struct stat *status,
		   int flags)
{
	FAULT_CALL("fstatat", __real_fstatat(directory, name, status, flags));
}

int __wrap_statfs(const char *path, struct statfs *system)
{
	FAULT_CALL("statfs", __real_statfs(path, system));
}

int __wrap_fstatfs(int file, struct statfs *system)
{
	FAULT_CALL("fstatfs", __real_fstatfs(file, system));
}

int __wrap_sync_file_range(int file, off64_t offset, off64_t size,
			   unsigned flags)
{
	FAULT_CALL("sync_file_range",
		   __real_sync_file_range(file, offset, size, flags));
}

int __wrap_statx(int directory, const char *path, int flags, unsigned mask,
		 struct statx *status)
{
	FAULT_CALL("statx", __real_statx(directory, path, flags, mask, status));
}

int __wrap_mkdirat(int directory, const char *name, mode_t mode)
{
	FAULT_CALL("mkdirat",
		   FAULT_TELL(__real_mkdirat(directory, name, mode),
			      .what = FAULT_MAKES_DIRECTORY, .name = name));
}

ssize_t __wrap_readlinkat(int directory, const char *name, char *text,
			  size_t size)
{
	FAULT_INTO(ssize_t, "readlinkat", -1,
		   __real_readlinkat(directory, name, text, size), (void)0);
}

ssize_t __wrap_fgetxattr(int file, const char *name, void *value, size_t size)
{
	FAULT_INTO(ssize_t, "fgetxattr", -1,
		   __real_fgetxattr(file, name, value, size), (void)0);
}

/* Of the commands that cache/ uses. */
int __wrap_fcntl(int file, int command, ...)
{
	struct flock *lock = NULL;
	va_list arguments;
	int number = 0;

	va_start(arguments, command);
	if (command == F_SETLK || command == F_GETLK)
		lock = va_arg(arguments, struct flock *);
	else
		number = va_arg(arguments, int);
	va_end(arguments);
	if (lock)
		FAULT_CALL("fcntl", __real_fcntl(file, command, lock));
	FAULT_OPEN("fcntl", __real_fcntl(file, command, number));
}

/* Whatever it answers, Linux has closed it. */
int __wrap_close(int file)
{
	bool hit = fault_hits(FAULT_SYSTEM, "close");
	int result = __real_close(file);

	if (!hit)
		return result;
	errno = fault.plan.error;
	return -1;
}

static inline ssize_t fault_transfer(ssize_t done)
{
	switch (fault.plan.how) {
	case FAULT_SHORT:
	case FAULT_EMPTY:
		return done;
	case FAULT_DIES_BETWEEN:
		_exit(FAULT_EXIT);
	default:
		errno = fault.plan.error;
		return -1;
	}
}

/* How much of it is done. */
static inline size_t fault_part(size_t size)
{
	switch (fault.plan.how) {
	case FAULT_SHORT:
	case FAULT_DIES_BETWEEN:
		return (size + 1) / 2;
	case FAULT_FAILS_AFTER:
		return size;
	default:
		return 0;
	}
}

ssize_t __wrap_pread(int file, void *data, size_t size, off_t offset)
{
	size_t part;

	if (!fault_hits(FAULT_SYSTEM, "pread"))
		return __real_pread(file, data, size, offset);
	part = fault_part(size);
	return fault_transfer(part ? __real_pread(file, data, part, offset)
				   : 0);
}

static inline ssize_t fault_write(int file, const void *data, size_t size,
				  off_t offset)
{
	ssize_t done = __real_pwrite(file, data, size, offset);

	FAULT_TELL(done < 0 ? -1 : 0, .what = FAULT_WRITES, .file = file,
		   .data = data, .offset = (uint64_t)offset,
		   .size = (uint64_t)done);
	return done;
}

ssize_t __wrap_pwrite(int file, const void *data, size_t size, off_t offset)
{
	size_t part;

	if (!fault_hits(FAULT_SYSTEM, "pwrite"))
		return fault_write(file, data, size, offset);
	part = fault_part(size);
	return fault_transfer(part ? fault_write(file, data, part, offset) : 0);
}

int __wrap_ftruncate(int file, off_t size)
{
	FAULT_CALL("ftruncate", FAULT_TELL(__real_ftruncate(file, size),
					   .what = FAULT_RESIZES, .file = file,
					   .size = (uint64_t)size));
}

int __wrap_flock(int file, int operation)
{
	FAULT_CALL("flock", __real_flock(file, operation));
}

int __wrap_chmod(const char *path, mode_t mode)
{
	FAULT_CALL("chmod", __real_chmod(path, mode));
}

int __wrap_fchmodat(int directory, const char *name, mode_t mode, int flags)
{
	FAULT_CALL("fchmodat", __real_fchmodat(directory, name, mode, flags));
}

int __wrap_fchmod(int file, mode_t mode)
{
	FAULT_CALL("fchmod", __real_fchmod(file, mode));
}

int __wrap_futimens(int file, const struct timespec *times)
{
	FAULT_CALL("futimens", __real_futimens(file, times));
}

int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	FAULT_CALL("renameat",
		   FAULT_TELL(__real_renameat(from, old, to, new),
			      .what = FAULT_RENAMES, .name = old, .to = new));
}

int __wrap_renameat2(int from, const char *old, int to, const char *new,
		     unsigned flags)
{
	FAULT_CALL("renameat2",
		   FAULT_TELL(__real_renameat2(from, old, to, new, flags),
			      .what = FAULT_RENAMES, .name = old, .to = new));
}

int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
	FAULT_CALL("linkat",
		   FAULT_TELL(__real_linkat(from, old, to, new, flags),
			      .what = FAULT_LINKS, .name = old, .to = new));
}

int __wrap_unlinkat(int directory, const char *name, int flags)
{
	FAULT_CALL("unlinkat",
		   FAULT_TELL(__real_unlinkat(directory, name, flags),
			      .what = FAULT_REMOVES, .name = name));
}

/* It fails before it has taken the descriptor over, or not at all. */
DIR *__wrap_fdopendir(int file)
{
	if (!fault_hits(FAULT_SYSTEM, "fdopendir"))
		return __real_fdopendir(file);
	errno = fault.plan.error;
	return NULL;
}

struct dirent *__wrap_readdir(DIR *stream)
{
	FAULT_INTO(struct dirent *, "readdir", NULL, __real_readdir(stream),
		   (void)0);
}

int __wrap_closedir(DIR *stream)
{
	bool hit = fault_hits(FAULT_SYSTEM, "closedir");
	int result = __real_closedir(stream);

	if (!hit)
		return result;
	errno = fault.plan.error;
	return -1;
}

int __wrap_madvise(void *memory, size_t size, int advice)
{
	FAULT_CALL("madvise", __real_madvise(memory, size, advice));
}

int __wrap_socket(int domain, int type, int protocol)
{
	FAULT_OPEN("socket", __real_socket(domain, type, protocol));
}

int __wrap_connect(int socket, const struct sockaddr *address, socklen_t size)
{
	FAULT_CALL("connect", __real_connect(socket, address, size));
}

int __wrap_getsockopt(int socket, int level, int option, void *value,
		      socklen_t *size)
{
	FAULT_CALL("getsockopt",
		   __real_getsockopt(socket, level, option, value, size));
}

int __wrap_setsockopt(int socket, int level, int option, const void *value,
		      socklen_t size)
{
	FAULT_CALL("setsockopt",
		   __real_setsockopt(socket, level, option, value, size));
}

int __wrap_poll(struct pollfd *files, nfds_t count, int milliseconds)
{
	FAULT_CALL("poll", __real_poll(files, count, milliseconds));
}

ssize_t __wrap_send(int socket, const void *data, size_t size, int flags)
{
	FAULT_INTO(ssize_t, "send", -1, __real_send(socket, data, size, flags),
		   (void)0);
}

ssize_t __wrap_recv(int socket, void *data, size_t size, int flags)
{
	FAULT_INTO(ssize_t, "recv", -1, __real_recv(socket, data, size, flags),
		   (void)0);
}

#define FAULT_NS_PER_S	  UINT64_C(1000000000)
#define FAULT_NS_PER_LOOK 1000

static inline uint64_t fault_clock(void)
{
	struct timespec now;

	__real_clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * FAULT_NS_PER_S + (uint64_t)now.tv_nsec;
}

/*
 * The monotonic clock goes on by looks at it and by sleep alone, so that the
 * same is done each time. It never fails.
 */
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = __real_clock_gettime(clock, time);

	if (clock != CLOCK_MONOTONIC) {
		time->tv_sec += fault.skew;
	} else if (fault.armed) {
		fault.clock += FAULT_NS_PER_LOOK;
		time->tv_sec = (time_t)(fault.clock / FAULT_NS_PER_S);
		time->tv_nsec = (long)(fault.clock % FAULT_NS_PER_S);
	}
	return result;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	if (!fault.armed)
		return __real_nanosleep(time, left);
	fault.clock += (uint64_t)time->tv_sec * FAULT_NS_PER_S +
		       (uint64_t)time->tv_nsec;
	return 0;
}

static inline bool fault_refuses(const char *name, size_t size)
{
	if (size > fault.largest)
		fault.largest = size;
	if (!fault_hits(FAULT_MEMORY, name))
		return false;
	errno = ENOMEM;
	return true;
}

static inline void *fault_count(void *memory)
{
	fault.blocks += memory != NULL;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return fault_refuses("malloc", size) ? NULL
					     : fault_count(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fault_refuses("calloc", count * size)
		       ? NULL
		       : fault_count(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
	if (fault_refuses("realloc", size))
		return NULL;
	return memory ? __real_realloc(memory, size)
		      : fault_count(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fault_refuses("aligned_alloc", size)
		       ? NULL
		       : fault_count(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
	return fault_refuses("strdup", strlen(text) + 1)
		       ? NULL
		       : fault_count(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fault_refuses("strndup", size + 1)
		       ? NULL
		       : fault_count(__real_strndup(text, size));
}

void __wrap_free(void *memory)
{
	fault.blocks -= memory != NULL;
	__real_free(memory);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/*
 * What a sample is chosen by: OCLCACHE_TEST_SEED; without it the same one each
 * time.
 */
static inline unsigned fault_seed(void)
{
	const char *text = getenv("OCLCACHE_TEST_SEED");
	unsigned seed = 0;

	text = text ? text : "0";
	printf("# OCLCACHE_TEST_SEED=%s\n", text);
	for (; *text; text++)
		seed = seed * 31 + (unsigned char)*text;
	return seed;
}

/* Descriptors of this process, but for the one that looks. */
static inline int fault_count_descriptors(void)
{
	DIR *stream = opendir("/proc/self/fd");
	int count = 0;

	if (!stream)
		return -1;
	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

/* Says which trial it was: scene.trial, a string of the test's own. */
#define FAULT_EXPECT(condition, ...)                                           \
	do {                                                                   \
		if (!(condition)) {                                            \
			print_error("%s\n", scene.trial);                      \
			print_error(__VA_ARGS__);                              \
			print_error(" (%s)\n", #condition);                    \
			fail();                                                \
		}                                                              \
	} while (0)

#endif
