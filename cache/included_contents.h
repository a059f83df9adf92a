/* SPDX-License-Identifier: MIT */
/*
 * The contents of files that were included, in a store: "<digest>.included",
 * once for each content, compressed, so that entries can be compiled anew for
 * another driver (cache/database.h). <digest> is that of its bytes, seed
 * OCC_SEED_NAME, as a key's fields of included files have it. They count in the
 * store's size and are evicted like other files, but as if they had been used
 * whenever their directory's latest entry was: they are small, and of no use to
 * a hit. So are an eighth of the store at most, those that entries were stored
 * with last (occ_listing_sort()). Losing one loses the means to compile such
 * entries anew. doc/format.md has the file byte by byte.
 *
 * Threads: no state; see cache/store.h.
 */
#ifndef OCC_CACHE_INCLUDED_CONTENTS_H
#define OCC_CACHE_INCLUDED_CONTENTS_H

#include "cache/database_record.h"
#include "cache/store.h"

/* No file of these is longer: compressing adds little to what can't be. */
#define OCC_INCLUDED_CONTENTS_MAX (UINT64_C(66) << 20)

/*
 * Keeps what `files` has: a row of fields of a key (hash/key.h), of which those
 * with OCC_KEY_INCLUDE_FILE count. What isn't there yet is read by its path,
 * and kept if it is still what the key says. OCC_OK, also when some couldn't be
 * had, or a failure of the store.
 */
int occ_included_contents_keep(struct occ_store *store, struct occ_span files);

/* Keeps these bytes, as of such a file. */
int occ_included_contents_add(struct occ_store *store, struct occ_span bytes);

/* Are that the bytes of a whole and undamaged file of that name? */
bool occ_included_contents_is_good(struct occ_span file, const char *name);

/*
 * Keeps what a file of that name, from elsewhere, has. OCC_E_EXISTS: it is
 * there; OCC_E_CORRUPT: it isn't good.
 */
int occ_included_contents_import(struct occ_store *store, struct occ_span file,
				 const char *name);

/*
 * Appends the content of that name and size to `ret_bytes`. OCC_E_NOT_FOUND:
 * it isn't there, or is damaged.
 */
int occ_included_contents_read(struct occ_store *store,
			       const struct occ_digest *name, uint64_t size,
			       struct occ_buffer *ret_bytes);

/*
 * The same of a file that a key or a record has: if the store hasn't it, from
 * where the file was found, if both digests are still right.
 */
int occ_included_contents_find(struct occ_store *store,
			       const struct occ_recorded_file *file,
			       struct occ_buffer *ret_bytes);

#endif
