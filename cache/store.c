/* SPDX-License-Identifier: MIT */
/*
 * What always holds, whatever fails, dies or rots; the tests and the comments
 * in cache/ refer to it by number.
 *
 * (S1)  A file named *.cl_cache is complete: it got its name by rename().
 * (S2)  The sizes of all files of the list in cache/store.h, plus NEO's
 *       *.cl_cache and *.l0_cache, never add up to more than the maximum; space
 *       is reserved in config.file before a temp file is written. Foreign files
 *       neither count nor are touched.
 * (S3)  Names change (but for oclcache.lock's), and config.file is written,
 *       only under the lock. Readers take no lock and don't look at
 *       config.file.
 * (S4)  After taking the lock, the descriptor is config.file's (same device and
 *       inode as the path): otherwise it was replaced, and we try again.
 * (S5)  A temp file is created under the lock and is itself flock()ed as long
 *       as its writer lives: one that can be locked belongs to nobody.
 * (S6)  Every byte given to a caller has passed occ_entry_decode() and its key
 *       was compared in full.
 * (S7)  The total is never less than what is there, by our doing: it is raised
 *       before a file is made and lowered after one has gone; and counted anew
 *       where a size isn't known for sure, with no file left out.
 * (S8)  A call that returns keeps nothing: no descriptor, no lock, no memory,
 *       whatever failed. But a reservation, between its two locks.
 * (S9)  OCC_OK is true: what was stored is found by the next lookup. Numbered
 *       names have no gap before the one that was chosen.
 * (S10) A failure changes nothing but what it was about. Entries go because
 *       room is needed, their bytes are wrong, or somebody asked; what couldn't
 *       be read isn't taken for empty, and isn't written anew.
 * (S11) Nothing is waited for without end, and nothing tried without end.
 * (S12) Memory and time for a file are limited by what such files can be, not
 *       by what the file, or its size, says.
 * (S13) In a store that was opened for reading only nothing changes by us: no
 *       name, no byte, no time, no lock.
 *
 * tests/unit/test_faults.c breaks every system call and allocation to see it,
 * tests/unit/test_rot.c every byte, tests/unit/test_powercut.c every write, and
 * tests/unit/test_crowd.c sends a crowd.
 *
 * A publish, and where a process may be killed in it:
 *
 *	lock
 *	  choose the name, make room
 *	  raise the total in config.file     killed: total too large
 *	  make the temp file, lock it        killed: and an orphan
 *	unlock
 *	write the temp file                  killed: the same
 *	lock
 *	  rename                             killed: nothing is wrong
 *	unlock
 *
 * Both leftovers are mended when a later publish doesn't seem to fit.
 */
#include "cache/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cache/config.h"
#include "cache/description.h"
#include "cache/directory.h"
#include "cache/evict.h"
#include "cache/file.h"
#include "cache/listing.h"
#include "cache/name.h"
#include "cache/reservation.h"
#include "cache/slot.h"

struct occ_store {
	char *directory;
	struct occ_evict_limits limits;
	struct occ_evicted evicted; /* atomic */
	enum occ_directory_create create;
};

/* (S12) Of files that aren't entries; traces have whole sources in them. */
#define FILE_SIZE_MAX	((uint64_t)256 << 20)

/* Linux' smallest. */
#define PAGE_SIZE_MIN	4096

/* (S11) An import of many is worth more of a wait than a single publish. */
#define IMPORT_TRIES	10
#define IMPORT_PAUSE_NS UINT64_C(500000000)

/* https://bford.info/cachedir/ */
static const char tag[] =
	"Signature: 8a477f597d28d172789f06886806bc55\n"
	"# This file is a cache directory tag created by oclcache.\n";

static struct occ_store *new_store(const char *directory, uint64_t max_size,
				   enum occ_directory_create create)
{
	struct occ_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->directory = strdup(directory);
	if (!store->directory) {
		free(store);
		return NULL;
	}
	store->limits.max_size = max_size;
	store->limits.evicted = &store->evicted;
	store->create = create;
	return store;
}

