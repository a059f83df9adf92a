/* SPDX-License-Identifier: MIT */
#include "storage/compression.h"

#include <string.h>

#include "cache/compression.h"
#include "cache/entry.h"

/* As all magic numbers here, which differ in the fourth byte. */
static const unsigned char frame_magic[8] = {0x8f, 'O',	 'C',  'Z',
					     '\r', '\n', 0x1a, '\n'};
#define KIND_AT 3

static const struct occ_span no_base = {NULL, 0};

static bool is_ours(struct occ_span value)
{
	return value.size >= sizeof(frame_magic) &&
	       !memcmp(value.data, frame_magic, KIND_AT) &&
	       !memcmp(value.data + KIND_AT + 1, frame_magic + KIND_AT + 1,
		       sizeof(frame_magic) - KIND_AT - 1);
}

static bool is_frame(struct occ_span value)
{
	return value.size >= sizeof(frame_magic) &&
	       !memcmp(value.data, frame_magic, sizeof(frame_magic));
}

struct occ_span occ_frame_pack(struct occ_span value,
			       struct occ_buffer *ret_frame)
{
	unsigned char size[8];

	if (!is_ours(value))
		return value;
	occ_put_u64(size, value.size);
	occ_buffer_append(ret_frame, frame_magic, sizeof(frame_magic));
	occ_buffer_append(ret_frame, size, sizeof(size));
	if (!occ_compress(value, no_base, ret_frame) || ret_frame->failed)
		return value;
	if (ret_frame->size >= value.size && !is_frame(value))
		return value;
	return occ_buffer_span(ret_frame);
}

bool occ_frame_unpack(struct occ_buffer *value)
{
	struct occ_buffer unpacked = OCC_BUFFER_INIT;
	struct occ_span frame = occ_buffer_span(value);
	uint64_t size;
	bool good;

	if (!is_frame(frame))
		return true;
	if (frame.size < OCC_FRAME_HEADER_SIZE)
		return false;
	size = occ_get_u64(frame.data + sizeof(frame_magic));
	if (size > OCC_ENTRY_SIZE_MAX)
		return false;
	frame.data += OCC_FRAME_HEADER_SIZE;
	frame.size -= OCC_FRAME_HEADER_SIZE;
	good = occ_decompress(frame, no_base, (size_t)size, &unpacked);
	if (!good) {
		occ_buffer_release(&unpacked);
		return false;
	}
	occ_buffer_release(value);
	*value = unpacked;
	return true;
}
