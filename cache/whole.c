/* SPDX-License-Identifier: MIT */
#include "cache/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/name.h"

static int fault(struct occ_whole *whole, int error, const char *text)
{
	whole->fault = text;
	return error;
}

bool occ_whole_reserve(struct occ_whole *whole, size_t size)
{
	unsigned char *memory;

	if (size <= whole->capacity)
		return true;
	/* Nothing is to be copied for a new file. */
	if (!whole->size) {
		free(whole->memory);
		whole->memory = NULL;
		whole->capacity = 0;
	}
	memory = realloc(whole->memory, size);
	if (!memory)
		return false;
	whole->memory = memory;
	whole->capacity = size;
	return true;
}

void occ_whole_release(struct occ_whole *whole)
{
	free(whole->memory);
	*whole = (struct occ_whole)OCC_WHOLE_INIT;
}

/* The next field that is in the cold part. */
static bool next_text(const struct occ_whole *whole,
		      struct occ_whole_cursor *cursor,
		      const struct occ_field *field, struct occ_span *ret_bytes)
{
	struct occ_field text;

	if (occ_field_next(whole->texts.data, whole->texts.size, &cursor->texts,
			   &text) != 1 ||
	    text.kind != OCC_FIELD_BYTES || text.id != field->id ||
	    text.length != field->length)
		return false;
	*ret_bytes = (struct occ_span){text.payload, (size_t)text.length};
	return true;
}

int occ_whole_next(const struct occ_whole *whole,
		   struct occ_whole_cursor *cursor, uint16_t *ret_id,
		   struct occ_span *ret_bytes)
{
	struct occ_field field;
	int result =
		occ_field_next(whole->entry.key.data, whole->entry.key.size,
			       &cursor->key, &field);

	if (result != 1)
		return result;
	*ret_id = field.id;
	if (field.kind == OCC_FIELD_DIGEST)
		return next_text(whole, cursor, &field, ret_bytes) ? 1 : -1;
	*ret_bytes = (struct occ_span){field.payload, (size_t)field.length};
	return 1;
}

bool occ_whole_find(const struct occ_whole *whole, enum occ_key_field id,
		    struct occ_span *ret_bytes)
{
	struct occ_whole_cursor cursor = {0, 0};
	uint16_t found;

	while (occ_whole_next(whole, &cursor, &found, ret_bytes) == 1)
		if (found == id)
			return true;
	return false;
}

int occ_whole_key(const struct occ_whole *whole, struct occ_key *ret_key)
{
	struct occ_whole_cursor cursor = {0, 0};
	struct occ_span bytes;
	uint16_t id;
	int result;

	occ_key_init(ret_key);
	while ((result = occ_whole_next(whole, &cursor, &id, &bytes)) == 1)
		occ_key_add(ret_key, (enum occ_key_field)id, bytes.data,
			    bytes.size);
	if (occ_key_finish(ret_key))
		result = OCC_E_MEMORY;
	else if (result || ret_key->stored.size != whole->entry.key.size ||
		 memcmp(ret_key->stored.data, whole->entry.key.data,
			ret_key->stored.size) != 0 ||
		 memcmp(ret_key->hash.bytes, whole->entry.hash.bytes,
			OCC_DIGEST_SIZE) != 0)
		result = OCC_E_CORRUPT;
	if (result)
		occ_key_release(ret_key);
	return result;
}

static int verify_key(struct occ_whole *whole)
{
	struct occ_key key;
	int error = occ_whole_key(whole, &key);

	if (error == OCC_E_MEMORY)
		return fault(whole, error, "there is not enough memory");
	if (error)
		return fault(whole, error, "its hash is not that of its key");
	occ_key_release(&key);
	return OCC_OK;
}