struct occ_store *occ_store_open(const char *directory, uint64_t max_size,
				 bool create_parent)
{
	return new_store(directory, max_size,
			 create_parent ? OCC_DIRECTORY_CREATE_PARENT
				       : OCC_DIRECTORY_CREATE);
}

struct occ_store *occ_store_open_read_only(const char *directory)
{
	return new_store(directory, 0, OCC_DIRECTORY_READ_ONLY);
}

void occ_store_set_max_age(struct occ_store *store, int64_t seconds)
{
	store->limits.max_age = seconds;
}

void occ_store_keep_all(struct occ_store *store)
{
	store->limits.keeps = true;
}

bool occ_store_is_read_only(const struct occ_store *store)
{
	return store->create == OCC_DIRECTORY_READ_ONLY;
}

void occ_store_close(struct occ_store *store)
{
	if (!store)
		return;
	free(store->directory);
	free(store);
}

const char *occ_store_directory(const struct occ_store *store)
{
	return store->directory;
}

void occ_loaded_release(struct occ_loaded *loaded)
{
	free(loaded->memory);
	memset(loaded, 0, sizeof(*loaded));
}

static enum occ_directory_create never_made(const struct occ_store *store)
{
	return occ_store_is_read_only(store) ? OCC_DIRECTORY_READ_ONLY
					     : OCC_DIRECTORY_MUST_EXIST;
}

/* For whoever only looks: no directory is no file. */
static int open_existing(struct occ_store *store, int *ret_directory)
{
	int error = occ_directory_open(store->directory, never_made(store),
				       ret_directory);

	return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
}

/* For whoever changes what is there. */
static int open_to_change(struct occ_store *store, int *ret_directory)
{
	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	return open_existing(store, ret_directory);
}

/* For whoever adds something. */
static int open_to_add(struct occ_store *store, int *ret_directory)
{
	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	return occ_directory_open(store->directory, store->create,
				  ret_directory);
}

/* For whoever only reads one file by name. */
static int look(const struct occ_store *store)
{
	int error = occ_directory_look(store->directory, never_made(store));

	return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
}

/* Where entries are looked for; `config` is NULL without the lock. */
struct place {
	struct occ_store *store;
	struct occ_config *config;
};

/* `config` is NULL when the lock isn't held. */
static void remove_slot(int directory, struct occ_config *config,
			struct occ_slot *slot)
{
	struct occ_config own;

	if (config) {
		occ_slot_remove(slot, config);
		return;
	}
	/* Without the lock the file stays, and is a miss the next time too. */
	if (occ_config_lock(directory, &own))
		return;
	occ_slot_remove(slot, &own);
	occ_config_unlock(&own);
}

static int badness(int error)
{
	switch (error) {
	case OCC_E_CORRUPT:
		return 3;
	case OCC_E_VERSION:
		return 2;
	case OCC_E_KEY_DIFFERS:
		return 1;
	default:
		return 0;
	}
}

/* What is wrong with a slot: released, and removed if it is no good. */
static void pass_over(const struct place *place, struct occ_slot *slot,
		      int error)
{
	int directory;

	if (error == OCC_E_CORRUPT && place->config)
		remove_slot(place->config->directory, place->config, slot);
	else if (error == OCC_E_CORRUPT &&
		 !occ_store_is_read_only(place->store) &&
		 !open_existing(place->store, &directory)) {
		remove_slot(directory, NULL, slot);
		occ_file_close(directory);
	}
	occ_slot_release(slot);
}

static int read_slot(const struct place *place, const struct occ_key *key,
		     int number, struct occ_slot *ret_slot)
{
	if (place->config)
		return occ_slot_read(place->config->directory, key, number,
				     ret_slot);
	return occ_slot_read_in(place->store->directory, key, number,
				occ_store_is_read_only(place->store), ret_slot);
}

/* The key's entry, to be released only when the answer is OCC_OK. */
static int find_slot(const struct place *place, const struct occ_key *key,
		     struct occ_slot *ret_slot)
{
	int error = OCC_E_NOT_FOUND, worst = OCC_E_NOT_FOUND;

	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = read_slot(place, key, number, ret_slot);
		if (error == OCC_OK)
			return OCC_OK;
		pass_over(place, ret_slot, error);
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
		if (error == OCC_E_NOT_FOUND)
			break;
		if (badness(error) > badness(worst))
			worst = error;
	}
	return worst;
}

