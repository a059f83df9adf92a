/* SPDX-License-Identifier: MIT */
/*
 * What the sources of cache/include_files.h have in common: contents, which
 * include_files.c reads, and looks as include_looks.c writes them down. For
 * these two alone.
 */
#ifndef OCC_CACHE_INCLUDE_FILES_INTERNAL_H
#define OCC_CACHE_INCLUDE_FILES_INTERNAL_H

#include <sys/stat.h>

#include "cache/include_files.h"

/*
 * Opens a file, also when its contents are known, for this process may have
 * lost the right to read it. By name again: it is the file that was found, or
 * none.
 */
bool occ_include_content_open(const char *path, int *ret_file,
			      struct stat *ret_status);

/* The digests of the open file's text. False: it can't be read, or changes. */
bool occ_include_content_digest(int file, const struct stat *status,
				struct occ_digest ret_digests[2]);

/* What is at the path, by its status alone. */
enum occ_closure_found occ_include_looks_find(const char *path,
					      struct stat *ret_status);

/* Device and inode of the directory that the path is in. */
bool occ_include_looks_directory(const char *path, uint64_t ret_directory[2]);

/*
 * Writes a look down: at nothing, a directory, or a file. `read`: what was read
 * of it, NULL if it wasn't; `certain`: then its times will tell.
 */
void occ_include_looks_note(struct occ_buffer *looks, const char *path,
			    const struct stat *status,
			    const struct occ_closure_file *read, bool certain);

#endif
