/* SPDX-License-Identifier: MIT */
#include "cache/entry_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cache/name.h"

/* Key and metadata of most entries are in it. */
#define SUMMARY_FIRST ((size_t)8 << 10)

/* (S12) Logs are long, but not as long. */
#define SUMMARY_MAX   ((uint64_t)64 << 20)

/* For a hit files up to this size are read whole. */
#define AT_ONCE_MAX   ((uint64_t)64 << 10)

static int fault(struct occ_entry_file *file, int error, const char *text)
{
	file->fault = text;
	return error;
}

bool occ_entry_file_reserve(struct occ_entry_file *file, size_t size)
{
	unsigned char *memory;

	if (size <= file->capacity)
		return true;
	/* Nothing is to be copied for a new file. */
	if (!file->size) {
		free(file->memory);
		file->memory = NULL;
		file->capacity = 0;
	}
	memory = occ_file_memory(size);
	if (!memory)
		return false;
	if (file->size)
		memcpy(memory, file->memory, file->size);
	free(file->memory);
	file->memory = memory;
	file->capacity = size;
	return true;
}

static void close_file(struct occ_entry_file *file)
{
	if (file->descriptor)
		occ_file_close(file->descriptor);
	file->descriptor = 0;
}

void occ_entry_file_release(struct occ_entry_file *file)
{
	close_file(file);
	free(file->memory);
	*file = (struct occ_entry_file){0};
}

/* The next field that is in the cold part. */
static bool next_text(const struct occ_entry_file *file,
		      struct occ_entry_file_cursor *cursor,
		      const struct occ_field *field, struct occ_span *ret_bytes)
{
	struct occ_field text;

	if (occ_field_next(file->texts.data, file->texts.size, &cursor->texts,
			   &text) != 1 ||
	    text.kind != OCC_FIELD_BYTES || text.id != field->id ||
	    text.length != field->length)
		return false;
	*ret_bytes = occ_field_span(&text);
	return true;
}

int occ_entry_file_next(const struct occ_entry_file *file,
			struct occ_entry_file_cursor *cursor, uint16_t *ret_id,
			struct occ_span *ret_bytes)
{
	struct occ_field field;
	int result = occ_field_next(file->entry.key.data, file->entry.key.size,
				    &cursor->key, &field);

	if (result != 1)
		return result;
	*ret_id = field.id;
	if (field.kind == OCC_FIELD_DIGEST)
		return next_text(file, cursor, &field, ret_bytes) ? 1 : -1;
	*ret_bytes = occ_field_span(&field);
	return 1;
}

bool occ_entry_file_find(const struct occ_entry_file *file,
			 enum occ_key_field id, struct occ_span *ret_bytes)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	uint16_t found;

	while (occ_entry_file_next(file, &cursor, &found, ret_bytes) == 1)
		if (found == id)
			return true;
	return false;
}

int occ_entry_file_key(const struct occ_entry_file *file,
		       struct occ_key *ret_key)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	struct occ_span bytes;
	uint16_t id;
	int result;

	occ_key_init(ret_key);
	while ((result = occ_entry_file_next(file, &cursor, &id, &bytes)) == 1)
		occ_key_add(ret_key, (enum occ_key_field)id, bytes.data,
			    bytes.size);
	if (occ_key_finish(ret_key))
		result = OCC_E_MEMORY;
	else if (result ||
		 !occ_span_equal(occ_buffer_span(&ret_key->stored),
				 file->entry.key) ||
		 memcmp(ret_key->hash.bytes, file->entry.hash.bytes,
			OCC_DIGEST_SIZE) != 0)
		result = OCC_E_CORRUPT;
	if (result)
		occ_key_release(ret_key);
	return result;
}

static int verify_key(struct occ_entry_file *file)
{
	struct occ_key key;
	int error = occ_entry_file_key(file, &key);

	if (error == OCC_E_MEMORY)
		return fault(file, error, "there is not enough memory");
	if (error)
		return fault(file, error, "its hash doesn't match its key");
	occ_key_release(&key);
	return OCC_OK;
}

