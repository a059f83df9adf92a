/* SPDX-License-Identifier: MIT */
/*
 * The socket that clients connect to.
 *
 * Only its user may connect to it, and it is in a directory that others can't
 * write, or in one where they can't rename what isn't theirs. A socket that a
 * dead helper has left is replaced, one that somebody listens at never is;
 * helpers that start at the same time take turns, by a lock on the directory.
 */
#ifndef OCC_STORAGE_LISTENER_H
#define OCC_STORAGE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct occ_listener {
	int file; /* -1: none */
	char path[108];
	dev_t device;
	ino_t inode; /* of the path; 0: it isn't ours to remove */
};

enum occ_listener_result {
	OCC_LISTENER_OK,
	OCC_LISTENER_TAKEN, /* another helper listens there */
	OCC_LISTENER_FAILED,
};

/* `path` is absolute. Else than OK, `problem` says why. Takes up to 2 s. */
enum occ_listener_result occ_listener_open(const char *path,
					   struct occ_listener *ret_listener,
					   char *problem, size_t size);

/*
 * The socket that a service manager has bound (LISTEN_PID, LISTEN_FDS of
 * sd_listen_fds(3)), of which there must be one. False: there is none;
 * `problem` is "", or what is wrong with it.
 */
bool occ_listener_inherit(struct occ_listener *ret_listener, char *problem,
			  size_t size);

/* Closes, and removes the path if it is still what was bound. */
void occ_listener_close(struct occ_listener *listener);

/*
 * The next client, of this user or root, non-blocking; others are turned away.
 * -1: none for now; errno is EAGAIN, or says what ran out.
 */
int occ_listener_accept(const struct occ_listener *listener,
			pid_t *ret_process);

#endif
