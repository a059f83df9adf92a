/* SPDX-License-Identifier: MIT */
#include "storage/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NEW_NAME       ".oclcache-storage.new"
/* Hundreds of processes may start at once; the kernel has its own bound. */
#define BACKLOG	       4096
#define LOCK_MS	       2000
#define LOCK_LOOK_MS   10
/* sd_listen_fds(3) */
#define INHERITED_FILE 3

static void set_problem(char *problem, size_t size, const char *what,
			const char *path)
{
	snprintf(problem, size, "%s %s: %s", what, path, strerror(errno));
}

static bool fill_address(const char *path, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if ((size_t)snprintf(address->sun_path, sizeof(address->sun_path), "%s",
			     path) < sizeof(address->sun_path))
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* Nobody else can put something else in the socket's place. */
static bool is_safe(const struct stat *directory)
{
	if (!S_ISDIR(directory->st_mode) ||
	    (directory->st_uid != geteuid() && directory->st_uid != 0))
		return false;
	return !(directory->st_mode & (S_IWGRP | S_IWOTH)) ||
	       (directory->st_uid == 0 && (directory->st_mode & S_ISVTX));
}

/* Opens the directory of `path`, which is made if it isn't there. */
static int open_directory(const char *path, char *problem, size_t size)
{
	char directory[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat status;
	int file;

	snprintf(directory, sizeof(directory), "%s", path);
	*strrchr(directory, '/') = '\0';
	if (!*directory)
		snprintf(directory, sizeof(directory), "/");
	if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
		set_problem(problem, size, "can't create", directory);
		return -1;
	}
	file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) != 0) {
		set_problem(problem, size, "can't open", directory);
	} else if (!is_safe(&status)) {
		snprintf(problem, size,
			 "the directory %s belongs to another user, or other "
			 "users can write to it",
			 directory);
	} else {
		return file;
	}
	if (file >= 0)
		close(file);
	return -1;
}

