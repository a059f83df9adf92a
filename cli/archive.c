/* SPDX-License-Identifier: MIT */
#include "cli/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As all tar programs have them: records of 20 blocks. */
#define BLOCK	     512
#define RECORD	     ((size_t)20 * BLOCK)

/* What ustar has digits for. */
#define MODIFIED_MAX INT64_C(077777777777)

struct archive *occ_archive_create(FILE *stream)
{
	struct archive *archive = archive_write_new();

	/* Whole records also to files: programs change archives in place. */
	if (archive && !archive_write_set_format_ustar(archive) &&
	    !archive_write_set_bytes_per_block(archive, (int)RECORD) &&
	    !archive_write_set_bytes_in_last_block(archive, (int)RECORD) &&
	    !archive_write_open_FILE(archive, stream))
		return archive;
	archive_write_free(archive);
	errno = ENOMEM;
	return NULL;
}

/* What libarchive says of a failed call, where errno is looked for. */
static bool fail(struct archive *archive)
{
	errno = archive_errno(archive) > 0 ? archive_errno(archive) : EINVAL;
	return false;
}

static bool add(struct archive *archive, const char *name, mode_t mode,
		int64_t modified, const void *data, size_t size)
{
	struct archive_entry *entry = archive_entry_new();
	bool added;

	if (!entry) {
		errno = ENOMEM;
		return false;
	}
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, mode);
	archive_entry_set_size(entry, (int64_t)size);
	if (modified > 0)
		archive_entry_set_mtime(entry, modified & MODIFIED_MAX, 0);
	added = archive_write_header(archive, entry) == ARCHIVE_OK &&
		(!size ||
		 archive_write_data(archive, data, size) == (la_ssize_t)size);
	archive_entry_free(entry);
	return added || fail(archive);
}

bool occ_archive_add(struct archive *archive, const char *name,
		     int64_t modified, const void *data, size_t size)
{
	return add(archive, name, 0600, modified, data, size);
}

bool occ_archive_add_readable(struct archive *archive, const char *name,
			      int64_t modified, const void *data, size_t size)
{
	return add(archive, name, 0644, modified, data, size);
}

bool occ_archive_end(struct archive *archive)
{
	bool ended =
		archive_write_close(archive) == ARCHIVE_OK || fail(archive);
	int saved = errno;

	archive_write_free(archive);
	errno = saved;
	return ended;
}

struct occ_archive_reader {
	struct archive *archive;
	FILE *stream;
	unsigned char bytes[RECORD]; /* what libarchive was last given */
	size_t count;		     /* of the last that weren't none */
	bool is_open;
	bool began;
	bool packed;
	bool ended; /* it was told that there are no more */
};

static bool is_packed(const unsigned char *bytes, size_t count)
{
	static const struct {
		const char *magic;
		size_t size;
	} packers[] = {{"\x1f\x8b", 2},
		       {"\x28\xb5\x2f\xfd", 4},
		       {"\xfd"
			"7zXZ",
			5},
		       {"BZh", 3}};

	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++)
		if (count >= packers[i].size &&
		    !memcmp(bytes, packers[i].magic, packers[i].size))
			return true;
	return false;
}

static la_ssize_t feed(struct archive *archive, void *data,
		       const void **ret_bytes)
{
	struct occ_archive_reader *reader = data;
	size_t count = fread(reader->bytes, 1, RECORD, reader->stream);

	*ret_bytes = reader->bytes;
	if (!count && ferror(reader->stream)) {
		archive_set_error(archive, errno, "can't be read");
		return -1;
	}
	if (!reader->began)
		reader->packed = is_packed(reader->bytes, count);
	reader->began = true;
	reader->ended = !count;
	if (count)
		reader->count = count;
	return (la_ssize_t)count;
}

struct occ_archive_reader *occ_archive_open(FILE *stream)
{
	struct occ_archive_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->stream = stream;
	reader->archive = archive_read_new();
	if (reader->archive &&
	    !archive_read_support_format_tar(reader->archive)) {
		/* What it says of the first block comes with the next call. */
		reader->is_open =
			archive_read_open(reader->archive, reader, NULL, feed,
					  NULL) == ARCHIVE_OK;
		return reader;
	}
	occ_archive_close(reader);
	return NULL;
}

void occ_archive_close(struct occ_archive_reader *reader)
{
	if (!reader)
		return;
	archive_read_free(reader->archive);
	free(reader);
}

static enum occ_archive_kind kind_of(struct archive_entry *entry)
{
	if (archive_entry_hardlink(entry) ||
	    archive_entry_sparse_count(entry) > 0)
		return OCC_ARCHIVE_OTHER;
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		return OCC_ARCHIVE_FILE;
	case AE_IFDIR:
		return OCC_ARCHIVE_DIRECTORY;
	default:
		return OCC_ARCHIVE_OTHER;
	}
}

/* libarchive takes an archive that just stops for one that ends. */
static bool has_end(const struct occ_archive_reader *reader)
{
	static const unsigned char zeros[BLOCK];

	return !reader->ended ||
	       (reader->count >= BLOCK &&
		!memcmp(reader->bytes + reader->count - BLOCK, zeros, BLOCK));
}

enum occ_archive_result occ_archive_next(struct occ_archive_reader *reader,
					 struct occ_archive_member *ret_member)
{
	struct archive_entry *entry;
	int result = ARCHIVE_FATAL;

	if (reader->is_open)
		result = archive_read_next_header(reader->archive, &entry);
	if (result == ARCHIVE_EOF)
		return has_end(reader) ? OCC_ARCHIVE_END : OCC_ARCHIVE_CUT;
	if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
		if (reader->packed)
			return OCC_ARCHIVE_PACKED;
		return reader->ended ? OCC_ARCHIVE_CUT : OCC_ARCHIVE_BAD;
	}
	ret_member->name = archive_entry_pathname(entry);
	/* It has bytes that aren't the locale's. */
	if (!ret_member->name)
		ret_member->name = archive_entry_pathname_utf8(entry);
	if (!ret_member->name)
		ret_member->name = "";
	ret_member->kind = kind_of(entry);
	ret_member->size = archive_entry_size(entry) > 0
				   ? (uint64_t)archive_entry_size(entry)
				   : 0;
	return OCC_ARCHIVE_MEMBER;
}

size_t occ_archive_read(struct occ_archive_reader *reader, void *data,
			size_t size)
{
	la_ssize_t count = archive_read_data(reader->archive, data, size);

	return count > 0 ? (size_t)count : 0;
}
