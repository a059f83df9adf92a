/* SPDX-License-Identifier: MIT */
/*
 * Directories by paths in which other users may have a hand: root runs with
 * another user's HOME, a store is in /tmp, a link is planted.
 *
 * Each component is opened from the one before it, and symbolic links are
 * followed here, one after the other: only those that the effective user or
 * root has made (in a user namespace, where root may have no number, also those
 * of users without one in directories that only their owner writes to). So
 * nothing is looked at by a name, and used by that name later, when it may be
 * something else.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_CACHE_DIRECTORY_H
#define OCC_CACHE_DIRECTORY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cache/error.h"

/* What is made of a path's end that isn't there. */
struct occ_path_missing {
	unsigned levels; /* at most so many directories */
	mode_t mode;	 /* theirs, whatever the umask */
};

struct occ_path {
	int directory; /* for openat() and its like, not for reading itself */
	struct stat status;
	/*
	 * Nobody but the effective user and root can make the path lead
	 * elsewhere, so that it may be opened by name from now on.
	 */
	bool steady;
};

/*
 * Opens a directory; relative paths begin at the current one. Directories are
 * made only where occ_path_may_make_in() says so. `missing` may be NULL: none
 * are made.
 *
 * OCC_OK: ret_path->directory is for the caller to occ_file_close(). Otherwise
 * OCC_E_NO_DIRECTORY, where errno says why it couldn't be made, OCC_E_ANOTHERS
 * (another user's link, or root would make it in another user's directory),
 * OCC_E_DENIED or OCC_E_IO.
 */
int occ_path_open(const char *path, const struct occ_path_missing *missing,
		  struct occ_path *ret_path);

/*
 * The same for the directory that a file is in, or is to be in; *ret_name is
 * the file's name, in `path`. A path that ends with a slash is OCC_E_IO with
 * EISDIR.
 */
int occ_path_open_parent(const char *path,
			 const struct occ_path_missing *missing,
			 struct occ_path *ret_path, const char **ret_name);

/*
 * Opens a file, new ones with mode 0600. It may be a link of the effective user
 * or root, in whose place nobody else can put another one. Never blocks on a
 * FIFO, unless it is opened for writing alone and has a reader. Descriptor, or
 * -1 with errno: EPERM for another user's link.
 */
int occ_path_open_file(const char *path, int flags);

/*
 * Is that directory one in which more may be made? Root's rights would let it
 * make what is of no use to the user whose home it is: it makes directories
 * only in its own and in public ones, which are like /tmp.
 */
bool occ_path_may_make_in(const struct stat *directory);

/*
 * The store's directory; one that others can write to is refused, because its
 * binaries are run with the user's rights.
 */

/* How many missing levels are created, with mode 0700. */
enum occ_directory_create {
	/* None; and it may also be root's, if nobody else can write to it. */
	OCC_DIRECTORY_READ_ONLY = -1,
	OCC_DIRECTORY_MUST_EXIST = 0,
	OCC_DIRECTORY_CREATE = 1,
	OCC_DIRECTORY_CREATE_PARENT = 2,
};

/* The name that Intel NEO's cl_cache gives its directory, and we ours. */
#define OCC_DIRECTORY_NEO "neo_compiler_cache"

/*
 * Gives a descriptor for the caller to occ_file_close(). OCC_OK,
 * OCC_E_NO_DIRECTORY, OCC_E_ANOTHERS, OCC_E_FORBIDDEN (owned by another user,
 * or writable by everybody, by somebody in an access control list, or by a
 * group whose number isn't the owner's, unless it is of NEO's name and of mode
 * 0775, as NEO makes it), OCC_E_DENIED, OCC_E_MEMORY or OCC_E_IO. With
 * OCC_E_NO_DIRECTORY errno says why it couldn't be made.
 */
int occ_directory_open(const char *path, enum occ_directory_create create,
		       int *ret_directory);

/*
 * The same, but the descriptor is for opening files by their names alone, which
 * needs no permission to read the directory. `steady` is false at first, and
 * the caller's for as long as the path is: it remembers that nobody else can
 * make it lead elsewhere, so that one call opens it from then on. NULL: never.
 */
int occ_directory_find(const char *path, enum occ_directory_create create,
		       bool *steady, int *ret_directory);

/* May files in it be read? Nothing is left open. */
int occ_directory_look(const char *path, enum occ_directory_create create);

#endif
