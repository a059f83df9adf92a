/* SPDX-License-Identifier: MIT */
/*
 * A database of builds: what `oclcache record` writes and `oclcache replay`
 * compiles. One file, which stands alone: no part of a store, independent of
 * driver and machine. doc/format.md has it byte by byte; what its frames say is
 * cache/database_record.h.
 *
 * It is a row of frames, each with a type, its bytes (compressed, maybe as the
 * differences from an earlier frame) and their digest, which is its name:
 * equal bytes are there once. Frames are only ever added.
 *
 * Invariants:
 * (D1) Whoever adds has an exclusive flock() on the file, and has looked at all
 *      that others added before.
 * (D2) The head of the file says where the last frame that was written whole
 *      ends. What is behind it was torn by a process that died, and is
 *      overwritten by the next one that adds.
 * (D3) Nothing that is in front of that is ever changed. Bytes that rotted, or
 *      that a power failure kept from the disk, cost the frames that they are
 *      in, and those whose differences are from these, until somebody adds
 *      them once more.
 * (D4) What occ_database_read() gives has the digest that it was asked for.
 *
 * Calling sequence, for adding:
 *
 *	error = occ_database_open(path, max_size, &database);
 *	error = occ_database_begin(database, 1000);
 *	occ_database_add(database, OCC_FRAME_CONTENT, text, &name);
 *	...
 *	error = occ_database_commit(database);
 *	occ_database_close(database);
 *
 * and for reading occ_database_open_read(), then occ_database_frame() by number
 * or occ_database_read() by name.
 *
 * Errors: see cache/error.h; with OCC_E_IO errno says why. OCC_E_CORRUPT: the
 * file is no database; OCC_E_VERSION: one of another version.
 *
 * Threads: a database belongs to one thread at a time. Processes: any number.
 */
#ifndef OCC_CACHE_DATABASE_H
#define OCC_CACHE_DATABASE_H

#include "cache/error.h"
#include "hash/buffer.h"
#include "hash/digest.h"

#define OCC_DATABASE_VERSION	  1

/* A database doesn't grow beyond this by itself. */
#define OCC_DATABASE_DEFAULT_SIZE (UINT64_C(256) << 20)

/* Bytes of a frame, before they are compressed. */
#define OCC_DATABASE_FRAME_MAX	  (UINT64_C(64) << 20)

enum occ_frame_type {
	OCC_FRAME_CONTENT = 1, /* a source, IL, header or included file */
	OCC_FRAME_BUILD = 2,   /* a build, compile or link */
	OCC_FRAME_DEVICE = 3,  /* the traits of a device */
	OCC_FRAME_USE = 4,     /* a build was of use */
	OCC_FRAME_REFUSAL = 5, /* builds that can't be replayed, and why */
};

struct occ_frame {
	uint32_t type; /* enum occ_frame_type, or one of a later version */
	struct occ_digest name;
	uint64_t size;	 /* bytes, uncompressed */
	uint64_t stored; /* bytes in the file, its head included */
};

struct occ_database;

/*
 * For adding: makes the file (mode 0600) when it isn't there; follows links.
 * Nothing is added that would make it longer than `max_size` bytes; 0: no
 * limit. `path` is only used in this call. Waits for whoever adds just then.
 */
int occ_database_open(const char *path, uint64_t max_size,
		      struct occ_database **ret_database);

/* As it is at this moment. */
int occ_database_open_read(const char *path,
			   struct occ_database **ret_database);

void occ_database_close(struct occ_database *database); /* NULL: nothing */

/* The number of frames, also of those that commit is still to write. One that
 * was added again in place of a damaged one counts twice. */
size_t occ_database_count(const struct occ_database *database);

/* The frame of that number, in the order of the file. Valid until the next
 * call but occ_database_read(). */
const struct occ_frame *occ_database_frame(const struct occ_database *database,
					   size_t number);

/* Bytes of the file, and of these such as belong to no good frame. */
uint64_t occ_database_size(const struct occ_database *database);
uint64_t occ_database_bad(const struct occ_database *database);

bool occ_database_has(const struct occ_database *database,
		      enum occ_frame_type type, const struct occ_digest *name);

/*
 * Appends the bytes of a frame to `ret_bytes`, which stays as it is after a
 * failure: OCC_E_NOT_FOUND, OCC_E_CORRUPT, OCC_E_IO, OCC_E_MEMORY.
 */
int occ_database_read(struct occ_database *database, enum occ_frame_type type,
		      const struct occ_digest *name,
		      struct occ_buffer *ret_bytes);

/*
 * Locks the file and looks at what others have added. Waits for at most
 * `milliseconds`, then OCC_E_BUSY. After OCC_OK occ_database_commit() or
 * occ_database_abandon() must follow.
 */
int occ_database_begin(struct occ_database *database, unsigned milliseconds);

/*
 * Adds a frame, unless one of the same type and bytes is there, and good (which
 * is looked at once); either way *ret_name is its name. OCC_OK, OCC_E_TOO_LARGE
 * (the frame, or then the file), OCC_E_MEMORY. Nothing is written before the
 * commit.
 */
int occ_database_add(struct occ_database *database, enum occ_frame_type type,
		     struct occ_span bytes, struct occ_digest *ret_name);

/*
 * Writes what was added, all of it or nothing, and unlocks the file; or just
 * unlocks it.
 */
int occ_database_commit(struct occ_database *database);
void occ_database_abandon(struct occ_database *database);

/* The name of such bytes. */
void occ_database_name(struct occ_span bytes, struct occ_digest *ret_name);

#endif
