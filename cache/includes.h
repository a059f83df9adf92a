/* SPDX-License-Identifier: MIT */
/*
 * What a source includes, remembered across processes, in the store's
 * "<digest>.includes": the closure (hash/closure.h) that was found, and every
 * look at the file system that it was found by (cache/include_files.h). While
 * these looks would find the same, nothing of it needs to be read or scanned.
 *
 * Files whose times tell (occ_file_times_tell()) are relied on by their times,
 * as ccache's inode cache does, until the system is started again. Others are
 * read, and compared by two digests, in a tenth of the time that scanning them
 * takes. When they have grown old enough for their times to tell, what is
 * remembered counts as none, for once: the search that follows relies on the
 * times.
 *
 * The file is found by a digest of the question, which is all that the closure
 * follows from besides the files, and has the question in it, which is compared
 * in full. Losing one loses time; a bad one counts as none. doc/format.md has
 * it byte by byte.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_INCLUDES_H
#define OCC_CACHE_INCLUDES_H

#include "cache/store.h"
#include "hash/closure.h"

/* Larger ones aren't remembered. */
#define OCC_INCLUDES_SIZE_MAX ((size_t)1 << 20)

struct occ_includes {
	struct occ_closure closure;
	struct occ_digest stamp; /* occ_include_files_view_stamp() */
	struct occ_buffer looks; /* occ_include_files_view_looks() */
};

void occ_includes_release(struct occ_includes *includes);

/*
 * Finds what is remembered for the question, and looks whether it is still so.
 * False: there is nothing, or it isn't. Otherwise *ret_includes is the
 * caller's.
 */
bool occ_includes_recall(struct occ_store *store, struct occ_span question,
			 struct occ_includes *ret_includes);

/*
 * The bytes of the file that is to remember it; what they are made of is only
 * read. `ret_file->failed` when out of memory.
 */
void occ_includes_encode(struct occ_span question,
			 const struct occ_closure *closure,
			 const struct occ_digest *stamp,
			 const struct occ_buffer *looks,
			 struct occ_buffer *ret_file);

/*
 * Stores bytes that were made so, if that lasts (occ_include_files_lasts()),
 * and all is still as it was seen. OCC_OK also when it isn't, or the store has
 * the same.
 */
int occ_includes_remember(struct occ_store *store,
			  const struct occ_buffer *file);

/*
 * What is remembered for the question turned out to be wrong. OCC_OK also when
 * there is nothing.
 */
int occ_includes_forget(struct occ_store *store, struct occ_span question);

/* Are that the bytes of a whole and undamaged file? */
bool occ_includes_is_good(struct occ_span file);

/* Or of one that was forgotten? */
bool occ_includes_is_forgotten(struct occ_span file);

#endif