/* What occ_entry_hot_size() refuses, in words. */
static int verify_head(struct occ_entry_file *file, size_t *ret_hot_size)
{
	int error;

	if (!file->size)
		return fault(file, OCC_E_CORRUPT, "it is empty");
	if (file->size < OCC_ENTRY_HEADER_SIZE)
		return fault(file, OCC_E_CORRUPT,
			     "it ends in the middle of its header");
	error = occ_entry_hot_size(file->memory, file->size, ret_hot_size);
	if (error == OCC_E_VERSION)
		return fault(file, error,
			     "it was written in another format version");
	if (error)
		return fault(file, error,
			     "its header is damaged or its end is missing");
	return OCC_OK;
}

int occ_entry_file_verify(struct occ_entry_file *file)
{
	size_t hot_size;
	int error = verify_head(file, &hot_size);

	if (error)
		return error;
	if (occ_entry_decode(file->memory, hot_size, file->size, &file->entry))
		return fault(file, OCC_E_CORRUPT,
			     "the checksum of its key, metadata and binary is "
			     "wrong");
	/* Of those with device code the binary is cold, too. */
	if (occ_entry_check_cold(file->memory, file->size) ||
	    occ_entry_texts(file->memory, file->size, &file->texts) ||
	    occ_entry_binary(file->memory, file->size, &file->entry.binary))
		return fault(file, OCC_E_CORRUPT,
			     "the checksum of its source text is wrong");
	return verify_key(file);
}

bool occ_entry_file_has_name(const struct occ_entry_file *file,
			     const char *name)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&file->entry.hash, hex);
	return occ_name_kind(name) == OCC_NAME_ENTRY &&
	       !memcmp(name, hex, sizeof(hex) - 1);
}

/* Makes sure that the file's first `end` bytes are in memory. */
static int read_up_to(struct occ_entry_file *file, uint64_t end)
{
	size_t more;

	if (end <= file->size)
		return OCC_OK;
	if (end > SIZE_MAX || !occ_entry_file_reserve(file, (size_t)end))
		return fault(file, OCC_E_MEMORY, "there is not enough memory");
	more = (size_t)end - file->size;
	/* (S10) Nobody cuts files: one that ends early hasn't been read. */
	if (occ_file_read(file->descriptor, file->size,
			  file->memory + file->size, more) != (ssize_t)more)
		return fault(file, OCC_E_IO, "it can't be read");
	file->size = (size_t)end;
	return OCC_OK;
}

/* 0: there is none, or it can't be read. */
static uint32_t code_maker(int descriptor, const struct occ_entry_part *part)
{
	unsigned char head[OCC_CODE_HEAD_SIZE];

	if (part->size <= sizeof(head) ||
	    occ_file_read(descriptor, part->offset, head, sizeof(head)) !=
		    (ssize_t)sizeof(head))
		return 0;
	return occ_get_u32(head);
}

static int read_summary(struct occ_entry_file *file)
{
	uint64_t size = (uint64_t)file->status.st_size, key_end, end;
	struct occ_entry_parts parts;
	int error;

	error = read_up_to(file, size < SUMMARY_FIRST ? size : SUMMARY_FIRST);
	if (!error)
		error = occ_entry_find_parts(file->memory, file->size, size,
					     &parts);
	if (error)
		return error;
	key_end = parts.key.offset + parts.key.size;
	end = parts.metadata.offset + parts.metadata.size;
	if (key_end > end)
		end = key_end;
	if (end > SUMMARY_MAX)
		return OCC_E_TOO_LARGE;
	error = read_up_to(file, end);
	if (error)
		return error;
	file->entry = (struct occ_entry){
		.hash = parts.hash,
		.key = {file->memory + parts.key.offset,
			(size_t)parts.key.size},
		.metadata = {file->memory + parts.metadata.offset,
			     (size_t)parts.metadata.size},
		.binary = {NULL, (size_t)parts.binary.size},
	};
	file->code_maker = code_maker(file->descriptor, &parts.code);
	return OCC_OK;
}

