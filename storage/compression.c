/* SPDX-License-Identifier: MIT */
#include "storage/compression.h"

#include <string.h>

#include "cache/compression.h"

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

bool occ_frame_is_one(struct occ_span value)
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
	if (ret_frame->size >= value.size && !occ_frame_is_one(value))
		return value;
	return occ_buffer_span(ret_frame);
}

bool occ_frame_size(struct occ_span frame, uint64_t *ret_size)
{
	if (frame.size < OCC_FRAME_HEADER_SIZE || !occ_frame_is_one(frame))
		return false;
	*ret_size = occ_get_u64(frame.data + sizeof(frame_magic));
	return true;
}
