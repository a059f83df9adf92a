/* SPDX-License-Identifier: MIT */
/*
 * What the small files of a store begin with: magic, version and a checksum of
 * all that follows, which are fields (hash/buffer.h). doc/format.md has it byte
 * by byte. Entries have a header of their own (cache/entry.h).
 *
 * Calling sequence: occ_envelope_begin(), append the fields,
 * occ_envelope_finish(); and occ_envelope_open().
 *
 * Threads: no state.
 */
#ifndef OCC_CACHE_ENVELOPE_H
#define OCC_CACHE_ENVELOPE_H

#include "cache/entry.h"

#define OCC_ENVELOPE_MAGIC_SIZE 8

/* A kind of file: as the entries' magic, with another text. */
struct occ_envelope {
	unsigned char magic[OCC_ENVELOPE_MAGIC_SIZE];
	uint32_t version;
};

/* Makes room in an empty buffer. */
void occ_envelope_begin(struct occ_buffer *file);

/* Fills it in; nothing when the buffer has failed. */
void occ_envelope_finish(const struct occ_envelope *envelope,
			 struct occ_buffer *file);

/* The fields; false, and none, when the file is bad in any way. */
bool occ_envelope_open(const struct occ_envelope *envelope,
		       struct occ_span file, struct occ_span *ret_fields);

#endif