int occ_store_lookup(struct occ_store *store, const struct occ_key *key,
		     struct occ_loaded *ret_loaded)
{
	const struct place place = {store, NULL};
	struct occ_slot slot;
	int error = look(store);

	if (!error)
		error = find_slot(&place, key, &slot);
	if (error)
		return error;
	if (!occ_store_is_read_only(store))
		occ_slot_touch(&slot);
	ret_loaded->entry = slot.entry;
	ret_loaded->memory = slot.memory;
	slot.memory = NULL;
	occ_slot_release(&slot);
	return OCC_OK;
}

/* The slot's binary, verified: hot or, once all is read, cold. */
static int whole_binary(struct occ_slot *slot, struct occ_span *ret_binary)
{
	int error = occ_slot_read_cold(slot);

	if (error)
		return error;
	return occ_entry_binary(slot->memory, (size_t)slot->status.st_size,
				ret_binary);
}

int occ_store_lookup_whole(struct occ_store *store, const struct occ_key *key,
			   struct occ_loaded *ret_loaded)
{
	const struct place place = {store, NULL};
	struct occ_slot slot;
	struct occ_span binary;
	int error = look(store);

	if (!error)
		error = find_slot(&place, key, &slot);
	if (error)
		return error;
	error = whole_binary(&slot, &binary);
	if (error) {
		pass_over(&place, &slot, error);
		return error;
	}
	ret_loaded->entry = slot.entry;
	ret_loaded->entry.binary = binary;
	ret_loaded->memory = slot.memory;
	slot.memory = NULL;
	occ_slot_release(&slot);
	return OCC_OK;
}

/* No room or no luck: backups will take the store along, no more than that. */
static void write_tag(struct occ_config *config, uint64_t max_size,
		      uint64_t need)
{
	struct occ_reservation reservation;
	struct stat status;
	uint64_t size = sizeof(tag) - 1;

	if (!occ_file_status_at(config->directory, OCC_NAME_TAG, &status) ||
	    errno != ENOENT)
		return;
	if (max_size &&
	    (config->size > max_size || max_size - config->size < size ||
	     max_size - config->size - size < need))
		return;
	if (occ_reservation_make(config, size, &reservation))
		return;
	if (occ_reservation_write(&reservation, tag))
		occ_reservation_cancel(&reservation, config);
	else
		occ_reservation_commit(&reservation, config, OCC_NAME_TAG);
}

/*
 * A corrupt config.file was rebuilt, but whoever damaged it may not be done:
 * this publish stands aside, and says so.
 */
static int lock_to_add(int directory, struct occ_config *ret_config)
{
	int error = occ_config_lock(directory, ret_config);

	if (error || !ret_config->rebuilt)
		return error;
	occ_config_unlock(ret_config);
	return OCC_E_CONFIG;
}

/* Opened and locked, until end_change(). */
static int begin_change(struct occ_store *store, struct occ_config *ret_config)
{
	int directory, error = open_to_change(store, &directory);

	if (error)
		return error;
	error = lock_to_add(directory, ret_config);
	if (error)
		occ_file_close(directory);
	return error;
}

static void end_change(struct occ_config *config)
{
	int directory = config->directory;

	occ_config_unlock(config);
	occ_file_close(directory);
}

static int reserve(struct occ_store *store, int directory,
		   const struct occ_key *key, uint64_t size,
		   struct occ_reservation *ret_reservation,
		   struct occ_eviction *eviction)
{
	char name[OCC_NAME_SIZE];
	struct occ_config config;
	int error;

	error = lock_to_add(directory, &config);
	if (error)
		return error;
	error = occ_slot_choose(&config, key, name);
	if (!error)
		write_tag(&config, store->limits.max_size, size);
	if (!error)
		error = occ_evict_begin(&config, &store->limits, size, NULL,
					eviction);
	if (!error)
		error = occ_reservation_make(&config, size, ret_reservation);
	occ_config_unlock(&config);
	return error;
}

