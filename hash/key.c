/* SPDX-License-Identifier: MIT */
#include "hash/key.h"

#include <stdlib.h>
#include <string.h>

#ifdef OCC_TEST_KEY
#include "hash/testing.h"
static const bool testing = true;
#else
static const bool testing = false;
#endif

/* Source or IL, options, and the embedded headers of a compilation. */
#define FIRST_TEXTS 8

void occ_key_init(struct occ_key *key)
{
	memset(key, 0, sizeof(*key));
	key->state = occ_digest_new(OCC_SEED_NAME);
	key->failed = !key->state;
}

static bool add_text(struct occ_key *key, struct occ_key_text text)
{
	size_t capacity =
		key->text_capacity ? key->text_capacity * 2 : FIRST_TEXTS;
	struct occ_key_text *texts;

	if (key->text_count == key->text_capacity) {
		texts = realloc(key->texts, capacity * sizeof(*texts));
		if (!texts)
			return false;
		key->texts = texts;
		key->text_capacity = capacity;
	}
	key->texts[key->text_count++] = text;
	return true;
}

/* Takes it into the key's hash, too. */
static void store_digest(struct occ_key *key, enum occ_key_field id,
			 const void *data, size_t size)
{
	unsigned char header[OCC_FIELD_HEADER_SIZE];
	struct occ_digest digest;

	if (!add_text(key, (struct occ_key_text){(uint16_t)id, data, size})) {
		key->failed = true;
		return;
	}
	occ_field_header(header, (uint16_t)id, OCC_FIELD_DIGEST, size);
	occ_digest_update_both(key->state, data, size, OCC_SEED_FIELD, &digest);
	occ_buffer_append(&key->stored, header, sizeof(header));
	occ_buffer_append(&key->stored, digest.bytes, sizeof(digest.bytes));
}

void occ_key_add(struct occ_key *key, enum occ_key_field id, const void *data,
		 size_t size)
{
	unsigned char header[OCC_FIELD_HEADER_SIZE];

#ifdef OCC_TEST_KEY
	if (occ_testing_field(id, &data, &size))
		return;
#endif
	occ_field_header(header, (uint16_t)id, OCC_FIELD_BYTES, size);
	occ_digest_update(key->state, header, sizeof(header));
	if (size > OCC_KEY_INLINE_MAX) {
		store_digest(key, id, data, size);
		return;
	}
	occ_digest_update(key->state, data, size);
	occ_field_append(&key->stored, (uint16_t)id, data, size);
}

void occ_key_add_fields(struct occ_key *key, const struct occ_buffer *fields)
{
	struct occ_field field;
	size_t offset = 0, from = 0;

	for (; occ_field_next(fields->data, fields->size, &offset, &field) == 1;
	     from = offset) {
		const unsigned char *start = fields->data + from;

		/* Of tests, fields may be left out, or changed. */
		if (testing || field.length > OCC_KEY_INLINE_MAX) {
			occ_key_add(key, (enum occ_key_field)field.id,
				    field.payload, (size_t)field.length);
			continue;
		}
		/* (K1) Without the padding, which is only stored. */
		occ_digest_update(key->state, start,
				  OCC_FIELD_HEADER_SIZE + (size_t)field.length);
		occ_buffer_append(&key->stored, start, offset - from);
	}
}

void occ_key_add_string(struct occ_key *key, enum occ_key_field id,
			const char *string)
{
	occ_key_add(key, id, string, string ? strlen(string) : 0);
}

void occ_key_add_input(struct occ_key *key, const struct occ_key *input)
{
	unsigned char bytes[OCC_KEY_INPUT_SIZE];
	struct occ_digest digest;

	occ_digest(input->stored.data, input->stored.size, OCC_SEED_FIELD,
		   &digest);
	memcpy(bytes, input->hash.bytes, OCC_DIGEST_SIZE);
	memcpy(bytes + OCC_DIGEST_SIZE, digest.bytes, OCC_DIGEST_SIZE);
	occ_key_add(key, OCC_KEY_LINK_INPUT, bytes, sizeof(bytes));
}

void occ_key_add_binary(struct occ_key *key, const void *data, size_t size)
{
	unsigned char bytes[OCC_KEY_BINARY_SIZE];
	struct occ_digest content, field;

	occ_digest(data, size, OCC_SEED_CONTENT, &content);
	occ_digest(data, size, OCC_SEED_FIELD, &field);
	occ_put_u32(bytes, OCC_KEY_BINARY_TAG);
	occ_put_u64(bytes + 4, size);
	memcpy(bytes + 12, content.bytes, OCC_DIGEST_SIZE);
	memcpy(bytes + 28, field.bytes, OCC_DIGEST_SIZE);
	occ_key_add(key, OCC_KEY_LINK_INPUT, bytes, sizeof(bytes));
}

int occ_key_finish(struct occ_key *key)
{
	occ_digest_finish(key->state, &key->hash);
	key->state = NULL;
#ifdef OCC_TEST_KEY
	occ_testing_hash(&key->hash);
#endif
	return key->failed || key->stored.failed ? -1 : 0;
}

void occ_key_release(struct occ_key *key)
{
	struct occ_digest unused;

	occ_digest_finish(key->state, &unused);
	occ_buffer_release(&key->stored);
	free(key->texts);
	memset(key, 0, sizeof(*key));
}

const char *occ_key_field_name(uint16_t id)
{
	switch ((enum occ_key_field)id) {
	case OCC_KEY_VERSION:
		return "key version";
	case OCC_KEY_OPERATION:
		return "operation";
	case OCC_KEY_SOURCE:
		return "source";
	case OCC_KEY_SOURCE_LENGTHS:
		return "source string lengths";
	case OCC_KEY_IL:
		return "IL";
	case OCC_KEY_OPTIONS:
		return "build options";
	case OCC_KEY_SPEC_CONSTANTS:
		return "specialization constants";
	case OCC_KEY_HEADER_NAME:
		return "header name";
	case OCC_KEY_HEADER_SOURCE:
		return "header source";
	case OCC_KEY_HEADER_LENGTHS:
		return "header string lengths";
	case OCC_KEY_LINK_INPUT:
		return "link input";
	case OCC_KEY_INCLUDE_FILE:
		return "included file";
	case OCC_KEY_INCLUDE_PRESENT:
		return "present file";
	case OCC_KEY_PLATFORM_NAME:
		return "platform name";
	case OCC_KEY_PLATFORM_VENDOR:
		return "platform vendor";
	case OCC_KEY_PLATFORM_VERSION:
		return "platform version";
	case OCC_KEY_DEVICE_NAME:
		return "device name";
	case OCC_KEY_DEVICE_VENDOR:
		return "device vendor";
	case OCC_KEY_DEVICE_VERSION:
		return "device version";
	case OCC_KEY_DRIVER_VERSION:
		return "driver version";
	case OCC_KEY_OPENCL_C_VERSION:
		return "OpenCL C version";
	case OCC_KEY_DEVICE_NUMBERS:
		return "device numbers";
	case OCC_KEY_DEVICE_EXTENSIONS:
		return "device extensions";
	case OCC_KEY_DRIVER_IDENTITY:
		return "driver identity";
	case OCC_KEY_HOST_CPU:
		return "host CPU";
	case OCC_KEY_ENVIRONMENT:
		return "environment";
	case OCC_KEY_EXECUTABLE:
		return "executable";
	}
	return "unknown";
}