static int read_hot(struct occ_entry_file *file)
{
	uint64_t size = (uint64_t)file->status.st_size;
	size_t hot_size = 0;
	int error;

	if (size < OCC_ENTRY_HEADER_SIZE)
		return OCC_E_CORRUPT;
	error = read_up_to(file,
			   size > AT_ONCE_MAX ? OCC_ENTRY_HEADER_SIZE : size);
	if (!error)
		error = occ_entry_hot_size(file->memory, size, &hot_size);
	if (!error)
		error = read_up_to(file, hot_size);
	if (!error)
		error = occ_entry_decode(file->memory, hot_size, size,
					 &file->entry);
	return error;
}

static int read_whole(struct occ_entry_file *file)
{
	uint64_t size = (uint64_t)file->status.st_size;
	int error;

	if (size > OCC_ENTRY_SIZE_MAX)
		return fault(file, OCC_E_CORRUPT,
			     "it is too large to be an entry");
	error = read_up_to(file, size);
	return error ? error : occ_entry_file_verify(file);
}

static int open_error(struct occ_entry_file *file)
{
	switch (errno) {
	case ENOENT:
		return fault(file, OCC_E_NOT_FOUND, "no such file");
	case ELOOP:
	case ENXIO:
		return fault(file, OCC_E_FORBIDDEN, "it isn't a regular file");
	case EACCES:
	case EPERM:
		return fault(file, OCC_E_FORBIDDEN, "no permission to read it");
	default:
		return fault(file, OCC_E_IO, "it can't be opened");
	}
}

/* Whose files are read. */
enum owner {
	OWNER_USER,
	OWNER_USER_OR_ROOT,
	OWNER_ANYBODY,
};

static int check(struct occ_entry_file *file, enum owner owner)
{
	if (occ_file_status(file->descriptor, &file->status) < 0)
		return fault(file, OCC_E_IO, "it can't be opened");
	if (!S_ISREG(file->status.st_mode))
		return fault(file, OCC_E_FORBIDDEN, "it isn't a regular file");
	if (owner != OWNER_ANYBODY &&
	    !occ_file_is_trusted(&file->status, owner == OWNER_USER_OR_ROOT))
		return fault(file, OCC_E_FORBIDDEN,
			     "it belongs to another user");
	return OCC_OK;
}

/* `descriptor`: -1 with errno if the file couldn't be opened. */
static int read_open(struct occ_entry_file *file, int descriptor,
		     enum owner owner, enum occ_entry_file_depth depth)
{
	int error;

	close_file(file);
	file->size = 0;
	memset(&file->status, 0, sizeof(file->status));
	memset(&file->entry, 0, sizeof(file->entry));
	if (descriptor < 0)
		return open_error(file);
	file->descriptor = descriptor;
	error = check(file, owner);
	if (error || depth == OCC_ENTRY_FILE_HOT)
		return error ? error : read_hot(file);
	error = depth == OCC_ENTRY_FILE_SUMMARY ? read_summary(file)
						: read_whole(file);
	close_file(file);
	return error;
}

int occ_entry_file_read(int directory, const char *name, bool or_roots,
			enum occ_entry_file_depth depth,
			struct occ_entry_file *file)
{
	int descriptor =
		occ_file_open_keeping_times(directory, name, O_NOFOLLOW);
	int error =
		read_open(file, descriptor,
			  or_roots ? OWNER_USER_OR_ROOT : OWNER_USER, depth);

	if (!error && depth == OCC_ENTRY_FILE_WHOLE &&
	    !occ_entry_file_has_name(file, name))
		error = fault(file, OCC_E_CORRUPT,
			      "its name doesn't match its hash");
	return error;
}

int occ_entry_file_read_path(const char *path, struct occ_entry_file *file)
{
	return read_open(file, occ_file_open_keeping_times(AT_FDCWD, path, 0),
			 OWNER_ANYBODY, OCC_ENTRY_FILE_WHOLE);
}

int occ_entry_file_read_rest(struct occ_entry_file *file)
{
	uint64_t size = (uint64_t)file->status.st_size;
	size_t hot_size;
	int error;

	error = occ_entry_hot_size(file->memory, size, &hot_size);
	if (!error)
		error = read_up_to(file, size);
	if (error)
		return error;
	return occ_entry_decode(file->memory, hot_size, size, &file->entry);
}