static bool lock(int directory)
{
	const struct timespec pause = {0, LOCK_LOOK_MS * 1000000L};

	for (int waited = 0; waited < LOCK_MS; waited += LOCK_LOOK_MS) {
		if (flock(directory, LOCK_EX | LOCK_NB) == 0)
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool is_alive(const struct sockaddr_un *address)
{
	int file =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool alive;

	if (file < 0)
		return true;
	alive = connect(file, (const struct sockaddr *)address,
			sizeof(*address)) == 0 ||
		(errno != ECONNREFUSED && errno != ENOENT);
	close(file);
	return alive;
}

/* False: it doesn't fit. Who makes it has the directory's lock. */
static bool fill_new_address(const struct sockaddr_un *address,
			     struct sockaddr_un *new_address)
{
	const char *path = address->sun_path;
	char new_path[2 * sizeof(address->sun_path)];

	snprintf(new_path, sizeof(new_path), "%.*s/" NEW_NAME,
		 (int)(strrchr(path, '/') - path), path);
	return fill_address(new_path, new_address);
}

static int bind_and_listen(const struct sockaddr_un *address)
{
	int file =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t mask = umask(077);
	bool good = file >= 0 &&
		    bind(file, (const struct sockaddr *)address,
			 sizeof(*address)) == 0 &&
		    listen(file, BACKLOG) == 0;
	int error = errno;

	umask(mask);
	if (good)
		return file;
	if (file >= 0)
		close(file);
	errno = error;
	return -1;
}

/*
 * Under another name first: who sees a socket's name can connect, and one that
 * is replaced is replaced at once.
 */
static int listen_under_name(const struct sockaddr_un *address)
{
	struct sockaddr_un new_address;
	int file, error;

	if (!fill_new_address(address, &new_address)) {
		unlink(address->sun_path);
		return bind_and_listen(address);
	}
	unlink(new_address.sun_path);
	file = bind_and_listen(&new_address);
	if (file < 0 || rename(new_address.sun_path, address->sun_path) == 0)
		return file;
	error = errno;
	unlink(new_address.sun_path);
	close(file);
	errno = error;
	return -1;
}

static enum occ_listener_result open_locked(const struct sockaddr_un *address,
					    struct occ_listener *ret_listener,
					    char *problem, size_t size)
{
	const char *path = address->sun_path;
	struct stat status;

	if (lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode)) {
		snprintf(problem, size, "%s already exists and isn't a socket",
			 path);
		return OCC_LISTENER_FAILED;
	}
	if (is_alive(address)) {
		snprintf(problem, size, "another helper is listening at %s",
			 path);
		return OCC_LISTENER_TAKEN;
	}
	ret_listener->file = listen_under_name(address);
	if (ret_listener->file < 0) {
		set_problem(problem, size, "can't listen at", path);
		return OCC_LISTENER_FAILED;
	}
	snprintf(ret_listener->path, sizeof(ret_listener->path), "%s", path);
	if (lstat(path, &status) == 0) {
		ret_listener->device = status.st_dev;
		ret_listener->inode = status.st_ino;
	}
	return OCC_LISTENER_OK;
}

enum occ_listener_result occ_listener_open(const char *path,
					   struct occ_listener *ret_listener,
					   char *problem, size_t size)
{
	enum occ_listener_result result = OCC_LISTENER_FAILED;
	struct sockaddr_un address;
	int directory;

	*ret_listener = (struct occ_listener){.file = -1};
	if (*path != '/') {
		snprintf(problem, size, "%s isn't an absolute path", path);
		return OCC_LISTENER_FAILED;
	}
	if (!fill_address(path, &address)) {
		set_problem(problem, size, "can't listen at", path);
		return OCC_LISTENER_FAILED;
	}
	directory = open_directory(path, problem, size);
	if (directory < 0)
		return OCC_LISTENER_FAILED;
	if (lock(directory))
		result = open_locked(&address, ret_listener, problem, size);
	else
		set_problem(problem, size, "can't lock the directory of", path);
	close(directory);
	return result;
}

static bool is_listening(int file)
{
	struct sockaddr_un address = {.sun_family = AF_UNSPEC};
	socklen_t size = sizeof(address);
	int listens = 0;

	if (getsockname(file, (struct sockaddr *)&address, &size) != 0 ||
	    address.sun_family != AF_UNIX)
		return false;
	size = sizeof(listens);
	return getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ==
		       0 &&
	       listens;
}

bool occ_listener_inherit(struct occ_listener *ret_listener, char *problem,
			  size_t size)
{
	const char *process = getenv("LISTEN_PID"),
		   *count = getenv("LISTEN_FDS");
	int flags;

	*problem = '\0';
	*ret_listener = (struct occ_listener){.file = -1};
	if (!process || !count || strtol(process, NULL, 10) != (long)getpid())
		return false;
	if (strcmp(count, "1") != 0 || !is_listening(INHERITED_FILE)) {
		snprintf(problem, size,
			 "the service manager must pass one listening Unix "
			 "socket");
		return false;
	}
	flags = fcntl(INHERITED_FILE, F_GETFL);
	fcntl(INHERITED_FILE, F_SETFL, flags | O_NONBLOCK);
	fcntl(INHERITED_FILE, F_SETFD, FD_CLOEXEC);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	ret_listener->file = INHERITED_FILE;
	return true;
}

/* Another helper may have found that nobody listened, and have its own there.
 */
static bool is_ours(const struct occ_listener *listener)
{
	struct stat status;

	return listener->inode && lstat(listener->path, &status) == 0 &&
	       status.st_dev == listener->device &&
	       status.st_ino == listener->inode;
}

void occ_listener_close(struct occ_listener *listener)
{
	char problem[256];
	int directory;

	if (listener->file < 0)
		return;
	if (is_ours(listener)) {
		directory = open_directory(listener->path, problem,
					   sizeof(problem));
		if (directory >= 0 && lock(directory) && is_ours(listener))
			unlink(listener->path);
		if (directory >= 0)
			close(directory);
	}
	close(listener->file);
	listener->file = -1;
}

int occ_listener_accept(const struct occ_listener *listener, pid_t *ret_process)
{
	for (;;) {
		struct ucred peer;
		socklen_t size = sizeof(peer);
		int file = accept4(listener->file, NULL, NULL,
				   SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (file < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (file < 0)
			return -1;
		if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) ==
			    0 &&
		    (peer.uid == geteuid() || peer.uid == 0)) {
			*ret_process = peer.pid;
			return file;
		}
		close(file);
	}
}
