/* SPDX-License-Identifier: MIT */
/*
 * Bytes made smaller, by zstd (RFC 8878), which is linked in statically. `base`
 * is what both sides have: bytes that are alike, of which only the differences
 * are then kept; without data there is none.
 *
 * Threads: no state; any thread at any time. Takes megabytes of memory for
 * itself, and some 10 ms a megabyte of text.
 */
#ifndef OCC_CACHE_COMPRESSION_H
#define OCC_CACHE_COMPRESSION_H

#include "hash/buffer.h"

/* Appends the compressed bytes. False when out of memory. */
bool occ_compress(struct occ_span bytes, struct occ_span base,
		  struct occ_buffer *ret_compressed);

/*
 * Appends what was compressed with the same base: exactly `size` bytes. False,
 * and nothing, when it isn't that; when out of memory the buffer is failed.
 */
bool occ_decompress(struct occ_span compressed, struct occ_span base,
		    size_t size, struct occ_buffer *ret_bytes);

#endif
