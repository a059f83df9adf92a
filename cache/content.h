/* SPDX-License-Identifier: MIT */
/*
 * The contents of files that sources include, read and scanned once per
 * process: the way from hash/closure.h to the file system.
 *
 * Contents count, never times alone. What was read is remembered by device,
 * inode, size, mtime and ctime, and only when both times are older than any
 * file system's clock is coarse: a file that was just written may be written
 * again within the same tick. Memory is bounded; what is in use stays.
 *
 * Calling sequence: a view for each closure:
 *
 *	view = occ_content_view_open();
 *	request.look = occ_content_look;
 *	request.look_data = view;
 *	occ_closure_make(&request, &closure);
 *	occ_content_view_stamp(view, &stamp);
 *	occ_content_view_close(view);
 *
 * Threads: a view belongs to one thread; what is remembered is shared, and
 * nobody waits for it: whoever finds it busy reads the file himself.
 */
#ifndef OCC_CACHE_CONTENT_H
#define OCC_CACHE_CONTENT_H

#include "hash/closure.h"

/* Larger files aren't taken for headers. */
#define OCC_CONTENT_SIZE_MAX   (UINT64_C(64) << 20)

/* What is remembered beyond this is let go. */
#define OCC_CONTENT_MEMORY_MAX (UINT64_C(64) << 20)

struct occ_content_view;

/* NULL: out of memory. */
struct occ_content_view *occ_content_view_open(void);
void occ_content_view_close(struct occ_content_view *view); /* NULL: nothing */

/*
 * An occ_closure_look for a view. Follows symbolic links as compilers do.
 * Folders are absent files; FIFOs, devices and what can't be read are unknown.
 */
enum occ_closure_found occ_content_look(const char *path, bool contents,
					struct occ_closure_file *ret_file,
					void *view);

/*
 * Everything that was looked for, and which file was found where, for
 * occ_content_unchanged(). False when that can't tell: a file is so young that
 * it may change within its times, or out of memory.
 */
bool occ_content_view_looks(struct occ_content_view *view,
			    struct occ_buffer *ret_looks);

/*
 * Would every look find the same again: the same files, not written since,
 * at the same places, and nothing where there was nothing? Opens the files,
 * for they must be readable still, but doesn't read them.
 */
bool occ_content_unchanged(const struct occ_buffer *looks);

/*
 * May another process, at another time, rely on occ_content_unchanged() of
 * these looks? Only if every file's times tell (occ_file_times_tell()).
 */
bool occ_content_lasts(const struct occ_buffer *looks);

/*
 * A digest of which file was found at each path, by device, inode, size and
 * times. Two equal ones, one before and one after a compile, mean that nothing
 * was written in between, not even the same bytes.
 */
void occ_content_view_stamp(struct occ_content_view *view,
			    struct occ_digest *ret_stamp);

#endif
