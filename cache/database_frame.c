/* SPDX-License-Identifier: MIT */
#include "cache/database_frame.h"

#include <string.h>

/* As that of entries (cache/entry_format.h), with D. */
static const unsigned char file_magic[8] = {0x8f, 'O',	'C',  'D',
					    '\r', '\n', 0x1a, '\n'};
static const unsigned char frame_magic[4] = {0x8f, 'O', 'F', 'R'};

/* What is under a frame's check. */
#define CHECKED 56

/* Where in the head of the file; both the same. */
#define END	16
#define END_TOO 24

void occ_database_head_put(uint64_t end,
			   unsigned char ret_bytes[OCC_DATABASE_HEAD_SIZE])
{
	memset(ret_bytes, 0, OCC_DATABASE_HEAD_SIZE);
	memcpy(ret_bytes, file_magic, sizeof(file_magic));
	occ_put_u32(ret_bytes + 8, OCC_DATABASE_VERSION);
	occ_put_u64(ret_bytes + END, end);
	occ_put_u64(ret_bytes + END_TOO, end);
}

int occ_database_head_parse(const unsigned char bytes[OCC_DATABASE_HEAD_SIZE],
			    uint64_t *ret_end)
{
	uint64_t end = occ_get_u64(bytes + END);

	if (memcmp(bytes, file_magic, sizeof(file_magic)) != 0)
		return OCC_E_CORRUPT;
	if (occ_get_u32(bytes + 8) != OCC_DATABASE_VERSION)
		return OCC_E_VERSION;
	*ret_end = end == occ_get_u64(bytes + END_TOO) &&
				   end >= OCC_DATABASE_HEAD_SIZE &&
				   !(end % OCC_FRAME_ALIGNMENT)
			   ? end
			   : 0;
	return OCC_OK;
}

static void check(const unsigned char *bytes, unsigned char ret_check[8])
{
	struct occ_digest digest;

	occ_digest(bytes, CHECKED, OCC_SEED_CHECKSUM, &digest);
	memcpy(ret_check, digest.bytes, 8);
}

void occ_frame_head_put(const struct occ_frame_head *head,
			unsigned char ret_bytes[OCC_FRAME_HEAD_SIZE])
{
	memcpy(ret_bytes, frame_magic, sizeof(frame_magic));
	occ_put_u32(ret_bytes + 4, head->type);
	occ_put_u64(ret_bytes + 8, head->length);
	occ_put_u64(ret_bytes + 16, head->size);
	occ_put_u32(ret_bytes + 24, head->encoding);
	occ_put_u32(ret_bytes + 28, 0);
	memcpy(ret_bytes + 32, head->name.bytes, OCC_DIGEST_SIZE);
	occ_put_u64(ret_bytes + 48, head->base);
	check(ret_bytes, ret_bytes + CHECKED);
}

bool occ_frame_head_parse(const unsigned char bytes[OCC_FRAME_HEAD_SIZE],
			  struct occ_frame_head *ret_head)
{
	unsigned char wanted[8];

	if (memcmp(bytes, frame_magic, sizeof(frame_magic)) != 0)
		return false;
	check(bytes, wanted);
	if (memcmp(bytes + CHECKED, wanted, sizeof(wanted)) != 0)
		return false;
	ret_head->type = occ_get_u32(bytes + 4);
	ret_head->length = occ_get_u64(bytes + 8);
	ret_head->size = occ_get_u64(bytes + 16);
	ret_head->encoding = occ_get_u32(bytes + 24);
	memcpy(ret_head->name.bytes, bytes + 32, OCC_DIGEST_SIZE);
	ret_head->base = occ_get_u64(bytes + 48);
	return ret_head->size <= OCC_DATABASE_FRAME_MAX &&
	       ret_head->length <= OCC_DATABASE_FRAME_MAX &&
	       ret_head->encoding <= OCC_ENCODED_DIFFERENCE &&
	       (ret_head->encoding != OCC_ENCODED_PLAIN ||
		ret_head->length == ret_head->size);
}

uint64_t occ_frame_stored(uint64_t length)
{
	return (OCC_FRAME_HEAD_SIZE + length + OCC_FRAME_ALIGNMENT - 1) &
	       ~(uint64_t)(OCC_FRAME_ALIGNMENT - 1);
}
