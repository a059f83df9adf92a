/* SPDX-License-Identifier: MIT */
/*
 * What the sources of cache/database.h have in common: database.c reads,
 * database_add.c writes, database_places.c knows where which frame is. For
 * these alone.
 */
#ifndef OCC_CACHE_DATABASE_INTERNAL_H
#define OCC_CACHE_DATABASE_INTERNAL_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "cache/database.h"
#include "cache/database_frame.h"

/* Types with bases of their own, from 1. */
#define OCC_DATABASE_TYPES    6

/*
 * Larger bytes are nobody's base: readers have to expand it, maybe for each of
 * the frames that are differences from one and another by turns.
 */
#define OCC_DATABASE_BASE_MAX ((size_t)1 << 20)

struct occ_database_place {
	struct occ_frame frame; /* first: its type and name are the key */
	uint64_t offset;
	uint64_t base;
	uint32_t encoding;
	bool is_good; /* its bytes were seen */
	/*
	 * A frame that is damaged is added once more: the newest counts, and
	 * the others stay for what is a difference from them.
	 */
	struct occ_database_place *first;  /* of that name; NULL: this one */
	struct occ_database_place *older;  /* of a newer one */
	struct occ_database_place *newest; /* of the first; NULL: itself */
	UT_hash_handle hh;
};

/* The bytes of a frame that others are differences from. */
struct occ_database_base {
	uint64_t offset; /* 0: none */
	struct occ_buffer bytes;
};

struct occ_database {
	int file;
	bool adds;
	uint64_t max_size;
	uint64_t end; /* of the last whole frame in the file (D2) */
	uint64_t scanned;
	uint64_t bad;
	struct occ_database_place **places; /* by rising offset */
	size_t count, capacity;
	size_t written; /* of `places`; the rest is pending */
	struct occ_database_place *by_name;
	struct occ_buffer pending; /* behind `end` */
	struct occ_database_base written_bases[OCC_DATABASE_TYPES];
	struct occ_database_base read_base;
};

/* The newest of that name; NULL: there is none. */
struct occ_database_place *occ_database_find(
	const struct occ_database *database, uint32_t type,
	const struct occ_digest *name);

/* Takes the frame in, as the newest of its name. False: no memory. */
bool occ_database_add_place(struct occ_database *database,
			    const struct occ_frame_head *head, uint64_t offset);

/* The frame that begins there; NULL: none. */
const struct occ_database_place *occ_database_place_at(
	const struct occ_database *database, uint64_t offset);

/* Those that were never written. */
void occ_database_drop_pending(struct occ_database *database);

void occ_database_forget_base(struct occ_database_base *base);

/* OCC_OK, OCC_E_BUSY or OCC_E_IO. */
int occ_database_lock(const struct occ_database *database,
		      unsigned milliseconds);

/* Looks at what is there by now; for adding under the lock (D1). */
int occ_database_catch_up(struct occ_database *database);

#endif
