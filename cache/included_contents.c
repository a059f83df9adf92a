/* SPDX-License-Identifier: MIT */
#include "cache/included_contents.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache/compression.h"
#include "cache/file.h"
#include "cache/file_header.h"
#include "cache/include_files.h"
#include "cache/name.h"

/* In this order, each once. */
enum field {
	FIELD_SIZE = 1,	      /* u64: bytes, before they were compressed */
	FIELD_COMPRESSED = 2, /* cache/compression.h, without a base */
};

#define SIZE_SIZE 8

static const struct occ_file_header envelope = {{0x8f, 'O', 'C', 'T', '\r',
						 '\n', 0x1a, '\n'},
						1};

/* A file whose checksum is right. */
static bool take_fields(struct occ_span file, uint64_t *ret_size,
			struct occ_span *ret_compressed)
{
	struct occ_field size, compressed;
	struct occ_span fields;
	size_t offset = 0;

	if (!occ_file_header_open(&envelope, file, &fields) ||
	    occ_field_next(fields.data, fields.size, &offset, &size) != 1 ||
	    occ_field_next(fields.data, fields.size, &offset, &compressed) !=
		    1 ||
	    offset != fields.size || size.id != FIELD_SIZE ||
	    size.kind != OCC_FIELD_BYTES || size.length != SIZE_SIZE ||
	    compressed.id != FIELD_COMPRESSED ||
	    compressed.kind != OCC_FIELD_BYTES)
		return false;
	*ret_size = occ_get_u64(size.payload);
	*ret_compressed = occ_field_span(&compressed);
	/* (S12) No included file is larger. */
	return *ret_size <= OCC_INCLUDE_FILES_SIZE_MAX;
}

static void make_name(struct occ_span bytes, char ret_name[OCC_NAME_SIZE])
{
	struct occ_digest digest;

	occ_digest(bytes.data, bytes.size, OCC_SEED_NAME, &digest);
	occ_name_included(&digest, ret_name);
}

/* Appends the content, if it is that of the name. */
static bool decode(struct occ_span file, const char *name,
		   struct occ_buffer *ret_bytes)
{
	char real_name[OCC_NAME_SIZE];
	size_t before = ret_bytes->size;
	struct occ_span compressed;
	uint64_t size;

	if (!take_fields(file, &size, &compressed) ||
	    !occ_decompress(compressed, (struct occ_span){NULL, 0},
			    (size_t)size, ret_bytes))
		return false;
	make_name((struct occ_span){ret_bytes->data + before, (size_t)size},
		  real_name);
	if (!strcmp(real_name, name))
		return true;
	ret_bytes->size = before;
	return false;
}

bool occ_included_contents_is_good(struct occ_span file, const char *name)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	bool good = decode(file, name, &bytes);

	occ_buffer_release(&bytes);
	return good;
}

int occ_included_contents_read(struct occ_store *store,
			       const struct occ_digest *name, uint64_t size,
			       struct occ_buffer *ret_bytes)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	size_t before = ret_bytes->size;
	char text[OCC_NAME_SIZE];
	bool found;

	occ_name_included(name, text);
	found = !occ_store_read(store, text, &file) &&
		decode(occ_buffer_span(&file), text, ret_bytes);
	occ_buffer_release(&file);
	if (found && ret_bytes->size - before == size)
		return OCC_OK;
	ret_bytes->size = before;
	return OCC_E_NOT_FOUND;
}

static int put(struct occ_store *store, const char *name, struct occ_span bytes)
{
	struct occ_buffer compressed = OCC_BUFFER_INIT, file = OCC_BUFFER_INIT;
	unsigned char size[SIZE_SIZE];
	int error = OCC_E_MEMORY;

	occ_put_u64(size, bytes.size);
	if (occ_compress(bytes, (struct occ_span){NULL, 0}, &compressed)) {
		occ_file_header_begin(&file);
		occ_field_append(&file, FIELD_SIZE, size, sizeof(size));
		occ_field_append(&file, FIELD_COMPRESSED, compressed.data,
				 compressed.size);
		occ_file_header_finish(&envelope, &file);
	}
	if (file.size && !file.failed)
		error = occ_store_replace(store, name, occ_store_content_is,
					  &file);
	occ_buffer_release(&compressed);
	occ_buffer_release(&file);
	return error;
}

