/* SPDX-License-Identifier: MIT */
/*
 * XXH3-128, the one hash of this project, in its canonical (big-endian) form,
 * so that digests on disk mean the same on every machine.
 *
 * It is not cryptographic: nothing relies on it being hard to forge. Keys are
 * compared in full on every hit, and whoever can write the store is trusted.
 *
 * Each purpose has a seed of its own, so that two digests of the same bytes
 * are independent: the name of an entry and the digest that stands for a large
 * field in its stored key must not collide together.
 */
#ifndef OCC_HASH_DIGEST_H
#define OCC_HASH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define OCC_DIGEST_SIZE	    16
/* 32 hex digits and the NUL. */
#define OCC_DIGEST_HEX_SIZE 33

struct occ_digest {
	unsigned char bytes[OCC_DIGEST_SIZE];
};

enum occ_digest_seed {
	OCC_SEED_NAME = 0,     /* the hash that names an entry */
	OCC_SEED_FIELD = 1,    /* a large field within a stored key */
	OCC_SEED_CHECKSUM = 2, /* the bytes of a file */
	OCC_SEED_CONTENT = 3,  /* bytes outside the store, e.g. a driver's */
	OCC_SEED_DRIVER = 4,   /* what identifies a driver */
};

/* Digest of `size` bytes at `data` (may be NULL when `size` is 0). */
void occ_digest(const void *data, size_t size, enum occ_digest_seed seed,
		struct occ_digest *ret_digest);

/* Writes 32 lower-case hex digits and a NUL. */
void occ_digest_hex(const struct occ_digest *digest,
		    char ret_hex[OCC_DIGEST_HEX_SIZE]);

/*
 * The same digest from pieces. occ_digest_new() returns NULL when out of
 * memory; update and finish accept NULL and then do nothing, finish leaving
 * zeros. occ_digest_finish() frees the state.
 */
struct occ_digest_state;
struct occ_digest_state *occ_digest_new(enum occ_digest_seed seed);
void occ_digest_update(struct occ_digest_state *state, const void *data,
		       size_t size);
/* occ_digest_update() and occ_digest() at once: memory is read only once. */
void occ_digest_update_both(struct occ_digest_state *state, const void *data,
			    size_t size, enum occ_digest_seed seed,
			    struct occ_digest *ret_digest);
void occ_digest_finish(struct occ_digest_state *state,
		       struct occ_digest *ret_digest);

#endif