/*
 * `error`: of the writing. The name is chosen again (S9): it may be taken by
 * now.
 */
static int settle(int directory, const struct occ_key *key,
		  struct occ_reservation *reservation, int error)
{
	int write_errno = errno, lock_error;
	bool written = !error;
	char name[OCC_NAME_SIZE];
	struct occ_config config;

	lock_error = occ_config_lock(directory, &config);
	if (lock_error) {
		occ_reservation_drop(reservation);
		return written ? lock_error : error;
	}
	if (written)
		error = occ_slot_choose(&config, key, name);
	if (error)
		occ_reservation_cancel(reservation, &config);
	else
		error = occ_reservation_commit(reservation, &config, name);
	occ_config_unlock(&config);
	if (!written)
		errno = write_errno;
	return error;
}

static int publish(struct occ_store *store, const struct occ_key *key,
		   const struct occ_buffer *file)
{
	struct occ_eviction eviction = OCC_EVICTION_INIT;
	struct occ_reservation reservation;
	int directory, error;

	error = open_to_add(store, &directory);
	if (error)
		return error;
	error = reserve(store, directory, key, file->size, &reservation,
			&eviction);
	if (!error) {
		error = occ_reservation_write(&reservation, file->data);
		error = settle(directory, key, &reservation, error);
	}
	occ_evict_finish(directory, &eviction);
	occ_file_close(directory);
	return error;
}

int occ_store_publish(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	int error;

	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	occ_entry_encode(key, metadata, binary, &file);
	if (file.failed)
		error = OCC_E_MEMORY;
	else if ((store->limits.max_size &&
		  file.size > store->limits.max_size) ||
		 file.size > OCC_ENTRY_SIZE_MAX)
		error = OCC_E_TOO_LARGE;
	else
		error = publish(store, key, &file);
	occ_buffer_release(&file);
	return error;
}

static int store_file(struct occ_store *store, struct occ_config *config,
		      const char *name, const char *keep,
		      const struct occ_buffer *bytes);

/*
 * A hit looks at the hot part alone, so that an entry whose cold part is bad
 * stands in the way of a whole one.
 */
static int mend(struct occ_store *store, struct occ_config *config,
		const struct occ_key *key, const struct occ_buffer *file)
{
	const struct place place = {store, config};
	struct occ_slot slot;
	int error = find_slot(&place, key, &slot);

	if (error)
		return error;
	error = occ_slot_read_cold(&slot);
	if (!error)
		error = occ_entry_check_cold(slot.memory,
					     (size_t)slot.status.st_size);
	if (error == OCC_E_CORRUPT)
		error = store_file(store, config, slot.name, slot.name, file);
	else if (!error)
		error = OCC_E_EXISTS;
	occ_slot_release(&slot);
	return error;
}

static int mend_old(struct occ_store *store, const struct occ_key *key,
		    const struct occ_buffer *file)
{
	struct occ_config config;
	int error = begin_change(store, &config);

	if (error)
		return error;
	error = mend(store, &config, key, file);
	end_change(&config);
	return error;
}

/* Publishes, or mends what is there. */
static int import_once(struct occ_store *store, const struct occ_key *key,
		       const struct occ_buffer *file)
{
	int error = publish(store, key, file);

	return error == OCC_E_EXISTS ? mend_old(store, key, file) : error;
}

/* What stood in the way was there a moment ago, and isn't any more. */
static bool went_meanwhile(int error)
{
	return error == OCC_E_NOT_FOUND || error == OCC_E_CORRUPT ||
	       error == OCC_E_KEY_DIFFERS || error == OCC_E_VERSION;
}

