/* SPDX-License-Identifier: MIT */
/*
 * Files that are to be found at absolute paths where there are none: in a
 * private mount namespace, where nobody else sees them and nothing of the file
 * system is changed. Where files are to be in a directory, that becomes a tmpfs
 * with all that was in it, bound there. Nothing takes another file's place.
 *
 * Paths come from databases, which may be anybody's: see cli/placed_path.h.
 */
#ifndef OCC_CLI_PLACED_FILES_H
#define OCC_CLI_PLACED_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct occ_placed_file {
	char *path;    /* absolute, as occ_placed_path_normal() has it */
	char *content; /* of a file that has it; "": of a directory, "DIR/." */
};

struct occ_placed_files {
	struct occ_placed_file *files;
	size_t count;
};

/* May this process have such a namespace? Tried in a child. */
bool occ_placed_files_possible(const char *scratch);

/* Could such a file be placed? Tried in a child; there must be a namespace. */
bool occ_placed_files_try(const char *path, const char *content,
			  const char *scratch);

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
