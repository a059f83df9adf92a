/* SPDX-License-Identifier: MIT */
/*
 * Are the headers that the application gives to clCompileProgram all that a
 * compilation includes?
 *
 * They are when every #include of the main source and of all headers has the
 * name of one of them, as written or, between quotes, within the folder of the
 * header that has the #include, and no file that the compiler may find takes
 * its place. Compilers look for files relative to the current directory, to the
 * folder of the header that has the #include, and to the folders of -I and its
 * relatives (hash/option.h); every such path of every include is asked for,
 * because drivers differ in what they find first (doc/drivers.md). Folders that
 * a driver takes from the environment, and its own, are the caller's to know.
 *
 * Threads: no state; any thread at any time.
 */
#ifndef OCC_HASH_EMBEDDED_H
#define OCC_HASH_EMBEDDED_H

#include "hash/option.h"
#include "hash/source.h"

struct occ_embedded {
	const char *name; /* as given to clCompileProgram */
	struct occ_source_text source;
};

/*
 * Whether there is no file of that path, be it relative to the current
 * directory. Not called before all texts have been found good.
 */
typedef bool (*occ_embedded_absent)(const char *path, void *data);

/*
 * OCC_SOURCE_PLAIN: `source`, the main one, and the headers are all that is
 * read. OCC_SOURCE_INCLUDES also for names that are empty, absolute, have a
 * ".." or are longer than OCC_SOURCE_NAME_MAX, for a path that isn't absent,
 * and for more paths than are worth asking for. OCC_SOURCE_UNCERTAIN also when
 * memory ran out.
 */
enum occ_source_kind occ_embedded_scan(const struct occ_source_text *source,
				       const struct occ_embedded *headers,
				       size_t count, const char *options,
				       enum occ_option_driver driver,
				       occ_embedded_absent absent, void *data);

#endif