int occ_store_import(struct occ_store *store, const struct occ_whole *whole)
{
	const struct occ_buffer file = {whole->memory, whole->size, whole->size,
					false};
	struct occ_key key;
	int error;

	if (occ_store_is_read_only(store))
		return OCC_E_READ_ONLY;
	if (store->limits.max_size && file.size > store->limits.max_size)
		return OCC_E_TOO_LARGE;
	error = occ_whole_key(whole, &key);
	if (error)
		return error;
	error = import_once(store, &key, &file);
	/* (S11) */
	for (int try = 1; try < IMPORT_TRIES &&
			  (error == OCC_E_BUSY || went_meanwhile(error));
	     try++) {
		/* Who has waited in vain doesn't wait again for a while. */
		if (error == OCC_E_BUSY)
			occ_file_pause(IMPORT_PAUSE_NS);
		error = import_once(store, &key, &file);
	}
	occ_key_release(&key);
	return error;
}

static int discard(struct occ_config *config, const struct occ_key *key)
{
	struct occ_slot slot;
	int error;

	/* All of them: a gap may have hidden an older one. */
	for (int number = 0; number < OCC_SLOTS_MAX; number++) {
		error = occ_slot_read(config->directory, key, number, &slot);
		if (error == OCC_OK)
			occ_slot_remove(&slot, config);
		occ_slot_release(&slot);
		if (error == OCC_E_IO || error == OCC_E_MEMORY)
			return error;
	}
	return OCC_OK;
}

int occ_store_discard(struct occ_store *store, const struct occ_key *key)
{
	struct occ_config config;
	int directory, error;

	error = open_to_change(store, &directory);
	if (error)
		return error == OCC_E_NOT_FOUND ? OCC_OK : error;
	error = occ_config_lock(directory, &config);
	if (!error) {
		error = discard(&config, key);
		occ_config_unlock(&config);
	}
	occ_file_close(directory);
	return error;
}

/*
 * (S10) Files of ours change by rename() alone, or keep their size: an open one
 * does, and one that ends before it hasn't been read.
 */
static int read_whole(int file, uint64_t size, struct occ_buffer *ret_bytes)
{
	unsigned char *data;
	ssize_t count;

	if (size > FILE_SIZE_MAX)
		return OCC_E_TOO_LARGE;
	data = malloc((size_t)size + 1);
	if (!data)
		return OCC_E_MEMORY;
	count = occ_file_read(file, 0, data, (size_t)size);
	if (count != (ssize_t)size) {
		free(data);
		return OCC_E_IO;
	}
	*ret_bytes = (struct occ_buffer){
		.data = data,
		.size = (size_t)count,
		.capacity = (size_t)size + 1,
	};
	return OCC_OK;
}

/* An open one, which is closed; -1: it couldn't be opened. */
static int read_file(const struct occ_store *store, int file,
		     struct occ_buffer *ret_bytes)
{
	struct stat status;
	int error;

	if (file < 0)
		return errno == ENOENT ? OCC_E_NOT_FOUND : OCC_E_IO;
	if (occ_file_status(file, &status) < 0)
		error = OCC_E_IO;
	else if (!S_ISREG(status.st_mode) ||
		 !occ_file_is_trusted(&status, occ_store_is_read_only(store)))
		error = OCC_E_FORBIDDEN;
	else
		error = read_whole(file, (uint64_t)status.st_size, ret_bytes);
	occ_file_close(file);
	return error;
}

/* Under the lock: the file under its name, whatever had it before. */
static int store_file(struct occ_store *store, struct occ_config *config,
		      const char *name, const char *keep,
		      const struct occ_buffer *bytes)
{
	struct occ_reservation reservation;
	int error;

	if (bytes->failed)
		return OCC_E_MEMORY;
	error = occ_evict_make_room(config, &store->limits, bytes->size, keep);
	if (!error)
		error = occ_reservation_make(config, bytes->size, &reservation);
	if (error)
		return error;
	error = occ_reservation_write(&reservation, bytes->data);
	if (error)
		occ_reservation_cancel(&reservation, config);
	else
		error = occ_reservation_commit(&reservation, config, name);
	return error;
}

/* The same, if it fits as it is. */
static int store_if_fits(struct occ_store *store, struct occ_config *config,
			 const char *name, const struct occ_buffer *bytes)
{
	uint64_t max_size = store->limits.max_size;

	if (max_size &&
	    (config->size > max_size || bytes->size > max_size - config->size))
		return OCC_E_TOO_LARGE;
	return store_file(store, config, name, NULL, bytes);
}

