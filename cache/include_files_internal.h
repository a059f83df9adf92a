/* SPDX-License-Identifier: MIT */
/*
 * What the sources of cache/include_files.h have in common: contents that are
 * remembered, and looks as they are written down. For cache/include_*.c alone.
 */
#ifndef OCC_CACHE_INCLUDE_FILES_INTERNAL_H
#define OCC_CACHE_INCLUDE_FILES_INTERNAL_H

#include <sys/stat.h>
#include <time.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/include_files.h"

/* Where a file lies, whatever its name. */
struct occ_include_place {
	uint64_t device;
	uint64_t inode;
};

/* What was read; constant but for `references` and, in the table, `certain`. */
struct occ_include_content {
	UT_hash_handle hh;
	struct occ_include_place place;
	struct timespec modified;
	struct timespec changed;
	unsigned references; /* atomic; one of the table's */
	bool certain;	     /* as long as the times are the same */
	size_t size;
	char *text;
	struct occ_scan *scan;
	struct occ_digest digests[2];
};

/*
 * Opens a file, also when its contents are known, for this process may have
 * lost the right to read it. By name again: it is the file that was found, or
 * none.
 */
bool occ_include_content_open(const char *path, int *ret_file,
			      struct stat *ret_status);

/*
 * What is remembered of the file, or NULL. *ret_certain: it needn't be read to
 * know that it is still so.
 */
struct occ_include_content *occ_include_content_recall(
	const struct stat *status, bool *ret_certain);

/*
 * Reads the open file, and scans it if it isn't what is `known`, which may be
 * NULL. NULL: it can't be read, or is changing.
 */
struct occ_include_content *occ_include_content_read(
	int file, const struct stat *status, struct occ_include_content *known);

/* The digests of the open file's text alone. False: as above. */
bool occ_include_content_digest(int file, const struct stat *status,
				struct occ_digest ret_digests[2]);

void occ_include_content_remember(struct occ_include_content *content,
				  bool certain);
void occ_include_content_release(struct occ_include_content *content);

/* What is at the path, by its status alone. */
enum occ_closure_found occ_include_looks_find(const char *path,
					      struct stat *ret_status);

/* Device and inode of the directory that the path is in. */
bool occ_include_looks_directory(const char *path, uint64_t ret_directory[2]);

/* Writes a look down: at nothing, or a directory (then `file` says which); */
void occ_include_looks_note_absent(struct occ_buffer *looks, const char *path,
				   const struct stat *status,
				   struct occ_closure_file *ret_file);

/* ... at a file that wasn't read; and at one that was. */
void occ_include_looks_note_present(struct occ_buffer *looks, const char *path,
				    const struct stat *status);
void occ_include_looks_note_read(struct occ_buffer *looks, const char *path,
				 const struct stat *status, bool certain,
				 const struct occ_closure_file *file);

#endif
