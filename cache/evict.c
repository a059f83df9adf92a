/* SPDX-License-Identifier: MIT */
#include "cache/evict.h"

#include <errno.h>
#include <string.h>

#include "cache/file.h"
#include "cache/listing.h"
#include "cache/temp.h"

/*
 * Evicting no more than is needed would mean to scan the directory again for
 * the next entry; NEO frees a third, too.
 */
#define FREED_PART     3

/*
 * Files that go between two looks at who waits: 10 to 40 ms. Who waits for the
 * lock looks at it every 2 ms.
 */
#define BATCH	       2048
#define PAUSE_NS       UINT64_C(3000000)

/* The state and all others that aren't evicted are far smaller. */
#define FIXED_SIZE_MAX (UINT64_C(16) << 20)

/* s. Nobody writes a file for so long; and whose writer lives is locked. */
#define ORPHAN_AGE     3600

/* Between two batches others may have the lock for as long. */
#define TRIES_MAX      300

/* (S11) The same of removals, whose user waits. */
#define REMOVAL_TRIES  10
#define REMOVAL_BUSY   UINT64_C(500000000) /* ns */

/* What is to be, and the one file that is to stay. */
struct wish {
	uint64_t max_size;
	uint64_t need;
	const char *keep;
	bool keeps_all;
	int64_t oldest; /* last used before, it is too old */
	struct occ_evicted *evicted;
};

static bool fits(const struct wish *wish, uint64_t size)
{
	return wish->need <= wish->max_size &&
	       size <= wish->max_size - wish->need;
}

static bool is_evictable(const struct wish *wish,
			 const struct occ_listing_file *file)
{
	if (wish->keeps_all || (wish->keep && !strcmp(file->name, wish->keep)))
		return false;
	return occ_name_is_evictable(file->kind);
}

/*
 * (S12) Files that were never made so large: a sparse one may have any size,
 * and would make all others go, or never leave room for one.
 */
static bool is_giant(const struct wish *wish,
		     const struct occ_listing_file *file)
{
	if (file->kind == OCC_NAME_FIXED)
		return file->size > FIXED_SIZE_MAX;
	return is_evictable(wish, file) && file->size > wish->max_size;
}

/* Is it what was listed, and of no use to anybody since? */
static bool is_unused(int directory, const struct occ_listing_file *file)
{
	struct occ_listing_file now;

	return !occ_listing_look(directory, file->name, &now) &&
	       now.size == file->size && now.used.tv_sec == file->used.tv_sec &&
	       now.used.tv_nsec == file->used.tv_nsec;
}

static bool is_too_old(const struct wish *wish,
		       const struct occ_listing_file *file)
{
	/* A hit doesn't use included files' contents. */
	return is_evictable(wish, file) && file->kind != OCC_NAME_NEO &&
	       file->kind != OCC_NAME_INCLUDED &&
	       file->used.tv_sec < wish->oldest;
}

static void tell(struct occ_evicted *evicted, uint64_t bytes)
{
	if (!evicted)
		return;
	__atomic_add_fetch(&evicted->files, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&evicted->bytes, bytes, __ATOMIC_RELAXED);
}

static bool remove_old(int directory, const struct wish *wish,
		       const struct occ_listing_file *file)
{
	if (!is_unused(directory, file) ||
	    occ_file_remove(directory, file->name) < 0)
		return false;
	tell(wish->evicted, file->size);
	return true;
}

/*
 * What is of no use to anybody. Of what is too old no more than a batch: the
 * rest is the first to be evicted.
 */
static void remove_useless(struct occ_size_ledger *ledger,
			   const struct wish *wish, struct occ_listing *listing)
{
	int directory = ledger->directory;
	size_t old = 0;

	for (size_t i = 0; i < listing->count; i++) {
		struct occ_listing_file *file = listing->files[i];
		bool is_ledger = !strcmp(file->name, OCC_NAME_SIZE_LEDGER);
		bool removed;

		if (file->kind == OCC_NAME_TEMP)
			removed = occ_temp_remove_orphan(directory, file->name);
		else if (is_giant(wish, file))
			/* The lock's file is cut, and written anew. */
			removed = is_ledger ? !occ_file_resize(ledger->file, 0)
					    : !occ_file_remove(directory,
							       file->name);
		else
			removed = is_too_old(wish, file) && old++ < BATCH &&
				  remove_old(directory, wish, file);
		if (!removed)
			continue;
		listing->total -= file->size;
		file->size = is_ledger ? OCC_SIZE_LEDGER_SIZE : 0;
		listing->total += file->size;
	}
}