/*
 * The same in its place, which is several times faster than a rename: what is
 * one page the kernel writes whole, whoever is killed. A power cut may tear it.
 */
static int overwrite(const struct occ_config *config, const char *name,
		     const struct occ_buffer *bytes)
{
	int file = occ_file_open(config->directory, name, O_WRONLY);
	struct stat status;
	int error = OCC_E_IO;

	if (file < 0)
		return OCC_E_IO;
	if (!occ_file_status(file, &status) &&
	    (uint64_t)status.st_size == bytes->size &&
	    !occ_file_write(file, 0, bytes->data, bytes->size))
		error = OCC_OK;
	occ_file_close(file);
	return error;
}

static int store_counters(struct occ_store *store, struct occ_config *config,
			  size_t old_size, const struct occ_buffer *bytes)
{
	if (!bytes->failed && bytes->size == old_size &&
	    bytes->size <= PAGE_SIZE_MIN &&
	    !overwrite(config, OCC_NAME_COUNTERS, bytes))
		return OCC_OK;
	return store_if_fits(store, config, OCC_NAME_COUNTERS, bytes);
}

/* Under one lock from reading to renaming, so that no change is lost. */
static int replace(struct occ_store *store, struct occ_config *config,
		   const char *name, occ_store_make make, void *data)
{
	bool counts = !strcmp(name, OCC_NAME_COUNTERS);
	struct occ_buffer old = OCC_BUFFER_INIT, new = OCC_BUFFER_INIT;
	int error;

	error = read_file(store,
			  occ_file_open(config->directory, name, O_RDONLY),
			  &old);
	/* Larger than it ever was made: nothing of it is any good. */
	if (error == OCC_E_NOT_FOUND || error == OCC_E_TOO_LARGE)
		error = OCC_OK;
	if (!error && make((struct occ_span){old.data, old.size}, &new, data))
		error = counts ? store_counters(store, config, old.size, &new)
			       : store_file(store, config, name, NULL, &new);
	occ_buffer_release(&old);
	occ_buffer_release(&new);
	return error;
}

int occ_store_replace(struct occ_store *store, const char *name,
		      occ_store_make make, void *data)
{
	struct occ_config config;
	int directory, error;

	/* Anything else would not be counted, or be taken for an entry. */
	if (strcmp(name, OCC_NAME_STATE) != 0 &&
	    occ_name_kind(name) != OCC_NAME_TRACE &&
	    occ_name_kind(name) != OCC_NAME_INCLUDES) {
		errno = EINVAL;
		return OCC_E_IO;
	}
	error = open_to_add(store, &directory);
	if (error)
		return error;
	error = lock_to_add(directory, &config);
	if (!error) {
		error = replace(store, &config, name, make, data);
		occ_config_unlock(&config);
	}
	occ_file_close(directory);
	return error;
}

int occ_store_count(struct occ_store *store, unsigned milliseconds,
		    occ_store_make make, void *data)
{
	struct occ_config config;
	int directory, error;

	error = open_to_add(store, &directory);
	if (error)
		return error;
	error = occ_config_lock_within(directory, milliseconds, &config);
	if (!error) {
		error = config.rebuilt ? OCC_E_CONFIG
				       : replace(store, &config,
						 OCC_NAME_COUNTERS, make, data);
		occ_config_unlock(&config);
	}
	occ_file_close(directory);
	return error;
}

void occ_store_take_evicted(struct occ_store *store, uint64_t *ret_files,
			    uint64_t *ret_bytes)
{
	*ret_files =
		__atomic_exchange_n(&store->evicted.files, 0, __ATOMIC_RELAXED);
	*ret_bytes =
		__atomic_exchange_n(&store->evicted.bytes, 0, __ATOMIC_RELAXED);
}

/* The slot's file once more, with other metadata. */
static int rewrite(struct occ_store *store, struct occ_config *config,
		   struct occ_slot *slot, struct occ_span metadata)
{
	struct occ_buffer file = OCC_BUFFER_INIT;
	int error = occ_slot_read_cold(slot);

