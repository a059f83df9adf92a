/* SPDX-License-Identifier: MIT */
/*
 * Reads files of entries, as deep as the caller needs:
 *
 * OCC_ENTRY_FILE_SUMMARY  key and metadata, for showing many entries in a short
 *                         time. One open and one read, two where the key or the
 *                         build log is long, and one more where there is device
 *                         code. Nothing is verified but that it lies within the
 *                         file: it is fit to be shown, not to be used.
 * OCC_ENTRY_FILE_HOT      what a hit needs: the hot part, verified. One open
 *                         and one read, two of files larger than 64 KiB.
 * OCC_ENTRY_FILE_WHOLE    the file, verified to the last byte: checksums of the
 *                         hot part and of every cold section, and that its hash
 *                         is the one of its key, which is made anew from its
 *                         fields, and its name that of its hash. For whoever
 *                         checks a store, or takes an entry from elsewhere.
 *
 *	struct occ_entry_file file = {0};
 *	while (...)
 *		if (!occ_entry_file_read(directory, name, false, depth, &file))
 *			... use file.entry ...
 *	occ_entry_file_release(&file);
 *
 * Threads: a struct is one thread's.
 */
#ifndef OCC_CACHE_ENTRY_FILE_H
#define OCC_CACHE_ENTRY_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cache/entry.h"

enum occ_entry_file_depth {
	OCC_ENTRY_FILE_SUMMARY,
	OCC_ENTRY_FILE_HOT,
	OCC_ENTRY_FILE_WHOLE,
};

/* Starts as zeros. What is valid is so until the next read or the release. */
struct occ_entry_file {
	/*
	 * After OCC_ENTRY_FILE_HOT, good or bad: the open file; else 0. As long
	 * as it is open the inode isn't given to another file, so that "same
	 * device and inode" means the file that was read.
	 */
	int descriptor;
	struct stat status;    /* zeros if it couldn't be opened */
	unsigned char *memory; /* the file's first bytes; kept for the next */
	size_t capacity;
	size_t size; /* how many bytes of the file are there */
	/* Of OCC_ENTRY_FILE_SUMMARY `binary` has its size, but no data. */
	struct occ_entry entry;
	/* OCC_ENTRY_FILE_SUMMARY: of device code (cache/entry.h); 0: none. */
	uint32_t code_maker;
	/* OCC_ENTRY_FILE_WHOLE: the fields in the cold part. */
	struct occ_span texts;
	/*
	 * After a failure of OCC_ENTRY_FILE_WHOLE what is wrong, in a few
	 * words; never NULL then.
	 */
	const char *fault;
};

/*
 * Reads `name` in `directory`. OCC_OK: `entry` and what goes with the depth is
 * valid. OCC_E_FORBIDDEN: not a regular file, not readable, or not the user's
 * (`or_roots`: nor root's). OCC_E_NOT_FOUND, OCC_E_CORRUPT, OCC_E_VERSION;
 * OCC_E_TOO_LARGE: a summary of more than any reasonable key and metadata;
 * OCC_E_MEMORY, OCC_E_IO.
 */
int occ_entry_file_read(int directory, const char *name, bool or_roots,
			enum occ_entry_file_depth depth,
			struct occ_entry_file *file);

/* A whole file anywhere, of whatever name and owner. */
int occ_entry_file_read_path(const char *path, struct occ_entry_file *file);

/*
 * Reads the rest of a file of which the hot part was OCC_OK, and which nothing
 * vouches for yet; `entry` has moved with `memory`. OCC_OK, OCC_E_CORRUPT,
 * OCC_E_IO or OCC_E_MEMORY.
 */
int occ_entry_file_read_rest(struct occ_entry_file *file);

/*
 * Verifies the `size` bytes at `memory`, which the caller has put there, as
 * OCC_ENTRY_FILE_WHOLE does. OCC_OK, OCC_E_CORRUPT, OCC_E_VERSION or
 * OCC_E_MEMORY.
 */
int occ_entry_file_verify(struct occ_entry_file *file);

/* Is that a name for it, numbered or not? */
bool occ_entry_file_has_name(const struct occ_entry_file *file,
			     const char *name);

/* Room for `size` bytes at `memory`; what is there stays. False: no memory. */
bool occ_entry_file_reserve(struct occ_entry_file *file, size_t size);
void occ_entry_file_release(struct occ_entry_file *file);

/*
 * Of a whole file the key's fields in their order, long ones with their bytes
 * from the cold part. Starts with a cursor of zeros. Returns 1 for a field, 0
 * at the end, -1 for bytes that are no field, or where the cold part lacks one.
 */
struct occ_entry_file_cursor {
	size_t key;
	size_t texts;
};
int occ_entry_file_next(const struct occ_entry_file *file,
			struct occ_entry_file_cursor *cursor, uint16_t *ret_id,
			struct occ_span *ret_bytes);

/* The first field of that id; false: there is none. */
bool occ_entry_file_find(const struct occ_entry_file *file,
			 enum occ_key_field id, struct occ_span *ret_bytes);

/*
 * The key of a whole file, as the layer would make it, for the caller to
 * occ_key_release(), before the memory goes. OCC_OK, OCC_E_CORRUPT (its hash or
 * bytes would be others) or OCC_E_MEMORY.
 */
int occ_entry_file_key(const struct occ_entry_file *file,
		       struct occ_key *ret_key);

#endif
