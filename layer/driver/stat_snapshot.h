/* SPDX-License-Identifier: MIT */
/*
 * What was looked at in the file system, so that it can be told later, or by
 * another process, that looking again would find the same: of every path which
 * file is there, by device, inode, size, mtime and ctime, or that none is. A
 * directory that was listed is a file like others, for its times change when a
 * name in it comes or goes.
 *
 * A file or directory so young that it could change again within the
 * granularity of the clock makes a snapshot uncertain.
 *
 * Calling sequence: start from OCC_STAT_SNAPSHOT_INIT; note each path *before*
 * it is read; occ_stat_snapshot_finish(); occ_stat_snapshot_release(). One
 * thread at a time.
 */
#ifndef OCC_LAYER_DRIVER_STAT_SNAPSHOT_H
#define OCC_LAYER_DRIVER_STAT_SNAPSHOT_H

#include <stdbool.h>

#include "hash/buffer.h"
#include "hash/digest.h"

struct occ_stat_snapshot {
	struct occ_buffer paths; /* each with its NUL */
	struct occ_buffer found; /* what was there, in this order */
	bool uncertain;
};

#define OCC_STAT_SNAPSHOT_INIT                                                 \
	{                                                                      \
		OCC_BUFFER_INIT, OCC_BUFFER_INIT, false                        \
	}

void occ_stat_snapshot_release(struct occ_stat_snapshot *snapshot);

/* Notes a path, absolute or of this process alone. Follows links. */
void occ_stat_snapshot_note(struct occ_stat_snapshot *snapshot,
			    const char *path);

/*
 * The digest of all that was found. False when it is uncertain, or out of
 * memory.
 */
bool occ_stat_snapshot_finish(const struct occ_stat_snapshot *snapshot,
			      struct occ_digest *ret_digest);

/*
 * Is all at these `paths` as it was when the digest was made, and nothing
 * written since this process began? Then appends those that are files, and not
 * directories, to `files`.
 */
bool occ_stat_snapshot_holds(const char *paths, size_t size,
			     const struct occ_digest *digest,
			     struct occ_buffer *files);

/* Paths, to be freed with occ_matches_release(). */
struct occ_matches {
	char **paths;
	size_t count;
	bool failed;
};

/*
 * Finds what matches the pattern, each part of it as fnmatch(3) has it, in a
 * directory ("" for an absolute pattern), and notes where it was looked for. In
 * any order.
 */
void occ_stat_snapshot_match(struct occ_stat_snapshot *snapshot,
			     const char *directory, const char *pattern,
			     struct occ_matches *ret_matches);
void occ_matches_release(struct occ_matches *matches);

#endif
