/* SPDX-License-Identifier: MIT */
/*
 * Where the dynamic linker would find what an object loads by name only
 * (dlopen(3), "If filename does not contain a slash"): in directories of RPATH,
 * LD_LIBRARY_PATH and RUNPATH, in its cache, in the system's directories. What
 * LD_LIBRARY_PATH was when the process began counts, and only the dynamic
 * linker remembers that: it is asked (dlinfo(3), RTLD_DI_SERINFO).
 *
 * Calling sequence: occ_library_search_take(), occ_library_search_find() for
 * each pattern, occ_library_search_release(). One thread at a time, without the
 * layer's lock. Reads directories and files.
 */
#ifndef OCC_LAYER_DRIVER_LIBRARY_SEARCH_H
#define OCC_LAYER_DRIVER_LIBRARY_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "hash/buffer.h"
#include "layer/driver/stat_snapshot.h"

struct occ_library_search {
	/*
	 * Each with its NUL, in their order; from byte `system` on they are
	 * the system's, of which the answer doesn't say whether they come
	 * before the cache or behind it.
	 */
	struct occ_buffer directories;
	size_t system;
	/* One is relative, or it isn't known where is looked. */
	bool unclear;
};

#define OCC_LIBRARY_SEARCH_INIT                                                \
	{                                                                      \
		OCC_BUFFER_INIT, 0, false                                      \
	}

/*
 * Appends what decides which file a name leads to, for all objects of this
 * process: the directories that are searched, and the dynamic linker's cache.
 */
void occ_library_search_add_state(struct occ_buffer *bytes);

/*
 * For what the loaded object with this path loads; NULL: the program, whose
 * directories count for all.
 */
void occ_library_search_take(const char *path,
			     struct occ_library_search *ret_search);
void occ_library_search_release(struct occ_library_search *search);

/*
 * Appends to `paths`, each with its NUL, the file for each name that the
 * pattern (fnmatch(3)) has, in any order. False when it isn't certain which
 * file that is. The snapshot gets what was looked at.
 */
bool occ_library_search_find(const struct occ_library_search *search,
			     const char *pattern,
			     struct occ_stat_snapshot *snapshot,
			     struct occ_buffer *paths);

/*
 * Is there such a file, now, in one of the directories that are relative or
 * empty, which begin in the current directory?
 */
bool occ_library_search_is_here(const struct occ_library_search *search,
				const char *pattern);

#endif
