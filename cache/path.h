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
#ifndef OCC_CACHE_PATH_H
#define OCC_CACHE_PATH_H

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

/* The same by its name alone: of a path that was found to be steady. */
int occ_path_open_steady(const char *path, struct occ_path *ret_path);

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

#endif