static uint64_t evictable_size(const struct wish *wish,
			       const struct occ_listing *listing)
{
	uint64_t size = 0;

	for (size_t i = 0; i < listing->count; i++)
		if (is_evictable(wish, listing->files[i]))
			size += listing->files[i]->size;
	return size;
}

/* Removes the next file. Gone already is as good. */
static void remove_next(int directory, struct occ_eviction *eviction)
{
	struct occ_listing_file *file =
		eviction->listing.files[eviction->next++];

	if (!occ_file_remove(directory, file->name))
		tell(eviction->evicted, file->size);
	else if (errno != ENOENT)
		return;
	eviction->listing.total -= file->size;
	eviction->missing -=
		file->size < eviction->missing ? file->size : eviction->missing;
}

/* Enough, and then some, as long as others wait. */
static void evict(int directory, const struct wish *wish,
		  struct occ_eviction *eviction)
{
	struct occ_listing *listing = &eviction->listing;

	occ_listing_sort(listing);
	eviction->keep = wish->keep;
	eviction->evicted = wish->evicted;
	eviction->missing = wish->max_size / FREED_PART;
	for (size_t i = 0; eviction->next < listing->count; i++) {
		if (fits(wish, listing->total) &&
		    (!eviction->missing || i >= BATCH))
			return;
		if (is_evictable(wish, listing->files[eviction->next]))
			remove_next(directory, eviction);
		else
			eviction->next++;
	}
}

static int make_room(struct occ_size_ledger *ledger, const struct wish *wish,
		     struct occ_eviction *eviction)
{
	struct occ_listing *listing = &eviction->listing;
	uint64_t evictable;
	int error;

	remove_useless(ledger, wish, listing);
	if (!fits(wish, listing->total)) {
		evictable = evictable_size(wish, listing);
		if (fits(wish, listing->total - evictable))
			evict(ledger->directory, wish, eviction);
	}
	error = occ_size_ledger_set_size(ledger, listing->total);
	if (error)
		return error;
	return fits(wish, listing->total) ? OCC_OK : OCC_E_TOO_LARGE;
}

static void end(struct occ_eviction *eviction)
{
	occ_listing_release(&eviction->listing);
	*eviction = (struct occ_eviction){0};
}

/* A file server's clock may be another than ours. */
static int64_t clock_of(const struct occ_size_ledger *ledger)
{
	struct stat status;

	if (occ_file_touch(ledger->file, 0) < 0 ||
	    occ_file_status(ledger->file, &status) < 0)
		return occ_file_now();
	return status.st_mtim.tv_sec;
}

int occ_evict_begin(struct occ_size_ledger *ledger,
		    const struct occ_evict_limits *limits, uint64_t need,
		    const char *keep, struct occ_eviction *ret_eviction)
{
	const struct wish wish = {
		.max_size = limits->max_size,
		.need = need,
		.keep = keep,
		.keeps_all = limits->keeps,
		.oldest = limits->max_age ? occ_file_now() - limits->max_age
					  : INT64_MIN,
		.evicted = limits->evicted,
	};
	int error;

	*ret_eviction = (struct occ_eviction){0};
	if (!limits->max_size || fits(&wish, ledger->size))
		return OCC_OK;
	error = occ_listing_scan(ledger->directory, &ret_eviction->listing);
	if (error)
		return error;
	ret_eviction->listing.now = clock_of(ledger);
	error = make_room(ledger, &wish, ret_eviction);
	if (error || !ret_eviction->missing)
		end(ret_eviction);
	return error;
}

/* Under the lock. Returns the bytes that were freed. */
static uint64_t evict_batch(int directory, struct occ_eviction *eviction)
{
	const struct wish wish = {.keep = eviction->keep};
	struct occ_listing *listing = &eviction->listing;
	uint64_t before = listing->total;

	for (size_t i = 0;
	     i < BATCH && eviction->missing && eviction->next < listing->count;
	     i++) {
		struct occ_listing_file *file = listing->files[eviction->next];

		if (is_evictable(&wish, file) && is_unused(directory, file))
			remove_next(directory, eviction);
		else
			eviction->next++;
	}
	return before - listing->total;
}

static bool is_over(const struct occ_eviction *eviction)
{
	return !eviction->missing || eviction->next >= eviction->listing.count;
}

