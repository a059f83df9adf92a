/* SPDX-License-Identifier: MIT */
#include "cache/compression.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/* zstd's own default: of sources higher ones gain little (doc/measured.md). */
#define LEVEL 3

/* Room for so many bytes behind those that are there; NULL: there is none. */
static unsigned char *make_room(struct occ_buffer *buffer, size_t size)
{
	unsigned char *data;

	if (buffer->failed || size > SIZE_MAX - buffer->size - 1)
		return NULL;
	if (!buffer->data || buffer->capacity - buffer->size < size) {
		data = realloc(buffer->data, buffer->size + size + 1);
		if (!data)
			return NULL;
		buffer->data = data;
		buffer->capacity = buffer->size + size + 1;
	}
	return buffer->data + buffer->size;
}

bool occ_compress(struct occ_span bytes, struct occ_span base,
		  struct occ_buffer *ret_compressed)
{
	size_t bound = ZSTD_compressBound(bytes.size), size;
	unsigned char *room = make_room(ret_compressed, bound);
	ZSTD_CCtx *context = ZSTD_createCCtx();
	bool good = room && context;

	if (good) {
		ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
		size = base.size ? ZSTD_CCtx_refPrefix(context, base.data,
						       base.size)
				 : 0;
		if (!ZSTD_isError(size))
			size = ZSTD_compress2(context, room, bound, bytes.data,
					      bytes.size);
		good = !ZSTD_isError(size);
		ret_compressed->size += good ? size : 0;
	}
	ZSTD_freeCCtx(context);
	if (!good)
		ret_compressed->failed = true;
	return good;
}

bool occ_decompress(struct occ_span compressed, struct occ_span base,
		    size_t size, struct occ_buffer *ret_bytes)
{
	unsigned char *room = make_room(ret_bytes, size);
	ZSTD_DCtx *context = ZSTD_createDCtx();
	bool had_memory = room && context, good = had_memory;
	size_t done = 0;

	if (good && base.size)
		done = ZSTD_DCtx_refPrefix(context, base.data, base.size);
	if (good && !ZSTD_isError(done))
		done = ZSTD_decompressDCtx(context, room, size, compressed.data,
					   compressed.size);
	if (ZSTD_getErrorCode(done) == ZSTD_error_memory_allocation)
		had_memory = false;
	good = had_memory && done == size;
	ret_bytes->size += good ? size : 0;
	ZSTD_freeDCtx(context);
	if (!had_memory)
		ret_bytes->failed = true;
	return good;
}
