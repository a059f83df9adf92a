/* SPDX-License-Identifier: MIT */
/*
 * Tar archives, by libarchive: written as plain POSIX.1-1988 ustar, read as
 * that, as pax and as GNU tar's, from files and pipes.
 *
 * Nothing that is read is believed: a member's size is how much follows, but no
 * memory is taken for it before it is there.
 */
#ifndef OCC_CLI_ARCHIVE_H
#define OCC_CLI_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct archive;

/*
 * Writing: any number of members, then the end, with which the stream has all
 * of them. Names are at most 100 bytes. The end also frees the archive, when
 * something has failed, too. NULL or false: look at errno.
 */
struct archive *occ_archive_create(FILE *stream);
bool occ_archive_add(struct archive *archive, const char *name,
		     int64_t modified, const void *data, size_t size);

/* The same with mode 0644: for what others unpack, and all may read. */
bool occ_archive_add_readable(struct archive *archive, const char *name,
			      int64_t modified, const void *data, size_t size);
bool occ_archive_end(struct archive *archive);

/*
 * Reading: open, next for each member, close. What is behind the archive's end
 * may have been taken from the stream, or not.
 */
struct occ_archive_reader;

struct occ_archive_reader *occ_archive_open(FILE *stream);
void occ_archive_close(struct occ_archive_reader *reader);

enum occ_archive_kind {
	OCC_ARCHIVE_FILE,
	OCC_ARCHIVE_DIRECTORY,
	OCC_ARCHIVE_OTHER, /* links, devices, sparse files ... */
};

struct occ_archive_member {
	const char *name; /* until the next one */
	enum occ_archive_kind kind;
	uint64_t size;
};

enum occ_archive_result {
	OCC_ARCHIVE_MEMBER,
	OCC_ARCHIVE_END,
	OCC_ARCHIVE_CUT,    /* it ends within a member, or without an end */
	OCC_ARCHIVE_BAD,    /* that is no tar archive, or damaged */
	OCC_ARCHIVE_PACKED, /* it is compressed */
};

/* The next member; what wasn't read of the last one is skipped. */
enum occ_archive_result occ_archive_next(struct occ_archive_reader *reader,
					 struct occ_archive_member *ret_member);

/* Up to `size` bytes of the member's data; fewer only at its, or any, end. */
size_t occ_archive_read(struct occ_archive_reader *reader, void *data,
			size_t size);

#endif
