/* SPDX-License-Identifier: MIT */
/*
 * The contents of files that sources include, read and scanned once per
 * process: the way from hash/closure.h to the file system.
 *
 * Contents count, never times alone. What was read is remembered by device,
 * inode, size, mtime and ctime. It is taken without being read again only if
 * these were certain to tell of any later write when it was read
 * (occ_file_will_tell()). Else it is read each time: writing to a mapped page
 * leaves the times alone until the page is on the disk, on tmpfs for ever. Then
 * only the scan is saved, if the bytes are the same. Memory is bounded; what is
 * in use stays.
 *
 * Calling sequence: a view for each closure:
 *
 *	view = occ_include_files_view_open(false);
 *	request.look = occ_include_files_look;
 *	request.look_data = view;
 *	occ_closure_make(&request, &closure);
 *	occ_include_files_view_stamp(view, &stamp);
 *	occ_include_files_view_close(view);
 *
 * Threads: a view belongs to one thread; what is remembered is shared, and
 * nobody waits for it: whoever finds it busy reads the file himself.
 */
#ifndef OCC_CACHE_INCLUDE_FILES_H
#define OCC_CACHE_INCLUDE_FILES_H

#include "hash/closure.h"

/* Larger files aren't taken for headers. */
#define OCC_INCLUDE_FILES_SIZE_MAX   (UINT64_C(64) << 20)

/* What is remembered beyond this is let go. */
#define OCC_INCLUDE_FILES_MEMORY_MAX (UINT64_C(64) << 20)

struct occ_include_files_view;

/* `anew`: every file is read, whatever its times say. NULL: out of memory. */
struct occ_include_files_view *occ_include_files_view_open(bool anew);
void occ_include_files_view_close(
	struct occ_include_files_view *view); /* NULL: nothing */

/*
 * An occ_closure_look for a view. Follows symbolic links as compilers do.
 * Directories are absent files; FIFOs, devices and what can't be read are
 * unknown.
 */
enum occ_closure_found occ_include_files_look(const char *path, bool contents,
					      struct occ_closure_file *ret_file,
					      void *view);

/*
 * Everything that was looked for, and which file was found where, for
 * occ_include_files_unchanged(). False when out of memory.
 */
bool occ_include_files_view_looks(struct occ_include_files_view *view,
				  struct occ_buffer *ret_looks);

/*
 * Would every look find the same again: the same files, not written since,
 * at the same places, and nothing where there was nothing? Opens the files,
 * for they must be readable still, but reads only those whose times weren't
 * certain to tell.
 */
bool occ_include_files_unchanged(const struct occ_buffer *looks);

/*
 * May another process, at another time, rely on occ_include_files_unchanged()
 * of these looks? Not if there is a file whose times were certain to tell when
 * it was read and aren't by its path (occ_file_times_tell()). Others are
 * compared by what is in them, and of some only the presence counts.
 */
bool occ_include_files_lasts(const struct occ_buffer *looks);

/*
 * Are there files that are compared by what is in them, and could all of them
 * be told by their times by now? Then looking for them anew saves reading them
 * from then on.
 */
bool occ_include_files_matured(const struct occ_buffer *looks);

/*
 * A digest of which file was found at each path, by device, inode, size and
 * times. Two equal ones, one before and one after a compile, mean that nothing
 * was written in between, not even the same bytes.
 */
void occ_include_files_view_stamp(struct occ_include_files_view *view,
				  struct occ_digest *ret_stamp);

/* Forgets what was read, but for what views have in use. */
void occ_include_files_clear(void);

/* In a child of fork(), before other calls of this module. */
void occ_include_files_forked(void);

#endif
