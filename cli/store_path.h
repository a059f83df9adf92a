/* SPDX-License-Identifier: MIT */
/*
 * Which store a command works on: the one that --dir names, or that programs
 * use under the layer, as their environment and configuration say.
 */
#ifndef OCC_CLI_STORE_PATH_H
#define OCC_CLI_STORE_PATH_H

#include "cache/store.h"
#include "cli/arguments.h"

/* For the `options` of commands. */
#define OCC_STORE_PATH_OPTION                                                  \
	{                                                                      \
		"dir", 0, "DIR",                                               \
			"use the store in DIR instead of the default one"      \
	}

/*
 * The absolute path of the store's directory, for the caller to free(); NULL
 * after an error was shown: there is none.
 */
char *occ_store_path_directory(const struct occ_arguments *arguments);

/*
 * The same, and nothing is shown: where there is none, *ret_why is what the
 * error would be, to be freed; else it's NULL. *ret_by_default: nobody has
 * named the directory, so that programs make its parent, too.
 */
char *occ_store_path_find(const struct occ_arguments *arguments,
			  bool *ret_by_default, char **ret_why);

/* The maximum of a store's size that programs heed, in bytes; 0: none. */
uint64_t occ_store_path_max_size(void);

/*
 * The store, for the caller to occ_store_close(), with the size and age that
 * programs would use; NULL after an error was shown. `changes`: false for
 * commands that only look, which get it for reading only.
 *
 * The directory may be missing: that is an empty store. One that --dir names
 * must be there. One that the layer would refuse (another user's, or open to
 * others) is an error, and so is one that has other files alone.
 */
struct occ_store *occ_store_path_open(const struct occ_arguments *arguments,
				      bool changes);

/* The same for who fills it, and so may name one that is to be made. */
struct occ_store *occ_store_path_open_to_fill(
	const struct occ_arguments *arguments, bool changes);

/*
 * Makes the directory of that path, and its parent, if they are missing: one
 * that was named isn't below a parent that the layer would make. False after an
 * error was shown: the layer couldn't use it.
 */
bool occ_store_path_make(const char *directory);

/*
 * The store's directory for the caller to occ_file_close(); false after an
 * error was shown, true and -1 when there is none.
 */
bool occ_store_path_enter(struct occ_store *store, int *ret_directory);

/*
 * Says in words what went wrong with `thing`, a path, and what to do. `error`
 * is one of cache/error.h, with errno as it left it.
 */
void occ_store_path_fail(const char *thing, int error);

#endif
