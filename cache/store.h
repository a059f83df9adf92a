/* SPDX-License-Identifier: MIT */
/*
 * The store: a flat directory of entries, shared by any number of processes,
 * possibly also by Intel's NEO driver (same directory, same config.file), which
 * may have directories in it (cache/nested.h).
 *
 * Calling sequence: occ_store_open() once (no I/O), then lookups, publishes
 * and the rest from any thread at any time, then occ_store_close(). Nothing is
 * kept open between calls: applications close or reuse descriptors, and the
 * directory may be deleted and come back at any moment.
 *
 * Files:
 *	<hash>.cl_cache        an entry; <hash>-1.cl_cache, -2 ... are entries
 *	                       whose keys differ but whose hashes don't
 *	oclcache-XXXXXX.tmp    being written (no ".cl_cache" in the name: NEO
 *	                       evicts whatever has it)
 *	oclcache.state         facts worth remembering (cache/state.h)
 *	oclcache.counters      what was done so far (cache/counters.h)
 *	oclcache.history       what programs gained each day (cache/history.h)
 *	<hash>.trace           key dump, when asked for
 *	<digest>.includes      what a source includes (cache/includes.h)
 *	<place>.workingset     what an executable took (cache/working_set.h)
 *	<digest>.included      what an included file had, once for each content
 *	                       (cache/included_contents.h)
 *	config.file            first 8 bytes: total size, little-endian, with a
 *	                       copy behind it; its flock() guards every change
 *	                       of the directory
 *	oclcache.lock          always empty: locks of cache/build_lock.h
 *	CACHEDIR.TAG           keeps backups out
 *
 * What always holds, (S1) to (S14), is in cache/store.c.
 *
 * Errors: see cache/error.h. No call prints, exits, or changes the process
 * (umask, cwd, signals). errno is not preserved; with OCC_E_IO it says why.
 *
 * Threads: every call may run concurrently with every other, close excepted.
 */
#ifndef OCC_CACHE_STORE_H
#define OCC_CACHE_STORE_H

#include <stdbool.h>

#include "cache/entry.h"
#include "cache/entry_file.h"

struct occ_store;
struct occ_size_ledger;

/* Default of NEO_CACHE_MAX_SIZE in Intel's COMPILER_CACHE.md. */
#define OCC_STORE_DEFAULT_MAX_SIZE (UINT64_C(1) << 30)

/*
 * `directory` is copied; it must be absolute. Its last component is created
 * (0700) at the first publish when its parent exists; when the parent is
 * "$HOME/.cache" or $XDG_CACHE_HOME that is for the caller to allow by
 * `create_parent`, which creates one level more. max_size 0: no limit.
 * Returns NULL when out of memory.
 */
struct occ_store *occ_store_open(const char *directory, uint64_t max_size,
				 bool create_parent);

/*
 * The same for a store that is only read, such as one that came with an image:
 * nothing is ever created, changed, locked or removed in it, not even times or
 * corrupt entries, and calls that would are OCC_E_READ_ONLY. It may be root's,
 * if nobody else can write to it, and its entries, too; they are verified like
 * any other.
 */
struct occ_store *occ_store_open_read_only(const char *directory);
bool occ_store_is_read_only(const struct occ_store *store);

/*
 * Entries and traces that weren't used for so long are removed when room has to
 * be made, before any others are; 0, the default: none are. Before all other
 * calls.
 */
void occ_store_set_max_age(struct occ_store *store, int64_t seconds);

/*
 * Nothing is removed to make room: what doesn't fit is OCC_E_TOO_LARGE. Before
 * all other calls.
 */
void occ_store_keep_all(struct occ_store *store);

void occ_store_close(struct occ_store *store);

const char *occ_store_directory(const struct occ_store *store);

/* An entry in memory, verified; free with occ_loaded_release(). */
struct occ_loaded {
	struct occ_entry entry; /* points into `memory` */
	unsigned char *memory;
	bool is_uncounted; /* the use is to be counted: occ_store_lookup() */
};
void occ_loaded_release(struct occ_loaded *loaded);

