/* SPDX-License-Identifier: MIT */
/*
 * What the small files of a store begin with: magic, version and a checksum of
 * all that follows, which are fields (hash/buffer.h). doc/format.md has it byte
 * by byte. Entries have a header of their own (cache/entry.h).
 *
 * Calling sequence: occ_file_header_begin(), append the fields,
 * occ_file_header_finish(); and occ_file_header_open().
 *
 * Threads: no state.
 */
#ifndef OCC_CACHE_FILE_HEADER_H
#define OCC_CACHE_FILE_HEADER_H

#include "cache/entry.h"

#define OCC_FILE_HEADER_MAGIC_SIZE 8

/* A kind of file: as the entries' magic, with another text. */
struct occ_file_header {
	unsigned char magic[OCC_FILE_HEADER_MAGIC_SIZE];
	uint32_t version;
};

/* Makes room in an empty buffer. */
void occ_file_header_begin(struct occ_buffer *file);

/* Fills it in; nothing when the buffer has failed. */
void occ_file_header_finish(const struct occ_file_header *envelope,
			    struct occ_buffer *file);

/* The fields; false, and none, when the file is bad in any way. */
bool occ_file_header_open(const struct occ_file_header *envelope,
			  struct occ_span file, struct occ_span *ret_fields);

#endif
