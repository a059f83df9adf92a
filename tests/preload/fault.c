/* SPDX-License-Identifier: MIT */
/*
 * Calls of the C library that fail, on demand: those that the layer makes, and
 * nobody else's. Preloaded.
 *
 *	FAULT_CLASS=system|memory|thread|mutex	what is counted; default system
 *	FAULT_AT=N		the N-th of them, from 1; 0 counts only
 *	FAULT_HOW=NUMBER	that errno; for memory it is ENOMEM anyhow
 *	FAULT_HOW=exit		the process ends there, by _exit(97)
 *	FAULT_HOW=wait		it comes 20 ms later
 *	FAULT_HOW=signal	the thread gets a SIGURG before, unless it has
 *				that blocked; where a mutex is locked, after
 *				it, too
 *	FAULT_FOR_EVER=1	and so do all later ones
 *	FAULT_STEP=N		but only each N-th of them
 *	FAULT_COUNT_FILE=FILE	at the end the number of calls is written there
 *
 * A call is the layer's when it returns into a library called liboclcache.so;
 * what the C library calls by itself (a FILE's reads, glob()) isn't seen.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#define EXPORT	    __attribute__((visibility("default")))
#define EXIT_STATUS 97
#define WAIT_NS	    20000000

enum class {
	SYSTEM,
	MEMORY,
	THREAD,
	MUTEX,
};

static struct {
	bool read;
	enum class class;
	unsigned at, step;
	bool exits, waits, signals, for_ever;
	int error;
} plan;

static unsigned count; /* atomic */

/* Where the layer's code is; 0: not loaded, or not looked for yet. Atomic. */
static uintptr_t layer_start, layer_end;

static int find_layer(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "liboclcache.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		__atomic_store_n(&layer_end, start + part->p_memsz,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&layer_start, start, __ATOMIC_RELEASE);
	}
	return 1;
}

static uintptr_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void read_plan(void)
{
	const char *class = getenv("FAULT_CLASS");
	const char *how = getenv("FAULT_HOW");

	plan.class = class && !strcmp(class, "memory")	 ? MEMORY
		     : class && !strcmp(class, "thread") ? THREAD
		     : class && !strcmp(class, "mutex")	 ? MUTEX
							 : SYSTEM;
	plan.at = (unsigned)number_of("FAULT_AT");
	plan.for_ever = number_of("FAULT_FOR_EVER");
	plan.exits = how && !strcmp(how, "exit");
	plan.waits = how && !strcmp(how, "wait");
	plan.signals = how && !strcmp(how, "signal");
	plan.step = (unsigned)number_of("FAULT_STEP");
	plan.error = (int)number_of("FAULT_HOW");
	plan.read = true;
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("FAULT_COUNT_FILE");
	char text[16];
	int file = -1;

	/* Not what only starts the application. */
	if (path && layer_start)
		file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0)
		return;
	snprintf(text, sizeof(text), "%u\n", count);
	if (write(file, text, strlen(text)) < 0)
		_exit(1);
	close(file);
}

static bool is_layer(const void *caller)
{
	uintptr_t place = (uintptr_t)caller;

	return place >= __atomic_load_n(&layer_start, __ATOMIC_ACQUIRE) &&
	       place < __atomic_load_n(&layer_end, __ATOMIC_ACQUIRE);
}

/*
 * The loader initialises layers when it is asked for platforms: the first call
 * of pthread_once() in this process from there, too. Looked for without the
 * allocator's help.
 */
static void look(void)
{
	static _Thread_local bool looking;

	if (__atomic_load_n(&layer_start, __ATOMIC_ACQUIRE) || looking)
		return;
	looking = true;
	dl_iterate_phdr(find_layer, NULL);
	looking = false;
}

/*
 * Not to a handler, of which another one would come, and so on. (Of SIGUSR1
 * LLVM has a handler.)
 */