/*
 * Finds the entry for `key`. OCC_OK: *ret_loaded is the caller's, and the
 * entry counts as just used. Its times are set at most once in 5 s: otherwise
 * `is_uncounted`, and the caller may count this use later, by
 * occ_store_add_uses().
 * Otherwise the reason, worst first when several files have the hash:
 * OCC_E_CORRUPT (the file has been removed), OCC_E_VERSION,
 * OCC_E_KEY_DIFFERS, OCC_E_NOT_FOUND (also when there is no directory), or a
 * failure. Numbered files are looked at up to the first that is missing.
 */
int occ_store_lookup(struct occ_store *store, const struct occ_key *key,
		     struct occ_loaded *ret_loaded);

/*
 * The same, but with the entry's binary also where a hit doesn't need it, for
 * the entry has device code: all of the file is read and verified.
 */
int occ_store_lookup_whole(struct occ_store *store, const struct occ_key *key,
			   struct occ_loaded *ret_loaded);

/*
 * The file of the entry for `key`, verified to the last byte, for who gives it
 * to others. It doesn't count as used. To be released; on failure it is.
 */
int occ_store_read_entry(struct occ_store *store, const struct occ_key *key,
			 struct occ_entry_file *ret_whole);

/*
 * The entry of that hash, before anybody has asked for it: what the key is the
 * caller has to compare when somebody does. OCC_E_NOT_FOUND where several keys
 * have the hash. It doesn't count as used: occ_store_add_uses() when it is.
 */
int occ_store_read_ahead(struct occ_store *store, const struct occ_digest *hash,
			 struct occ_loaded *ret_loaded);

/*
 * The entries of these hashes, those that are there, were used so many times
 * more, and count as just used. Two processes that add at once lose nothing,
 * unless one keeps an entry for milliseconds; a lookup beside them may.
 */
struct occ_entry_use {
	struct occ_digest hash;
	uint64_t count;
};
void occ_store_add_uses(struct occ_store *store,
			const struct occ_entry_use *uses, size_t count);

/* A file of ours counts as just used; its times are set at most once in 5 s. */
void occ_store_touch_file(struct occ_store *store, const char *name);

/*
 * Stores an entry. Evicts when it wouldn't fit: the least recently used files
 * go until they add up to a third of the maximum and the entry fits.
 * OCC_E_EXISTS when a good entry with this key is there, OCC_E_TOO_LARGE when
 * it wouldn't fit if everything were evicted (nothing is, then),
 * OCC_E_SIZE_LEDGER when config.file was corrupt and has been made anew: the
 * next publish works. On any failure the directory is as before, but for
 * evicted entries and corrupt files.
 */
int occ_store_publish(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary);

/*
 * The same, but an entry with this key whose metadata has a smaller
 * OCC_META_COMPLETENESS is replaced. What it says of kernels, and the new one
 * doesn't, stays. Replacing is done under one lock, and for that time both
 * files count (S2); whoever has looked the old one up keeps what he has.
 */
int occ_store_improve(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary);

/*
 * The same, but whatever is there for this key is replaced, and nothing of it
 * stays. Its name is never without a file.
 */
int occ_store_renew(struct occ_store *store, const struct occ_key *key,
		    struct occ_span metadata, struct occ_span binary);

/*
 * Stores an entry that comes from elsewhere, verified (cache/entry_file.h),
 * byte for byte. As occ_store_publish(); an entry of its key that is there
 * stays, unless any byte of it is bad: then it is replaced. It is tried again
 * while the lock is another's, for some seconds, and when what is there goes at
 * that moment.
 */
int occ_store_import(struct occ_store *store,
		     const struct occ_entry_file *whole);

/*
 * Removes the entry for `key` (it makes no program). OCC_OK also
 * when there is none.
 */
int occ_store_discard(struct occ_store *store, const struct occ_key *key);

/*
 * Atomically writes a file of ours that isn't an entry ("oclcache.state",
 * "<hash>.trace", "<digest>.includes", "<place>.workingset",
 * "<digest>.included"), within (S2) and evicting like a publish. `make` is
 * called under the lock with the current bytes (size 0 when absent) and appends
 * the new ones to its buffer; it returns false to leave the file as it is,
 * which is OCC_OK. `make` must not call the store. Other names are OCC_E_IO
 * with EINVAL.
 */
typedef bool (*occ_store_make)(struct occ_span old_bytes,
			       struct occ_buffer *new_bytes, void *data);
int occ_store_replace(struct occ_store *store, const char *name,
		      occ_store_make make, void *data);

