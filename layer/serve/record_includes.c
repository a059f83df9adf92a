/* SPDX-License-Identifier: MIT */
#include "layer/serve/record_includes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "hash/buffer.h"
#include "hash/key.h"

/* False: it would be too long. */
static bool make_path(const struct occ_recorded_file *file,
		      const char *directory, char ret_path[PATH_MAX])
{
	bool absolute = file->path.size && *file->path.data == '/';
	int length;

	if (!absolute && !directory)
		return false;
	length = snprintf(ret_path, PATH_MAX, "%s%s%.*s",
			  absolute ? "" : directory, absolute ? "" : "/",
			  (int)file->path.size, (const char *)file->path.data);
	return length > 0 && length < PATH_MAX;
}

/* So many bytes, to be freed; NULL: it is another file by now. */
static unsigned char *read_bytes(const char *path, uint64_t size)
{
	int file = occ_file_open_path(path);
	unsigned char *bytes = NULL;
	struct stat status;

	if (file < 0)
		return NULL;
	if (!occ_file_status(file, &status) && S_ISREG(status.st_mode) &&
	    (uint64_t)status.st_size == size)
		bytes = occ_file_memory((size_t)size);
	if (bytes &&
	    occ_file_read(file, 0, bytes, (size_t)size) != (ssize_t)size) {
		free(bytes);
		bytes = NULL;
	}
	occ_file_close(file);
	return bytes;
}

static bool is_as_recorded(struct occ_span bytes,
			   const struct occ_recorded_file *file)
{
	struct occ_digest name, other;

	occ_digest(bytes.data, bytes.size, OCC_SEED_NAME, &name);
	occ_digest(bytes.data, bytes.size, OCC_SEED_FIELD, &other);
	return !memcmp(&name, &file->name, sizeof(name)) &&
	       !memcmp(&other, &file->other, sizeof(other));
}

static int add_content(struct occ_database *database,
		       const struct occ_recorded_file *file,
		       const char *directory)
{
	struct occ_span bytes = {NULL, (size_t)file->size};
	char path[PATH_MAX];
	struct occ_digest name;
	unsigned char *data;
	int error = OCC_OK;

	if (occ_database_has(database, OCC_FRAME_CONTENT, &file->name) ||
	    file->size > OCC_DATABASE_FRAME_MAX ||
	    !make_path(file, directory, path))
		return OCC_OK;
	data = read_bytes(path, file->size);
	bytes.data = data;
	if (data && is_as_recorded(bytes, file))
		error = occ_database_add(database, OCC_FRAME_CONTENT, bytes,
					 &name);
	free(data);
	return error;
}

int occ_record_includes_add(struct occ_database *database,
			    const struct occ_build_key *build_key,
			    const char *directory, struct occ_buffer *record)
{
	const struct occ_buffer *fields = &build_key->closure.fields;
	struct occ_recorded_file file;
	struct occ_field field;
	size_t offset = 0;
	int error = OCC_OK;

	while (!error && occ_field_next(fields->data, fields->size, &offset,
					&field) == 1) {
		uint16_t id = field.id == OCC_KEY_INCLUDE_FILE
				      ? OCC_BUILD_INCLUDE_FILE
				      : OCC_BUILD_INCLUDE_PRESENT;

		occ_field_append(record, id, field.payload,
				 (size_t)field.length);
		if (field.id == OCC_KEY_INCLUDE_FILE &&
		    occ_recorded_file_parse(occ_field_span(&field), &file))
			error = add_content(database, &file, directory);
	}
	return error;
}

bool occ_record_includes_relative(const struct occ_build_key *build_key)
{
	const struct occ_buffer *fields = &build_key->closure.fields;
	struct occ_recorded_file file;
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(fields->data, fields->size, &offset, &field) == 1)
		if (occ_recorded_file_parse(occ_field_span(&field), &file) &&
		    (!file.path.size || *file.path.data != '/'))
			return true;
	return false;
}
