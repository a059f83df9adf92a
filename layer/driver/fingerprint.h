/* SPDX-License-Identifier: MIT */
/*
 * What tells an installed file from any other: the GNU build-id of a shared
 * object that has one, else a digest of its content. Reading 100 MB costs more
 * than most hits, so digests are remembered in the store, by device, inode,
 * size, mtime and ctime, unless the file is so young that it could change again
 * within the granularity of the clock.
 *
 * Of a file that changed after this process began it can't be told which bytes
 * the driver has got: it has no fingerprint.
 *
 * Calling sequence: occ_fingerprint_start() once, when the layer is
 * initialised; then with one memory for all that is asked at a time:
 *
 *	struct occ_recall memory = OCC_RECALL_INIT;
 *	occ_fingerprint_content(&memory, path, &text) ...
 *	occ_recall_release(&memory);
 *
 * Any thread, a memory in one at a time. Never under the lock.
 */
#ifndef OCC_LAYER_DRIVER_FINGERPRINT_H
#define OCC_LAYER_DRIVER_FINGERPRINT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "hash/buffer.h"

/* The store's state file, read when it is first needed, and what is to come. */
struct occ_recall {
	struct occ_buffer state;
	struct occ_buffer news;
	bool read;
};

#define OCC_RECALL_INIT                                                        \
	{                                                                      \
		OCC_BUFFER_INIT, OCC_BUFFER_INIT, false                        \
	}

void occ_recall_release(struct occ_recall *memory);

/*
 * Copies what is remembered by that name to `ret_value`, and its size. False
 * when there is nothing, or more than `capacity`.
 */
bool occ_recall_find(struct occ_recall *memory, const char *name,
		     unsigned char *ret_value, size_t capacity,
		     size_t *ret_size);

/*
 * What later processes are to find, from occ_recall_save() on, which writes to
 * the store. Failures are nobody's concern.
 */
void occ_recall_note(struct occ_recall *memory, const char *name,
		     const void *value, size_t size);
void occ_recall_save(struct occ_recall *memory);

/* Notes the time. */
void occ_fingerprint_start(void);

enum occ_fingerprint {
	OCC_FINGERPRINT_FOUND,
	OCC_FINGERPRINT_ABSENT, /* surely no such file */
	OCC_FINGERPRINT_UNKNOWN,
};

/* Appends "content:" and 32 hex digits when found. Follows links. */
enum occ_fingerprint occ_fingerprint_content(struct occ_recall *memory,
					     const char *path,
					     struct occ_buffer *text);

/* The same, or "build-id:" and its hex digits for an object that has one. */
enum occ_fingerprint occ_fingerprint_object(struct occ_recall *memory,
					    const char *path,
					    struct occ_buffer *text);

/* Appends "build-id:" and the id in hex digits. */
void occ_fingerprint_append_id(struct occ_buffer *text, const void *id,
			       size_t size);

/*
 * The GNU build-id among the ELF notes at `notes`, or NULL; *ret_size is its
 * size. Notes are looked at as far as they are well-formed.
 */
const unsigned char *occ_fingerprint_id(const unsigned char *notes, size_t size,
					size_t *ret_size);

/* Did the file change, or appear, after this process began? Or is it gone? */
bool occ_fingerprint_is_new(const char *path);

/* Is it the same file, and unchanged? */
bool occ_fingerprint_is_same(const struct stat *a, const struct stat *b);

/* Did a file with this status change after this process began? */
bool occ_fingerprint_is_young(const struct stat *status);

#endif