/* A whole one; what it decompresses to is looked at when it is needed. */
static bool is_there(struct occ_store *store, const char *name)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_span compressed;
	uint64_t size;
	bool there = !occ_store_read(store, name, &file) &&
		     take_fields(occ_buffer_span(&file), &size, &compressed);

	occ_buffer_release(&file);
	if (there)
		occ_store_touch_file(store, name);
	return there;
}

int occ_included_contents_add(struct occ_store *store, struct occ_span bytes)
{
	char name[OCC_NAME_SIZE];

	if (bytes.size > OCC_INCLUDE_FILES_SIZE_MAX)
		return OCC_OK;
	make_name(bytes, name);
	return is_there(store, name) ? OCC_OK : put(store, name, bytes);
}

int occ_included_contents_import(struct occ_store *store, struct occ_span file,
				 const char *name)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	int error = OCC_E_CORRUPT;

	if (decode(file, name, &bytes))
		error = is_there(store, name)
				? OCC_E_EXISTS
				: put(store, name, occ_buffer_span(&bytes));
	occ_buffer_release(&bytes);
	return error;
}

/* Is that what the key says? */
static bool is_content_of(const struct occ_recorded_file *recorded,
			  struct occ_span bytes)
{
	struct occ_digest digests[2];

	occ_digest(bytes.data, bytes.size, OCC_SEED_NAME, &digests[0]);
	occ_digest(bytes.data, bytes.size, OCC_SEED_FIELD, &digests[1]);
	return !memcmp(&digests[0], &recorded->name, OCC_DIGEST_SIZE) &&
	       !memcmp(&digests[1], &recorded->other, OCC_DIGEST_SIZE);
}

/* The bytes of the file, to be freed; NULL: it isn't any more what it was. */
static unsigned char *read_file(const struct occ_recorded_file *recorded)
{
	char *path =
		strndup((const char *)recorded->path.data, recorded->path.size);
	size_t size = (size_t)recorded->size;
	unsigned char *bytes = NULL;
	struct stat status;
	int file = path ? occ_file_open_path(path) : -1;

	if (file >= 0 && !occ_file_status(file, &status) &&
	    S_ISREG(status.st_mode) && (uint64_t)status.st_size == size)
		bytes = malloc(size + 1);
	if (bytes &&
	    (occ_file_read(file, 0, bytes, size) != (ssize_t)size ||
	     !is_content_of(recorded, (struct occ_span){bytes, size}))) {
		free(bytes);
		bytes = NULL;
	}
	occ_file_close(file);
	free(path);
	return bytes;
}

int occ_included_contents_find(struct occ_store *store,
			       const struct occ_recorded_file *file,
			       struct occ_buffer *ret_bytes)
{
	int error = occ_included_contents_read(store, &file->name, file->size,
					       ret_bytes);
	unsigned char *bytes;

	if (error != OCC_E_NOT_FOUND || file->size > OCC_INCLUDE_FILES_SIZE_MAX)
		return error;
	bytes = read_file(file);
	if (!bytes)
		return OCC_E_NOT_FOUND;
	occ_buffer_append(ret_bytes, bytes, (size_t)file->size);
	free(bytes);
	return ret_bytes->failed ? OCC_E_MEMORY : OCC_OK;
}

static int keep(struct occ_store *store,
		const struct occ_recorded_file *recorded)
{
	char name[OCC_NAME_SIZE];
	unsigned char *bytes;
	int error = OCC_OK;

	occ_name_included(&recorded->name, name);
	if (recorded->size > OCC_INCLUDE_FILES_SIZE_MAX ||
	    is_there(store, name))
		return OCC_OK;
	bytes = read_file(recorded);
	if (bytes)
		error = put(store, name,
			    (struct occ_span){bytes, (size_t)recorded->size});
	free(bytes);
	return error;
}

int occ_included_contents_keep(struct occ_store *store, struct occ_span files)
{
	struct occ_recorded_file recorded;
	struct occ_field field;
	size_t offset = 0;
	int error = OCC_OK;

	while (!error &&
	       occ_field_next(files.data, files.size, &offset, &field) == 1)
		if (field.id == OCC_KEY_INCLUDE_FILE &&
		    field.kind == OCC_FIELD_BYTES &&
		    occ_recorded_file_parse(occ_field_span(&field), &recorded))
			error = keep(store, &recorded);
	return error;
}
