/* SPDX-License-Identifier: MIT */
/*
 * Which build options are safe to cache under: those that neither name a file
 * that the compiler would read beyond #include, nor ask for files to be
 * written, nor put paths into the binary.
 *
 * The table has the options of the OpenCL specification (section 5.8.6) and
 * of the drivers known to doc/drivers.md; anything else is unsafe, because
 * what isn't understood could name a file. Drivers split options at blanks and
 * differ about quotes, so every blank-separated word is judged by itself; -I
 * and its relatives are safe because a source that includes anything is judged
 * elsewhere (hash/source.h, hash/embedded.h).
 */
#ifndef OCC_HASH_OPTION_H
#define OCC_HASH_OPTION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks at every option. Returns NULL when all are safe; else the first word
 * that isn't, and its length in *ret_length. NULL options are safe.
 */
const char *occ_option_unsafe(const char *options, size_t *ret_length);

/*
 * Calls `visit` with every folder that safe options add to those in which
 * includes are searched, until it returns false. Returns false when it did, and
 * when quotes, backslashes or odd names make drivers see other folders.
 */
typedef bool (*occ_option_visit)(const char *folder, size_t length, void *data);
bool occ_option_folders(const char *options, occ_option_visit visit,
			void *data);

#endif