	if (error)
		return error;
	occ_entry_recode(slot->memory, metadata, slot->entry.binary, &file);
	error = store_file(store, config, slot->name, slot->name, &file);
	occ_buffer_release(&file);
	return error;
}

/* Under one lock, as replace(). */
static int complete(struct occ_store *store, struct occ_config *config,
		    const struct occ_key *key, occ_store_make make, void *data)
{
	struct occ_buffer metadata = OCC_BUFFER_INIT;
	const struct place place = {store, config};
	struct occ_slot slot;
	int error = find_slot(&place, key, &slot);

	if (error)
		return error;
	if (make(slot.entry.metadata, &metadata, data))
		error = metadata.failed
				? OCC_E_MEMORY
				: rewrite(store, config, &slot,
					  (struct occ_span){metadata.data,
							    metadata.size});
	occ_buffer_release(&metadata);
	occ_slot_release(&slot);
	return error;
}

int occ_store_complete(struct occ_store *store, const struct occ_key *key,
		       occ_store_make make, void *data)
{
	struct occ_config config;
	int error = begin_change(store, &config);

	if (error)
		return error;
	error = complete(store, &config, key, make, data);
	end_change(&config);
	return error;
}

static bool same_bytes(struct occ_span one, struct occ_span other)
{
	return one.size == other.size &&
	       !memcmp(one.data, other.data, one.size);
}

/* The new file has the place among the others that the old one had. */
static void restore_times(int directory, const struct occ_slot *slot)
{
	int file = occ_file_open(directory, slot->name, O_RDONLY);

	if (file < 0)
		return;
	occ_file_set_times(file, &slot->status);
	occ_file_close(file);
}

/* Under one lock, as replace(). */
static int set_code(struct occ_store *store, struct occ_config *config,
		    const struct occ_key *key, struct occ_span binary,
		    struct occ_span code)
{
	const struct place place = {store, config};
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_span there;
	struct occ_slot slot;
	int error = find_slot(&place, key, &slot);

	if (error)
		return error;
	error = whole_binary(&slot, &there);
	if (error) {
		pass_over(&place, &slot, error);
		return error;
	}
	if (binary.size && !same_bytes(binary, there)) {
		error = OCC_E_NOT_FOUND;
	} else if (code.size || slot.entry.code.data) {
		occ_entry_recode_code(slot.memory, code, &file);
		error = store_file(store, config, slot.name, slot.name, &file);
		if (!error)
			restore_times(config->directory, &slot);
	}
	occ_buffer_release(&file);
	occ_slot_release(&slot);
	return error;
}

int occ_store_set_code(struct occ_store *store, const struct occ_key *key,
		       struct occ_span binary, struct occ_span code)
{
	struct occ_config config;
	int error = begin_change(store, &config);

	if (error)
		return error;
	error = set_code(store, &config, key, binary, code);
	end_change(&config);
	return error;
}

/* What an entry is to become. */
struct fuller {
	const struct occ_key *key;
	struct occ_span metadata;
	struct occ_span binary;
	bool renews; /* whatever the old one is */
};

static uint64_t completeness(struct occ_span metadata)
{
	struct occ_entry entry = {.metadata = metadata};

	/* Who doesn't say it has no more to come. */
	return occ_entry_number(&entry, OCC_META_COMPLETENESS, UINT64_MAX);
}

static void encode_fuller(const struct fuller *fuller,
			  const struct occ_entry *old,
			  struct occ_buffer *ret_file)
{
	static const struct occ_span none = {NULL, 0};
	struct occ_span kernels = occ_entry_bytes(old, OCC_META_KERNELS);
	struct occ_buffer merged = OCC_BUFFER_INIT;
	struct occ_span metadata = fuller->metadata;

	if (!fuller->renews &&
	    occ_description_complete(metadata, kernels, none, &merged) &&
	    !merged.failed)
		metadata = (struct occ_span){merged.data, merged.size};
	occ_entry_encode(fuller->key, metadata, fuller->binary, ret_file);
	occ_buffer_release(&merged);
}

