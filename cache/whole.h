/* SPDX-License-Identifier: MIT */
/*
 * A whole entry, verified to the last byte: header, checksums of the hot part
 * and of every cold section, and that its hash is the one of its key, which is
 * made anew from its fields. What a hit verifies is less (cache/slot.h); this
 * is for whoever checks a store, or takes an entry from elsewhere.
 *
 *	struct occ_whole whole = OCC_WHOLE_INIT;
 *	while (...)
 *		if (!occ_whole_read(directory, name, false, &whole))
 *			... use whole.entry ...
 *	occ_whole_release(&whole);
 *
 * Threads: a whole entry is one thread's.
 */
#ifndef OCC_CACHE_WHOLE_H
#define OCC_CACHE_WHOLE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cache/entry.h"

struct occ_whole {
	unsigned char *memory; /* the file; kept from one to the next */
	size_t capacity;
	size_t size;
	struct stat status; /* of the file */
	struct occ_entry entry;
	struct occ_span texts; /* the fields in the cold part */
	/* After a failure what is wrong, in a few words; never NULL then. */
	const char *fault;
};

#define OCC_WHOLE_INIT                                                         \
	{                                                                      \
		.memory = NULL                                                 \
	}

/*
 * Reads and verifies a file of a store; also that its name is the one of its
 * hash. OCC_OK: all of `entry` and `texts` is valid until the next call.
 * OCC_E_FORBIDDEN: not a regular file, or not the user's (`or_roots`: nor
 * root's). OCC_E_NOT_FOUND, OCC_E_CORRUPT, OCC_E_VERSION, OCC_E_MEMORY,
 * OCC_E_IO.
 */
int occ_whole_read(int directory, const char *name, bool or_roots,
		   struct occ_whole *whole);

/* The same of a file anywhere, of whatever name and owner. */
int occ_whole_read_path(const char *path, struct occ_whole *whole);

/*
 * Verifies the `whole->size` bytes at `whole->memory`, which the caller has put
 * there. OCC_OK, OCC_E_CORRUPT, OCC_E_VERSION or OCC_E_MEMORY.
 */
int occ_whole_verify(struct occ_whole *whole);

/* Is that a name for it, numbered or not? */
bool occ_whole_has_name(const struct occ_whole *whole, const char *name);

/* Room for `size` bytes at `memory`; what is there stays. False: no memory. */
bool occ_whole_reserve(struct occ_whole *whole, size_t size);
void occ_whole_release(struct occ_whole *whole);

/*
 * The key's fields in their order, long ones with their bytes from the cold
 * part. Starts with a cursor of zeros. Returns 1 for a field, 0 at the end, -1
 * for bytes that are no field, or where the cold part lacks one.
 */
struct occ_whole_cursor {
	size_t key;
	size_t texts;
};
int occ_whole_next(const struct occ_whole *whole,
		   struct occ_whole_cursor *cursor, uint16_t *ret_id,
		   struct occ_span *ret_bytes);

/* The first field of that id; false: there is none. */
bool occ_whole_find(const struct occ_whole *whole, enum occ_key_field id,
		    struct occ_span *ret_bytes);

/*
 * The entry's key, as the layer would make it, for the caller to
 * occ_key_release(), before the memory goes. OCC_OK, OCC_E_CORRUPT (its hash or
 * bytes would be others) or OCC_E_MEMORY.
 */
int occ_whole_key(const struct occ_whole *whole, struct occ_key *ret_key);

#endif
