/* SPDX-License-Identifier: MIT */
/*
 * The list in an archive of entries: doc/format.md has it. It says what ought
 * to be there; that what is there is good, the entries say themselves. What
 * included files had comes last.
 *
 *	oclcache-manifest 1
 *	<name> <size> <digest>
 */
#ifndef OCC_CLI_MANIFEST_H
#define OCC_CLI_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/name.h"
#include "hash/buffer.h"
#include "hash/digest.h"

#define OCC_MANIFEST_NAME "oclcache-manifest.txt"

void occ_manifest_begin(struct occ_buffer *manifest);
void occ_manifest_add(struct occ_buffer *manifest, const char *name,
		      uint64_t size, const struct occ_digest *digest);

/*
 * The next name, and its size; starts with *offset 0. False: there are no more,
 * or it isn't understood.
 */
bool occ_manifest_next(const struct occ_buffer *manifest, size_t *offset,
		       char ret_name[OCC_NAME_SIZE], uint64_t *ret_size);

/* How many it names that aren't among `came`, names with a NUL after each. */
size_t occ_manifest_missing(const struct occ_buffer *manifest,
			    const struct occ_buffer *came);

/* How many it names. */
size_t occ_manifest_count(const struct occ_buffer *manifest);

/* The sizes of all, as it says; stops at 2^64-1. */
uint64_t occ_manifest_total(const struct occ_buffer *manifest);

#endif
