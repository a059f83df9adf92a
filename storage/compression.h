/* SPDX-License-Identifier: MIT */
/*
 * Values on their way to the server and back: entries of ours are compressed by
 * zstd, all others, such as ccache's, are as they were, byte for byte.
 *
 * A frame: 8 bytes magic, u64 the value's size (little-endian), and zstd's
 * bytes. A value that looks like one is put into another one, so that what is
 * got is always what was put. What undoes it is storage/inflow.h.
 *
 * Threads: any; no state.
 */
#ifndef OCC_STORAGE_COMPRESSION_H
#define OCC_STORAGE_COMPRESSION_H

#include "cache/entry.h"
#include "hash/buffer.h"

#define OCC_FRAME_HEADER_SIZE 16

/* A frame may be somewhat longer than what is in it. */
#define OCC_FRAME_SIZE_MAX    (OCC_ENTRY_SIZE_MAX + (1 << 20))

/*
 * What is to be sent for `value`: a frame in *ret_frame (which is the caller's
 * to release), or the value itself where it is none of ours, doesn't become
 * smaller, or there is no memory.
 */
struct occ_span occ_frame_pack(struct occ_span value,
			       struct occ_buffer *ret_frame);

/* Is it, or its beginning, a frame? */
bool occ_frame_is_one(struct occ_span bytes);

/* True: a frame with its header, and the size of what is in it, any number. */
bool occ_frame_size(struct occ_span frame, uint64_t *ret_size);

#endif
