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
 * elsewhere (hash/source.h).
 */
#ifndef OCC_HASH_OPTION_H
#define OCC_HASH_OPTION_H

#include <stddef.h>

/*
 * Looks at every option. Returns NULL when all are safe; else the first word
 * that isn't, and its length in *ret_length. NULL options are safe.
 */
const char *occ_option_unsafe(const char *options, size_t *ret_length);

#endif
