/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a database that aren't anybody's contents: the head of the file
 * and that of a frame. For cache/database.c alone; doc/format.md has them.
 *
 * Threads: no state.
 */
#ifndef OCC_CACHE_DATABASE_FRAME_H
#define OCC_CACHE_DATABASE_FRAME_H

#include "cache/database.h"

#define OCC_DATABASE_HEAD_SIZE 32
#define OCC_FRAME_HEAD_SIZE    64

/* Frames begin on multiples of it. */
#define OCC_FRAME_ALIGNMENT    8

enum occ_frame_encoding {
	OCC_ENCODED_PLAIN = 0,
	OCC_ENCODED_ZSTD = 1,
	OCC_ENCODED_DIFFERENCE = 2, /* by zstd, from another frame's bytes */
};

struct occ_frame_head {
	uint32_t type;
	uint32_t encoding;
	uint64_t length; /* bytes behind the head, without padding */
	uint64_t size;	 /* of these uncompressed */
	struct occ_digest name;
	uint64_t base; /* offset of the other frame; 0: none */
};

void occ_database_head_put(uint64_t end,
			   unsigned char ret_bytes[OCC_DATABASE_HEAD_SIZE]);

/*
 * OCC_OK, OCC_E_CORRUPT or OCC_E_VERSION. *ret_end is where the last whole
 * frame ends; 0: the head doesn't tell.
 */
int occ_database_head_parse(const unsigned char bytes[OCC_DATABASE_HEAD_SIZE],
			    uint64_t *ret_end);

void occ_frame_head_put(const struct occ_frame_head *head,
			unsigned char ret_bytes[OCC_FRAME_HEAD_SIZE]);

/* False: these bytes are none. */
bool occ_frame_head_parse(const unsigned char bytes[OCC_FRAME_HEAD_SIZE],
			  struct occ_frame_head *ret_head);

/* Bytes of the frame in the file, head and padding included. */
uint64_t occ_frame_stored(uint64_t length);

#endif
