/* SPDX-License-Identifier: MIT */
/*
 * What databases of builds (cache/database.h) have, several as one: each frame
 * once, whichever files it is in, with the bytes of those that are records
 * (cache/database_record.h). Those of contents stay in the files.
 *
 * The files may be anybody's. Frames that can't be read are counted, and so are
 * records that are too large to be any, or too many.
 *
 * Not for several threads at once.
 */
#ifndef OCC_CLI_RECORDS_H
#define OCC_CLI_RECORDS_H

#include "cache/database.h"

/* Bytes of a record, and of all that are kept in memory. */
#define OCC_RECORD_MAX	(UINT64_C(16) << 20)
#define OCC_RECORDS_MAX (UINT64_C(512) << 20)

struct occ_record {
	struct occ_digest name;
	uint32_t type;	       /* enum occ_frame_type, or a later one */
	uint64_t size;	       /* bytes of the frame */
	size_t file;	       /* which database it is read from */
	struct occ_span bytes; /* NULL of contents, and of what isn't kept */
};

struct occ_records {
	struct occ_database **databases; /* in the order given */
	size_t database_count;
	struct occ_record *records; /* by rising type, then name */
	size_t count;
	uint64_t kept;	   /* bytes of records in memory */
	uint64_t size;	   /* bytes of the files */
	uint64_t bad;	   /* of them, such as belong to no good frame */
	size_t unreadable; /* frames that couldn't be read */
	size_t too_large;  /* records that aren't kept */
};

/*
 * Opens the files, reads all records. What is damaged is told as a warning, and
 * the rest is there. False after an error was shown, with `command` in front: a
 * file that isn't there, or is no database. Either way release.
 */
bool occ_records_open(const char *command, char *const *paths, size_t count,
		      struct occ_records *ret_records);
void occ_records_release(struct occ_records *records);

/* The records of a type; how many. */
size_t occ_records_of(const struct occ_records *records,
		      enum occ_frame_type type,
		      const struct occ_record **ret_first);

/* NULL: there is none. */
const struct occ_record *occ_records_find(const struct occ_records *records,
					  enum occ_frame_type type,
					  const struct occ_digest *name);

/* Reads the bytes of a frame. False: it can't be read. */
bool occ_records_read(const struct occ_records *records,
		      const struct occ_record *record,
		      struct occ_buffer *ret_bytes);

/*
 * The one build whose name begins with these hexadecimal digits, 4 or more.
 * NULL after an error was shown.
 */
const struct occ_record *occ_records_choose(const struct occ_records *records,
					    const char *command,
					    const char *digits);

/* Digits of builds' names that tell all apart, >= 8. */
size_t occ_records_prefix(const struct occ_records *records);

#endif
