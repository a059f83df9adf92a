/* SPDX-License-Identifier: MIT */
/*
 * Tar archives: written as plain POSIX.1-1988 ustar, read as that, as pax and
 * as GNU tar's, from files and pipes.
 *
 * Nothing that is read is believed: a member's size is how much follows, but no
 * memory is taken for it before it is there.
 *
 * Also the manifest, by which archives of entries begin.
 */
#ifndef OCC_CLI_TAR_H
#define OCC_CLI_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cache/name.h"
#include "hash/buffer.h"

#define OCC_TAR_BLOCK 512

/*
 * Writing: any number of members, each of which is added to *written, bytes,
 * then the end, which makes whole records of these: programs that change
 * archives in place want that. Names are at most 100 bytes. False: look at
 * errno.
 */
bool occ_tar_write(FILE *stream, const char *name, int64_t modified,
		   const void *data, size_t size, uint64_t *written);
bool occ_tar_write_end(FILE *stream, uint64_t written);

/* Reading: starts from OCC_TAR_READER_INIT. */
struct occ_tar_reader {
	FILE *stream;
	uint64_t left;	  /* of the member's data */
	unsigned padding; /* behind it */
	bool ended;
};

#define OCC_TAR_READER_INIT(stream)                                            \
	{                                                                      \
		(stream), 0, 0, false                                          \
	}

enum occ_tar_kind {
	OCC_TAR_FILE,
	OCC_TAR_DIRECTORY,
	OCC_TAR_OTHER, /* links, devices, sparse files ...: without data */
};

/* Room for a member's name and its NUL; longer ones aren't understood. */
#define OCC_TAR_NAME_SIZE 4097

struct occ_tar_member {
	char name[OCC_TAR_NAME_SIZE];
	enum occ_tar_kind kind;
	uint64_t size;
};

enum occ_tar_result {
	OCC_TAR_MEMBER,
	OCC_TAR_END,
	OCC_TAR_CUT, /* the archive ends within a member, or without an end */
	OCC_TAR_BAD, /* that is no tar archive, or damaged */
	OCC_TAR_PACKED, /* it is compressed */
};

/* The next member; what wasn't read of the last one is skipped. */
enum occ_tar_result occ_tar_next(struct occ_tar_reader *reader,
				 struct occ_tar_member *ret_member);

/* Up to `size` bytes of the member's data; fewer only at its, or any, end. */
size_t occ_tar_read(struct occ_tar_reader *reader, void *data, size_t size);

/*
 * The list in an archive of entries: doc/format.md has it. It says what ought
 * to be there; that what is there is good, the entries say themselves.
 *
 *	oclcache-manifest 1
 *	<name> <size> <digest>
 */

#define OCC_TAR_MANIFEST "oclcache-manifest.txt"

void occ_tar_manifest_begin(struct occ_buffer *manifest);
void occ_tar_manifest_add(struct occ_buffer *manifest, const char *name,
			  uint64_t size, const struct occ_digest *digest);

/*
 * The next name, and its size; starts with *offset 0. False: there are no more,
 * or it isn't understood.
 */
bool occ_tar_manifest_next(const struct occ_buffer *manifest, size_t *offset,
			   char ret_name[OCC_NAME_SIZE], uint64_t *ret_size);

/* The sizes of all, as it says; stops at 2^64-1. */
uint64_t occ_tar_manifest_total(const struct occ_buffer *manifest);

#endif
