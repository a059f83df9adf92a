/* SPDX-License-Identifier: MIT */
/*
 * What the frames of a database (cache/database.h) say: fields (hash/buffer.h),
 * all OCC_FIELD_BYTES, with the ids below. Unknown ids are skipped, but for
 * those of a build, which can't be replayed then. doc/format.md has them, too.
 *
 * A build, compile or link is what the application's call was given, and the
 * files that were included; nothing of it depends on the driver. Two such
 * calls are one frame. Texts are frames of their own, of type
 * OCC_FRAME_CONTENT.
 *
 * Threads: no state.
 */
#ifndef OCC_CACHE_DATABASE_RECORD_H
#define OCC_CACHE_DATABASE_RECORD_H

#include "cache/database.h"

/* Of OCC_FRAME_BUILD, in this order. */
enum occ_build_field {
	OCC_BUILD_OPERATION = 1, /* "build", "compile", "link" */
	OCC_BUILD_SOURCE = 2,	 /* struct occ_content: strings, concatenated */
	OCC_BUILD_SOURCE_LENGTHS = 3, /* u64 per string: where they are cut */
	OCC_BUILD_IL = 4,	      /* struct occ_content */
	OCC_BUILD_OPTIONS = 5,	      /* as given; absent: NULL */
	OCC_BUILD_CONSTANTS = 6, /* u32 id, u64 size, value; by rising id */
	/* Of each header that is given to a compile, in order: these three. */
	OCC_BUILD_HEADER_NAME = 7,
	OCC_BUILD_HEADER_SOURCE = 8,  /* struct occ_content */
	OCC_BUILD_HEADER_LENGTHS = 9, /* u64 per string */
	/* Of each input of a link, in order: one of these two. */
	OCC_BUILD_LINK_BUILD = 10,  /* 16 bytes: the name of its frame */
	OCC_BUILD_LINK_BINARY = 11, /* u64 size, which isn't kept: can't be
				       replayed */
	/*
	 * In the order of the search, as in keys (hash/key.h): u64 size, two
	 * digests, two u32, path. The first digest is the name of its frame of
	 * type OCC_FRAME_CONTENT, if that could be had.
	 */
	OCC_BUILD_INCLUDE_FILE = 12,
	OCC_BUILD_INCLUDE_PRESENT = 13,
	/* The current directory: only where a path above is relative. */
	OCC_BUILD_DIRECTORY = 14,
	OCC_BUILD_ENVIRONMENT = 15, /* the driver's variables: NAME=value NUL */
	OCC_BUILD_EXECUTABLE = 16,  /* where the driver patches by its name */
};

/* Of OCC_FRAME_DEVICE: enum occ_key_field from OCC_KEY_PLATFORM_NAME to
 * OCC_KEY_DEVICE_EXTENSIONS, and then: */
enum occ_device_field {
	OCC_DEVICE_DRIVER = 64, /* its name in our table, e.g. "PoCL" */
	/*
	 * Of each thing that the application had asked the device before it
	 * built: u32 the parameter, and what the driver answered.
	 */
	OCC_DEVICE_ASKED = 65,
};

/* Of OCC_FRAME_USE. Two uses of a day that say the same are one frame. */
enum occ_use_field {
	OCC_USE_BUILD = 1,	  /* 16 bytes: the name of its frame */
	OCC_USE_DEVICE = 2,	  /* the same, of each device, in order */
	OCC_USE_APPLICATION = 3,  /* path, of interpreters ' ' and the script;
				     "" where it isn't known */
	OCC_USE_DAY = 4,	  /* u64: days since 1970 */
	OCC_USE_KERNEL = 5,	  /* its name; once for each that was created */
	OCC_USE_COMPILE_TIME = 6, /* u64 ns; absent: it wasn't compiled */
};

/* Of OCC_FRAME_REFUSAL. */
enum occ_refusal_field {
	OCC_REFUSAL_APPLICATION = 1,
	OCC_REFUSAL_REASON = 2, /* hash/reason.h, as text */
	OCC_REFUSAL_DAY = 3,
};

/* Bytes that are a frame of their own: 16 bytes its name, u64 its size. */
#define OCC_CONTENT_SIZE 24
struct occ_content {
	struct occ_digest name;
	uint64_t size;
};

/*
 * Adds the bytes as content, and to `record` a field that says so. Between
 * occ_database_begin() and occ_database_commit(). OCC_OK or as
 * occ_database_add().
 */
int occ_database_add_content(struct occ_database *database,
			     struct occ_span bytes, uint16_t id,
			     struct occ_buffer *record);

/* False when the field isn't OCC_CONTENT_SIZE bytes. */
bool occ_content_parse(const struct occ_field *field,
		       struct occ_content *ret_content);

/* Of a record's OCC_BUILD_INCLUDE_FILE, or a key's of the same form. */
struct occ_recorded_file {
	uint64_t size;
	struct occ_digest name;	 /* seed OCC_SEED_NAME */
	struct occ_digest other; /* seed OCC_SEED_FIELD */
	struct occ_span path;	 /* without a NUL */
};
bool occ_recorded_file_parse(struct occ_span payload,
			     struct occ_recorded_file *ret_file);

/* Appends a number as these records have it. */
void occ_record_append_number(struct occ_buffer *record, uint16_t id,
			      uint64_t number);

#endif