/* An occ_store_make for bytes that are known: `data` is a struct occ_buffer. */
bool occ_store_content_is(struct occ_span old_bytes,
			  struct occ_buffer *new_bytes, void *data);

/*
 * The same for "oclcache.counters", which is worth neither an entry nor a wait:
 * nothing is evicted for it (OCC_E_TOO_LARGE), and the lock is waited for so
 * many milliseconds at most (OCC_E_BUSY), but never longer than elsewhere. One
 * that keeps its size is written in its place: who reads it may see half of it.
 * `noting` may be NULL.
 */
#define OCC_STORE_PATIENCE_MS 1000
struct occ_store_noting;
int occ_store_count(struct occ_store *store, unsigned milliseconds,
		    occ_store_make make, void *data,
		    const struct occ_store_noting *noting);

/*
 * What is to be noted in "oclcache.history" once the counters are written,
 * under the same lock. `note` gets the file, which is made if it isn't there,
 * open for reading and writing, and changes it in its place.
 */
struct occ_store_history {
	int file;
	uint64_t size; /* of the file, which grows, and never shrinks */
	/* occ_store_history_grow()'s. */
	struct occ_store *store;
	struct occ_size_ledger *ledger;
};
struct occ_store_noting {
	void (*note)(struct occ_store_history *history, void *data);
	void *data;
};

/*
 * Makes the file larger, by zeros. False, and it is as it was, when that
 * doesn't fit: nothing is evicted for it.
 */
bool occ_store_history_grow(struct occ_store_history *history, uint64_t size);

/*
 * How many files were evicted through this store since the last call, and
 * their bytes.
 */
void occ_store_take_evicted(struct occ_store *store, uint64_t *ret_files,
			    uint64_t *ret_bytes);

/*
 * Gives the entry for `key` other metadata; its key, binary and cold part stay.
 * `make` is called under the lock with the verified metadata that is there now,
 * which another process may have completed meanwhile, and appends all of the
 * new one to its buffer; it returns false to leave the entry as it is, which is
 * OCC_OK. `make` must not call the store.
 *
 * For the time of writing the old file and the new one count (S2). Evicts like
 * a publish, but never the entry itself. OCC_E_TOO_LARGE when that isn't
 * enough; when there is no such entry the reasons of occ_store_lookup(). On any
 * failure the entry is as before. Whoever has looked it up keeps what he has;
 * it counts as just used.
 */
int occ_store_complete(struct occ_store *store, const struct occ_key *key,
		       occ_store_make make, void *data);

/*
 * Gives the entry for `key` device code (cache/entry.h), in place of what it
 * has of it, or takes it away when `code` is empty. Only if its binary still is
 * `binary`, unless that is empty; otherwise OCC_E_NOT_FOUND. Of the key `hash`
 * and `stored` are looked at. All else is as with occ_store_complete(), but
 * that the entry doesn't count as just used.
 */
int occ_store_set_code(struct occ_store *store, const struct occ_key *key,
		       struct occ_span binary, struct occ_span code);

/*
 * Reads a file of ours whole, without a lock. OCC_OK and bytes to be freed by
 * the caller with occ_buffer_release(), OCC_E_NOT_FOUND or a failure:
 * OCC_E_TOO_LARGE when it is more than 256 MiB.
 */
int occ_store_read(struct occ_store *store, const char *name,
		   struct occ_buffer *ret_bytes);

/*
 * Could something be stored? Creates the directory when it is missing, and the
 * lock. OCC_OK or the reason why a publish would fail. For work that only pays
 * when its result can be kept.
 */
int occ_store_prepare(struct occ_store *store);

/*
 * The same, by writing a small file, which is gone then: what is mounted for
 * reading or is full is known by that alone. No room below the maximum is
 * OCC_OK.
 */
int occ_store_try(struct occ_store *store);

/*
 * Is there an entry of anybody's? Without a lock; true also when that can't be
 * told, or not without reading thousands of other files' names.
 */
bool occ_store_has_entries(struct occ_store *store);

/*
 * Sum of (S2)'s file sizes as a scan of the directory finds it; config.file
 * may say more, see cache/size_ledger.h. OCC_OK, OCC_E_NO_DIRECTORY or a
 * failure.
 */
int occ_store_measure(struct occ_store *store, uint64_t *ret_size);

#endif
