/* SPDX-License-Identifier: MIT */
/*
 * A small file of the user's that is there whole or not at all: it is written
 * beside its place, to the disk, and then given its name. Directories that are
 * missing, two at most, are made for the user alone. New files can be read by
 * nobody else.
 *
 * 0, or -1 with errno; nothing is left behind then.
 */
#ifndef OCC_CLI_REPLACE_FILE_H
#define OCC_CLI_REPLACE_FILE_H

#include <stddef.h>

/* Fails with EEXIST when it is there. */
int occ_replace_file_new(const char *path, const void *data, size_t size);

/* What is there goes; of a link what it leads to. Its mode stays. */
int occ_replace_file(const char *path, const void *data, size_t size);

#endif
