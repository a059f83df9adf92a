/* SPDX-License-Identifier: MIT */
#include "cache/file_header.h"

#include <string.h>

#define AT_VERSION  8
#define AT_ZERO	    12
#define AT_CHECKSUM 16
#define HEADER_SIZE 32

void occ_file_header_begin(struct occ_buffer *file)
{
	static const unsigned char zeros[HEADER_SIZE];

	occ_buffer_append(file, zeros, sizeof(zeros));
}

void occ_file_header_finish(const struct occ_file_header *envelope,
			    struct occ_buffer *file)
{
	struct occ_digest checksum;

	if (file->failed)
		return;
	occ_digest(file->data + HEADER_SIZE, file->size - HEADER_SIZE,
		   OCC_SEED_CHECKSUM, &checksum);
	memcpy(file->data, envelope->magic, sizeof(envelope->magic));
	occ_put_u32(file->data + AT_VERSION, envelope->version);
	memcpy(file->data + AT_CHECKSUM, checksum.bytes, OCC_DIGEST_SIZE);
}

bool occ_file_header_open(const struct occ_file_header *envelope,
			  struct occ_span file, struct occ_span *ret_fields)
{
	struct occ_digest checksum;

	*ret_fields = (struct occ_span){NULL, 0};
	if (file.size < HEADER_SIZE ||
	    memcmp(file.data, envelope->magic, sizeof(envelope->magic)) != 0 ||
	    occ_get_u32(file.data + AT_VERSION) != envelope->version ||
	    occ_get_u32(file.data + AT_ZERO))
		return false;
	occ_digest(file.data + HEADER_SIZE, file.size - HEADER_SIZE,
		   OCC_SEED_CHECKSUM, &checksum);
	if (memcmp(checksum.bytes, file.data + AT_CHECKSUM, OCC_DIGEST_SIZE) !=
	    0)
		return false;
	*ret_fields = (struct occ_span){file.data + HEADER_SIZE,
					file.size - HEADER_SIZE};
	return true;
}