static void send_signal(void)
{
	sigset_t blocked;

	if (!pthread_sigmask(SIG_BLOCK, NULL, &blocked) &&
	    !sigismember(&blocked, SIGURG))
		raise(SIGURG);
}

/* Is this call to fail? With errno set. */
static bool hits(enum class class, const void *caller)
{
	const struct timespec pause = {0, WAIT_NS};
	unsigned number;

	if (!plan.read || class != plan.class)
		return false;
	look();
	if (!is_layer(caller))
		return false;
	number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (!plan.at || number < plan.at ||
	    (number > plan.at && !plan.for_ever) ||
	    (plan.step && (number - plan.at) % plan.step))
		return false;
	if (plan.exits)
		_exit(EXIT_STATUS);
	if (plan.waits)
		nanosleep(&pause, NULL);
	if (plan.signals)
		send_signal();
	errno = class == MEMORY ? ENOMEM : plan.error;
	return !plan.waits && !plan.signals;
}

#define HERE __builtin_return_address(0)

/*
 * Each as TYPE NAME(PARAMETERS), which is called with ARGUMENTS, and what it
 * answers when it fails.
 */
#define CALL(class, type, name, failed, parameters, arguments)                 \
	EXPORT type name parameters                                            \
	{                                                                      \
		static type(*next) parameters;                                 \
                                                                               \
		if (!next)                                                     \
			next = (type(*) parameters)dlsym(RTLD_NEXT, #name);    \
		if (hits(class, HERE))                                         \
			return failed;                                         \
		return next arguments;                                         \
	}

#define SYSTEM_CALL(type, name, parameters, arguments)                         \
	CALL(SYSTEM, type, name, (type)-1, parameters, arguments)

SYSTEM_CALL(int, access, (const char *path, int mode), (path, mode))
SYSTEM_CALL(int, stat,
	    (const char *restrict path, struct stat *restrict status),
	    (path, status))
SYSTEM_CALL(int, lstat,
	    (const char *restrict path, struct stat *restrict status),
	    (path, status))
SYSTEM_CALL(int, fstat, (int file, struct stat *status), (file, status))
SYSTEM_CALL(int, fstatat,
	    (int file, const char *restrict path, struct stat *restrict status,
	     int flags),
	    (file, path, status, flags))
SYSTEM_CALL(int, statfs, (const char *path, struct statfs *system),
	    (path, system))
SYSTEM_CALL(int, statx,
	    (int directory, const char *restrict path, int flags, unsigned mask,
	     struct statx *restrict status),
	    (directory, path, flags, mask, status))
SYSTEM_CALL(int, mkdir, (const char *path, mode_t mode), (path, mode))
SYSTEM_CALL(int, chmod, (const char *path, mode_t mode), (path, mode))
SYSTEM_CALL(int, fchmod, (int file, mode_t mode), (file, mode))
SYSTEM_CALL(ssize_t, read, (int file, void *data, size_t size),
	    (file, data, size))
SYSTEM_CALL(ssize_t, write, (int file, const void *data, size_t size),
	    (file, data, size))
SYSTEM_CALL(ssize_t, pread, (int file, void *data, size_t size, off_t offset),
	    (file, data, size, offset))
SYSTEM_CALL(ssize_t, pwrite,
	    (int file, const void *data, size_t size, off_t offset),
	    (file, data, size, offset))
SYSTEM_CALL(int, ftruncate, (int file, off_t size), (file, size))
SYSTEM_CALL(int, flock, (int file, int operation), (file, operation))
SYSTEM_CALL(int, futimens, (int file, const struct timespec times[2]),
	    (file, times))
SYSTEM_CALL(int, renameat, (int from, const char *old, int to, const char *new),
	    (from, old, to, new))
SYSTEM_CALL(int, renameat2,
	    (int from, const char *old, int to, const char *new,
	     unsigned flags),
	    (from, old, to, new, flags))
SYSTEM_CALL(int, linkat,
	    (int from, const char *old, int to, const char *new, int flags),
	    (from, old, to, new, flags))
SYSTEM_CALL(int, unlinkat, (int from, const char *name, int flags),
	    (from, name, flags))
SYSTEM_CALL(ssize_t, readlink,
	    (const char *restrict path, char *restrict data, size_t size),
	    (path, data, size))
CALL(SYSTEM, DIR *, fdopendir, NULL, (int file), (file))
CALL(SYSTEM, struct dirent *, readdir, NULL, (DIR * stream), (stream))
CALL(SYSTEM, char *, getcwd, NULL, (char *data, size_t size), (data, size))
CALL(SYSTEM, char *, realpath, NULL,
     (const char *restrict path, char *restrict data), (path, data))
CALL(MEMORY, void *, aligned_alloc, NULL, (size_t unit, size_t size),
     (unit, size))
CALL(MEMORY, char *, strdup, NULL, (const char *text), (text))
CALL(MEMORY, char *, strndup, NULL, (const char *text, size_t size),
     (text, size))
CALL(MEMORY, void *, realloc, NULL, (void *memory, size_t size), (memory, size))

/* dlsym() may want some before it has found them: then by the C library. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

/* Declared by <stdio.h> only in programs that are hardened themselves. */
int __asprintf_chk(char **text, int flag, const char *format, ...);

EXPORT void *malloc(size_t size)
{
	return hits(MEMORY, HERE) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t items, size_t size)
{
	return hits(MEMORY, HERE) ? NULL : __libc_calloc(items, size);
}

EXPORT int __asprintf_chk(char **text, int flag, const char *format, ...)
{
	va_list arguments;
	int result;

	(void)flag;
	if (hits(MEMORY, HERE))
		return -1;
	va_start(arguments, format);
	result = vasprintf(text, format, arguments);
	va_end(arguments);
	return result;
}

/* Linux closes it even when it says that it failed. */
EXPORT int close(int file)
{
	static int (*next)(int);
	bool hit = hits(SYSTEM, HERE);
	int error = errno, result;

	if (!next)
		next = (int (*)(int))dlsym(RTLD_NEXT, "close");
	result = next(file);
	if (!hit)
		return result;
	errno = error;
	return -1;
}

EXPORT int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	va_list arguments;
	mode_t mode;

	if (!next)
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT,
							      "open");
	if (hits(SYSTEM, HERE))
		return -1;
	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return next(path, flags, mode);
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
	static int (*next)(int, const char *, int, ...);
	va_list arguments;
	mode_t mode;

	if (!next)
		next = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT,
								   "openat");
	if (hits(SYSTEM, HERE))
		return -1;
	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return next(directory, path, flags, mode);
}

/* The third argument is a number or a pointer. */
EXPORT int fcntl(int file, int command, ...)
{
	static int (*next)(int, int, ...);
	va_list arguments;
	void *argument;

	if (!next)
		next = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
	if (hits(SYSTEM, HERE))
		return -1;
	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return next(file, command, argument);
}

EXPORT int pthread_create(pthread_t *restrict thread,
			  const pthread_attr_t *restrict attributes,
			  void *(*run)(void *), void *restrict data)
{
	static int (*next)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (!next)
		next = (int (*)(pthread_t *, const pthread_attr_t *,
				void *(*)(void *),
				void *))dlsym(RTLD_NEXT, "pthread_create");
	return hits(THREAD, HERE) ? EAGAIN
				  : next(thread, attributes, run, data);
}

/* They don't fail. */
EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);
	int result;

	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT,
							 "pthread_mutex_lock");
	hits(MUTEX, HERE);
	result = next(mutex);
	hits(MUTEX, HERE);
	return result;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if (!next)
		next = (int (*)(pthread_mutex_t *))
			dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	hits(MUTEX, HERE);
	return next(mutex);
}
