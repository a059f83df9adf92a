/* SPDX-License-Identifier: MIT */
/*
 * Opening the store's directory, and refusing one that others can write to:
 * its binaries are run with the user's rights.
 */
#ifndef OCC_CACHE_DIRECTORY_H
#define OCC_CACHE_DIRECTORY_H

#include <stdbool.h>

#include "cache/error.h"

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
 * OCC_E_NO_DIRECTORY, OCC_E_ANOTHERS (cache/path.h), OCC_E_FORBIDDEN (owned by
 * another user, or writable by everybody, by somebody in an access control
 * list, or by a group whose number isn't the owner's, unless it is of NEO's
 * name and of mode 0775, as NEO makes it), OCC_E_DENIED, OCC_E_MEMORY or
 * OCC_E_IO. With OCC_E_NO_DIRECTORY errno says why it couldn't be made.
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
