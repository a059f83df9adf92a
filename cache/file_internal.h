/* SPDX-License-Identifier: MIT */
/* What the sources of cache/file.h have in common. For cache/file*.c alone. */
#ifndef OCC_CACHE_FILE_INTERNAL_H
#define OCC_CACHE_FILE_INTERNAL_H

#include "cache/file.h"

#define OCC_FILE_NS_PER_S UINT64_C(1000000000)

/*
 * Is a call that failed to be made again, for a signal interrupted it? (S11)
 * Not for ever: a timer's signals may come faster than a slow file system
 * answers. `tries` starts as 0.
 */
bool occ_file_again(int *tries);

/* A small file of the kernel's: its bytes, or -1. */
ssize_t occ_file_read_kernel(const char *path, char *ret_text, size_t size);

#endif
