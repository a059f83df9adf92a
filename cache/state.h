/* SPDX-License-Identifier: MIT */
/*
 * Facts worth remembering across processes, in the store's "oclcache.state":
 * small named values, e.g. the digest of a driver library that takes 50 ms to
 * compute. Losing the file loses time, never correctness: values must be
 * verifiable or harmless, and a bad file counts as empty and is written anew.
 *
 * The file is magic, version and checksum, then fields (hash/buffer.h) in
 * pairs: name, value. doc/format.md has it byte by byte.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_STATE_H
#define OCC_CACHE_STATE_H

#include "cache/store.h"

/* Names and values longer than this are refused. */
#define OCC_STATE_NAME_MAX	   512
#define OCC_STATE_VALUE_MAX	   16384

/* A name for what is known of a driver: "WHAT DIGEST". */
#define OCC_STATE_DRIVER_NAME_SIZE 64
void occ_state_driver_name(const char *what, const struct occ_digest *driver,
			   char ret_name[OCC_STATE_DRIVER_NAME_SIZE]);

/* Values that grow with use stop here: every process reads the whole file. */
#define OCC_STATE_GROWN_MAX 4096

/*
 * At most this many pairs are kept, and of so many bytes, because every process
 * reads them; the oldest written go first.
 */
#define OCC_STATE_PAIRS_MAX 512
#define OCC_STATE_BYTES_MAX ((size_t)256 << 10)

/*
 * Copies the value of `name` to `ret_value` and its size to *ret_size. OCC_OK,
 * OCC_E_NOT_FOUND (also when the file is bad or the value doesn't fit) or a
 * failure.
 */
int occ_state_get(struct occ_store *store, const char *name,
		  unsigned char *ret_value, size_t capacity, size_t *ret_size);

/*
 * For who asks for several: all there is, to be looked through by
 * occ_state_find(). Empty when there is nothing or the file is bad. To be
 * released.
 */
void occ_state_read(struct occ_store *store, struct occ_buffer *ret_state);

/* Are that the bytes of a whole and undamaged file? */
bool occ_state_is_good(struct occ_span file);

/* As occ_state_get(), in what occ_state_read() gave; false: not found. */
bool occ_state_find(const struct occ_buffer *state, const char *name,
		    unsigned char *ret_value, size_t capacity,
		    size_t *ret_size);

/*
 * The pair at `*offset`, which is 0 at first, in what occ_state_read() gave;
 * its bytes are the state's. False: no more.
 */
bool occ_state_next(const struct occ_buffer *state, size_t *offset,
		    struct occ_span *ret_name, struct occ_span *ret_value);

/* Sets `name` to `size` bytes at `value`. OCC_OK or a failure. */
int occ_state_set(struct occ_store *store, const char *name, const void *value,
		  size_t size);

/*
 * Changes a value under the store's lock: `make` is called with the bytes that
 * it has now (size 0 when absent), and appends the new ones, at most
 * OCC_STATE_VALUE_MAX, to its buffer; it returns false to leave them as they
 * are. OCC_OK or a failure. `make` must not call the store.
 */
int occ_state_update(struct occ_store *store, const char *name,
		     occ_store_make make, void *data);

/*
 * Several at once, for less than each by itself: occ_state_append() them to a
 * buffer, which refuses what is too long by returning false.
 */
bool occ_state_append(struct occ_buffer *pairs, const char *name,
		      const void *value, size_t size);
int occ_state_set_all(struct occ_store *store, const struct occ_buffer *pairs);

#endif
