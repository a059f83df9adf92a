/* SPDX-License-Identifier: MIT */
#include "cache/database_record.h"

#include <string.h>

#include "hash/key.h"

int occ_database_add_content(struct occ_database *database,
			     struct occ_span bytes, uint16_t id,
			     struct occ_buffer *record)
{
	unsigned char payload[OCC_CONTENT_SIZE];
	struct occ_digest name;
	int error = occ_database_add(database, OCC_FRAME_CONTENT, bytes, &name);

	if (error)
		return error;
	memcpy(payload, name.bytes, OCC_DIGEST_SIZE);
	occ_put_u64(payload + OCC_DIGEST_SIZE, bytes.size);
	occ_field_append(record, id, payload, sizeof(payload));
	return record->failed ? OCC_E_MEMORY : OCC_OK;
}

bool occ_content_parse(const struct occ_field *field,
		       struct occ_content *ret_content)
{
	if (field->kind != OCC_FIELD_BYTES || field->length != OCC_CONTENT_SIZE)
		return false;
	memcpy(ret_content->name.bytes, field->payload, OCC_DIGEST_SIZE);
	ret_content->size = occ_get_u64(field->payload + OCC_DIGEST_SIZE);
	return true;
}

bool occ_recorded_file_parse(struct occ_span payload,
			     struct occ_recorded_file *ret_file)
{
	if (payload.size < OCC_KEY_FILE_HEAD)
		return false;
	ret_file->size = occ_get_u64(payload.data);
	memcpy(ret_file->name.bytes, payload.data + 8, OCC_DIGEST_SIZE);
	memcpy(ret_file->other.bytes, payload.data + 8 + OCC_DIGEST_SIZE,
	       OCC_DIGEST_SIZE);
	ret_file->path.data = payload.data + OCC_KEY_FILE_HEAD;
	ret_file->path.size = payload.size - OCC_KEY_FILE_HEAD;
	return true;
}

void occ_record_append_number(struct occ_buffer *record, uint16_t id,
			      uint64_t number)
{
	unsigned char payload[8];

	occ_put_u64(payload, number);
	occ_field_append(record, id, payload, sizeof(payload));
}