/* What occ_entry_hot_size() refuses, in words. */
static int verify_head(struct occ_whole *whole, size_t *ret_hot_size)
{
	int error;

	if (!whole->size)
		return fault(whole, OCC_E_CORRUPT, "it is empty");
	if (whole->size < OCC_ENTRY_HEADER_SIZE)
		return fault(whole, OCC_E_CORRUPT, "it ends within its header");
	error = occ_entry_hot_size(whole->memory, whole->size, ret_hot_size);
	if (error == OCC_E_VERSION)
		return fault(whole, error, "another format version wrote it");
	if (error)
		return fault(whole, error,
			     "its header is damaged, or its end is missing");
	return OCC_OK;
}

int occ_whole_verify(struct occ_whole *whole)
{
	size_t hot_size;
	int error = verify_head(whole, &hot_size);

	if (error)
		return error;
	if (occ_entry_decode(whole->memory, hot_size, whole->size,
			     &whole->entry))
		return fault(whole, OCC_E_CORRUPT,
			     "the checksum of its key, metadata and binary is "
			     "wrong");
	/* Of those with device code the binary is cold, too. */
	if (occ_entry_check_cold(whole->memory, whole->size) ||
	    occ_entry_texts(whole->memory, whole->size, &whole->texts) ||
	    occ_entry_binary(whole->memory, whole->size, &whole->entry.binary))
		return fault(whole, OCC_E_CORRUPT,
			     "the checksum of its source text is wrong");
	return verify_key(whole);
}

bool occ_whole_has_name(const struct occ_whole *whole, const char *name)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&whole->entry.hash, hex);
	return occ_name_kind(name) == OCC_NAME_ENTRY &&
	       !memcmp(name, hex, sizeof(hex) - 1);
}

static int read_file(int file, struct occ_whole *whole)
{
	uint64_t size = (uint64_t)whole->status.st_size;

	if (size > OCC_ENTRY_SIZE_MAX)
		return fault(whole, OCC_E_CORRUPT,
			     "it is larger than any entry");
	if (!occ_whole_reserve(whole, (size_t)size))
		return fault(whole, OCC_E_MEMORY, "there is not enough memory");
	whole->size = (size_t)size;
	if (occ_file_read(file, 0, whole->memory, whole->size) !=
	    (ssize_t)whole->size)
		return fault(whole, OCC_E_IO, "it can't be read");
	return occ_whole_verify(whole);
}

/* An open file, which is closed; -1: it couldn't be opened. */
static int read_open(int file, bool any_owner, bool or_roots,
		     struct occ_whole *whole)
{
	int error;

	whole->size = 0;
	memset(&whole->status, 0, sizeof(whole->status));
	if (file < 0 && errno == ENOENT)
		return fault(whole, OCC_E_NOT_FOUND, "it isn't there");
	if (file < 0 && (errno == ELOOP || errno == ENXIO))
		return fault(whole, OCC_E_FORBIDDEN, "it is no regular file");
	if (file < 0 && (errno == EACCES || errno == EPERM))
		return fault(whole, OCC_E_FORBIDDEN, "it may not be read");
	if (file < 0 || occ_file_status(file, &whole->status) < 0)
		error = fault(whole, OCC_E_IO, "it can't be opened");
	else if (!S_ISREG(whole->status.st_mode))
		error = fault(whole, OCC_E_FORBIDDEN, "it is no regular file");
	else if (!any_owner && !occ_file_is_trusted(&whole->status, or_roots))
		error = fault(whole, OCC_E_FORBIDDEN,
			      "it belongs to another user");
	else
		error = read_file(file, whole);
	occ_file_close(file);
	return error;
}

int occ_whole_read(int directory, const char *name, bool or_roots,
		   struct occ_whole *whole)
{
	int error = read_open(occ_file_open(directory, name, O_RDONLY), false,
			      or_roots, whole);

	if (!error && !occ_whole_has_name(whole, name))
		error = fault(whole, OCC_E_CORRUPT,
			      "its name is not that of its hash");
	return error;
}

int occ_whole_read_path(const char *path, struct occ_whole *whole)
{
	return read_open(occ_file_open_path(path), true, true, whole);
}
