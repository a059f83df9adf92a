/* SPDX-License-Identifier: MIT */
/*
 * Files that are to be found at absolute paths where there are none, or others:
 * in a private mount namespace, where nobody else sees them and nothing of the
 * file system is changed. Where files are to be in a directory, that becomes a
 * tmpfs with all that was in it, bound there.
 *
 * Paths come from databases, which may be anybody's: see occ_placed_path_fault().
 */
#ifndef OCC_CLI_PLACED_FILES_H
#define OCC_CLI_PLACED_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct occ_placed_file {
	char *path;    /* absolute */
	char *content; /* of a file that has it */
};

struct occ_placed_files {
	struct occ_placed_file *files;
	size_t count;
};

/*
 * Why nothing is placed at such a path, whatever it is: static; NULL: it may be.
 * Paths are absolute, have neither "." nor ".." in them, and aren't of /proc,
 * /dev or /sys.
 */
const char *occ_placed_path_fault(const char *path);

/* May this process have such a namespace? Tried in a child. */
bool occ_placed_files_possible(void);

/* Copies of both are added. */
void occ_placed_files_add(struct occ_placed_files *files, const char *path,
			  const char *content);
void occ_placed_files_release(struct occ_placed_files *files);

/*
 * In a child with one thread: from now on they are there. `scratch` is a
 * directory of this command. NULL: they are; else why not, a text that is never
 * freed.
 */
const char *occ_placed_files_enter(const struct occ_placed_files *files,
				   const char *scratch);

#endif
