/* SPDX-License-Identifier: MIT */
/*
 * What a driver's binaries cost: fetching them after a compile, and loading
 * them in its place; kept in the store's state file (cache/state.h) under the
 * digest of what identifies the driver.
 *
 * A fetch is expected to take as long as the last one of a program with the
 * same kernels; of a program that isn't known, so long for each kernel and each
 * byte of source, times a factor that is the median of what was measured.
 * doc/drivers.md has the measurements.
 *
 * Losing all of it costs time. Values that can't be understood count as absent.
 *
 * Threads: as the store.
 */
#ifndef OCC_CACHE_COST_H
#define OCC_CACHE_COST_H

#include "cache/store.h"

/* A program whose binaries are, or may be, fetched. */
struct occ_fetched {
	struct occ_digest driver;
	struct occ_digest kernels; /* of their names */
	uint64_t count;		   /* how many kernels there are */
	uint64_t size;		   /* of the source, in bytes */
};

/* Nanoseconds per kernel and per byte, while nothing was measured. */
#define OCC_COST_KERNEL_NS UINT64_C(75000000)
#define OCC_COST_BYTE_NS   UINT64_C(125000)

/*
 * How long a fetch is expected to take, in ns. Returns whether it was measured
 * for this very program. Reads a file.
 */
bool occ_cost_expect_fetch(struct occ_store *store,
			   const struct occ_fetched *program, uint64_t *ret_ns);

/* A fetch took that long. OCC_OK or a failure. */
int occ_cost_note_fetch(struct occ_store *store,
			const struct occ_fetched *program, uint64_t ns);

/*
 * Hits of a driver, and the compiles that they saved. `refused_until` is the
 * time, in s since 1970, up to which the driver isn't worth the trouble.
 */
struct occ_hits {
	uint64_t count;
	uint64_t load_ns;
	uint64_t compile_ns;
	uint64_t refused_until;
};

/* Hits after which a driver is judged, and for how long then: seven days. */
#define OCC_COST_HITS	   10
#define OCC_COST_REFUSED_S UINT64_C(604800)

/*
 * All zero when nothing is known. `state` is what occ_state_read() gave. The
 * other reads the file.
 */
void occ_cost_find_hits(const struct occ_buffer *state,
			const struct occ_digest *driver,
			struct occ_hits *ret_hits);
void occ_cost_get_hits(struct occ_store *store, const struct occ_digest *driver,
		       struct occ_hits *ret_hits);

/*
 * Adds hits to what is known and judges when they are enough: when they took
 * more than 1.5 times the compiles' time, the driver is refused from `now` on,
 * else it starts from zero. *ret_hits is what is known then. OCC_OK or a
 * failure.
 */
int occ_cost_add_hits(struct occ_store *store, const struct occ_digest *driver,
		      const struct occ_hits *hits, uint64_t now,
		      struct occ_hits *ret_hits);

/* Does a fetch take so long that it must not be done at once? */
bool occ_cost_is_expensive(uint64_t fetch_ns, uint64_t compile_ns);

/*
 * Sightings, in the state file by the key's hash: hashes of keys that were
 * looked for in vain. Where storing an entry is expensive it is made at the
 * second use of its key; this says which use is the second, and how long the
 * first compile took: the driver's own cache may have shortened the second.
 *
 * The last 4096 or so are kept. Forgetting one costs another build; taking one
 * key for another (8 bytes of the hash are kept) an entry that nobody needs.
 */

/*
 * Has the key of that hash been seen? *ret_ns is how long its compile took, to
 * the microsecond, and an hour at most. Reads a file.
 */
bool occ_seen_keys_find(struct occ_store *store, const struct occ_digest *hash,
			uint64_t *ret_ns);

/* Notes that it has. OCC_OK or a failure. */
int occ_seen_keys_add(struct occ_store *store, const struct occ_digest *hash,
		      uint64_t ns);

#endif