/* OCC_E_NOT_FOUND: there is none to replace. */
static int improve(struct occ_store *store, struct occ_config *config,
		   const struct fuller *fuller)
{
	const struct place place = {store, config};
	struct occ_buffer file = OCC_BUFFER_INIT;
	struct occ_slot slot;
	int error = find_slot(&place, fuller->key, &slot);

	if (error)
		return OCC_E_NOT_FOUND;
	error = OCC_E_EXISTS;
	if (fuller->renews || completeness(slot.entry.metadata) <
				      completeness(fuller->metadata)) {
		encode_fuller(fuller, &slot.entry, &file);
		error = store_file(store, config, slot.name, slot.name, &file);
	}
	occ_buffer_release(&file);
	occ_slot_release(&slot);
	return error;
}

/* Replaces the entry that is there, or publishes a new one. */
static int put(struct occ_store *store, const struct fuller *fuller)
{
	struct occ_config config;
	int error = begin_change(store, &config);

	if (!error) {
		error = improve(store, &config, fuller);
		end_change(&config);
	}
	if (error != OCC_E_NOT_FOUND)
		return error;
	return occ_store_publish(store, fuller->key, fuller->metadata,
				 fuller->binary);
}

int occ_store_improve(struct occ_store *store, const struct occ_key *key,
		      struct occ_span metadata, struct occ_span binary)
{
	const struct fuller fuller = {key, metadata, binary, false};

	return put(store, &fuller);
}

int occ_store_renew(struct occ_store *store, const struct occ_key *key,
		    struct occ_span metadata, struct occ_span binary)
{
	const struct fuller fuller = {key, metadata, binary, true};

	return put(store, &fuller);
}

int occ_store_read(struct occ_store *store, const char *name,
		   struct occ_buffer *ret_bytes)
{
	int error = look(store);

	if (error)
		return error;
	return read_file(store,
			 occ_file_open_in(store->directory, name, O_RDONLY),
			 ret_bytes);
}

int occ_store_prepare(struct occ_store *store)
{
	struct occ_config config;
	int directory, error;

	error = open_to_add(store, &directory);
	if (error)
		return error;
	error = occ_config_lock(directory, &config);
	if (!error)
		occ_config_unlock(&config);
	occ_file_close(directory);
	return error;
}

/* Under the lock. */
static int try_to_write(struct occ_store *store, struct occ_config *config)
{
	static const unsigned char page[PAGE_SIZE_MIN];
	struct occ_evict_limits limits = store->limits;
	struct occ_reservation reservation;
	int error, number;

	limits.keeps = true;
	error = occ_evict_make_room(config, &limits, sizeof(page), NULL);
	if (error)
		return error == OCC_E_TOO_LARGE ? OCC_OK : error;
	error = occ_reservation_make(config, sizeof(page), &reservation);
	if (error)
		return error;
	error = occ_reservation_write(&reservation, page);
	number = errno;
	occ_reservation_cancel(&reservation, config);
	errno = number;
	return error;
}

int occ_store_try(struct occ_store *store)
{
	int directory, number, error = open_to_add(store, &directory);
	struct occ_config config;

	if (error)
		return error;
	error = occ_config_lock(directory, &config);
	if (!error) {
		error = try_to_write(store, &config);
		number = errno;
		occ_config_unlock(&config);
		errno = number;
	}
	occ_file_close(directory);
	return error;
}

int occ_store_measure(struct occ_store *store, uint64_t *ret_size)
{
	int directory, error;

	error = occ_directory_open(store->directory, never_made(store),
				   &directory);
	if (error)
		return error;
	error = occ_listing_measure(directory, ret_size);
	occ_file_close(directory);
	return error;
}

/* Stops at the first. */
static bool is_no_entry(const char *name, void *data)
{
	enum occ_name_kind kind = occ_name_kind(name);
	bool *found = data;

	*found = kind == OCC_NAME_ENTRY || kind == OCC_NAME_NEO;
	return !*found;
}

bool occ_store_has_entries(struct occ_store *store)
{
	int directory, error = open_existing(store, &directory);
	bool found = false;

	if (error)
		return error != OCC_E_NOT_FOUND;
	if (occ_file_list(directory, is_no_entry, &found))
		found = true;
	occ_file_close(directory);
	return found;
}
