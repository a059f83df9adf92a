/* SPDX-License-Identifier: MIT */
#include "cache/evict.h"

#include <errno.h>

#include "cache/file.h"
#include "cache/listing.h"
#include "cache/temp.h"

/*
 * Evicting no more than is needed would mean to scan the directory again for
 * the next entry; NEO frees a third, too.
 */
#define FREED_PART 3

static bool fits(uint64_t size, uint64_t need, uint64_t max_size)
{
	return need <= max_size && size <= max_size - need;
}

static bool is_evictable(const struct occ_listing_file *file)
{
	return file->kind == OCC_NAME_ENTRY || file->kind == OCC_NAME_NEO ||
	       file->kind == OCC_NAME_TRACE;
}

static void remove_orphans(int directory, struct occ_listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		struct occ_listing_file *file = listing->files[i];

		if (file->kind != OCC_NAME_TEMP ||
		    !occ_temp_remove_orphan(directory, file->name))
			continue;
		listing->total -= file->size;
		file->size = 0;
	}
}

static uint64_t evictable_size(const struct occ_listing *listing)
{
	uint64_t size = 0;

	for (size_t i = 0; i < listing->count; i++)
		if (is_evictable(listing->files[i]))
			size += listing->files[i]->size;
	return size;
}

static void evict(int directory, struct occ_listing *listing, uint64_t max_size,
		  uint64_t need)
{
	uint64_t freed = 0;

	occ_listing_sort(listing);
	for (size_t i = 0; i < listing->count; i++) {
		struct occ_listing_file *file = listing->files[i];

		if (freed >= max_size / FREED_PART &&
		    fits(listing->total, need, max_size))
			return;
		if (!is_evictable(file))
			continue;
		/* Gone already is as good. */
		if (occ_file_remove(directory, file->name) < 0 &&
		    errno != ENOENT)
			continue;
		listing->total -= file->size;
		freed += file->size;
	}
}

static int make_room(struct occ_config *config, struct occ_listing *listing,
		     uint64_t max_size, uint64_t need)
{
	uint64_t evictable;
	int error;

	remove_orphans(config->directory, listing);
	if (!fits(listing->total, need, max_size)) {
		evictable = evictable_size(listing);
		if (fits(listing->total - evictable, need, max_size))
			evict(config->directory, listing, max_size, need);
	}
	error = occ_config_set_size(config, listing->total);
	if (error)
		return error;
	return fits(listing->total, need, max_size) ? OCC_OK : OCC_E_TOO_LARGE;
}

int occ_evict_make_room(struct occ_config *config, uint64_t max_size,
			uint64_t need)
{
	struct occ_listing listing;
	int error;

	if (!max_size || fits(config->size, need, max_size))
		return OCC_OK;
	error = occ_listing_scan(config->directory, &listing);
	if (error)
		return error;
	error = make_room(config, &listing, max_size, need);
	occ_listing_release(&listing);
	return error;
}