void occ_evict_finish(int directory, struct occ_eviction *eviction)
{
	struct occ_size_ledger ledger;
	int tries = 0, error = OCC_OK;

	while (!is_over(eviction) && tries < TRIES_MAX) {
		occ_file_pause(PAUSE_NS);
		error = occ_size_ledger_lock(directory, &ledger);
		tries = error ? tries + 1 : 0;
		if (error == OCC_E_BUSY)
			continue;
		if (error)
			break;
		occ_size_ledger_subtract(&ledger,
					 evict_batch(directory, eviction));
		occ_size_ledger_unlock(&ledger);
	}
	end(eviction);
}

int occ_evict_make_room(struct occ_size_ledger *ledger,
			const struct occ_evict_limits *limits, uint64_t need,
			const char *keep)
{
	struct occ_eviction eviction;
	int error = occ_evict_begin(ledger, limits, need, keep, &eviction);

	while (!error && !is_over(&eviction))
		error = occ_size_ledger_subtract(ledger,
						 evict_batch(ledger->directory,
							     &eviction));
	end(&eviction);
	return error;
}

struct orphans {
	int directory;
	int64_t now;
};

static bool visit_orphan(const char *name, void *data)
{
	const struct orphans *orphans = data;
	struct occ_size_ledger ledger;
	struct occ_listing_file file;
	int64_t age;

	if (occ_name_kind(name) != OCC_NAME_TEMP ||
	    occ_listing_look(orphans->directory, name, &file))
		return true;
	/* Less than 0: the clock was set back. */
	age = orphans->now - file.used.tv_sec;
	if (age >= 0 && age < ORPHAN_AGE)
		return true;
	/* What it can't have now isn't urgent. */
	if (occ_size_ledger_lock(orphans->directory, &ledger))
		return false;
	if (occ_temp_remove_orphan(orphans->directory, name))
		occ_size_ledger_subtract(&ledger, file.size);
	occ_size_ledger_unlock(&ledger);
	return true;
}

void occ_evict_orphans(int directory)
{
	struct orphans orphans = {directory, occ_file_now()};

	occ_file_list(directory, visit_orphan, &orphans);
}

/* Gives the bytes that went. */
static uint64_t remove_one(struct occ_removal *removal,
			   const struct occ_listing_file *file)
{
	struct stat status;
	uint64_t size;

	if (occ_file_status_at(removal->directory, file->name, &status) < 0)
		return 0;
	size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	if (file->kind == OCC_NAME_TEMP) {
		if (!occ_temp_remove_orphan(removal->directory, file->name))
			return 0;
	} else if (removal->may_go ? !removal->may_go(removal->directory, file,
						      removal->data)
				   : !is_unused(removal->directory, file)) {
		return 0;
	} else if (occ_file_remove(removal->directory, file->name) < 0) {
		if (errno == ENOENT)
			return 0;
		removal->failure = errno;
		removal->failed++;
		return 0;
	}
	removal->count++;
	removal->entries += file->kind == OCC_NAME_ENTRY;
	removal->bytes += size;
	return size;
}

static int remove_batch(struct occ_removal *removal,
			struct occ_listing_file *const *files, size_t count,
			bool first)
{
	struct occ_size_ledger ledger;
	uint64_t gone = 0;
	int error = occ_size_ledger_lock(removal->directory, &ledger);

	if (error)
		return error;
	/* (S7) What goes must have been counted before it can be taken off. */
	if (first)
		error = occ_size_ledger_recount(&ledger);
	for (size_t i = 0; !error && i < count; i++)
		gone += remove_one(removal, files[i]);
	/* A total that can't be lowered does no harm. */
	if (gone)
		occ_size_ledger_subtract(&ledger, gone);
	occ_size_ledger_unlock(&ledger);
	return error;
}

int occ_removal_run(struct occ_removal *removal,
		    struct occ_listing_file *const *files, size_t count)
{
	size_t done = 0;
	int error = OCC_OK, tries = 0;

	while (done < count) {
		size_t batch = count - done < BATCH ? count - done : BATCH;

		error = remove_batch(removal, files + done, batch, !done);
		/* Who has waited in vain doesn't wait again for a while. */
		if (error == OCC_E_BUSY && ++tries < REMOVAL_TRIES) {
			occ_file_pause(REMOVAL_BUSY);
			continue;
		}
		if (error)
			break;
		done += batch;
		if (removal->step)
			removal->step(batch, removal->data);
		if (done < count)
			occ_file_pause(PAUSE_NS);
	}
	return error;
}
