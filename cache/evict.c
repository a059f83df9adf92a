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
#define FREED_PART 3

/* What is to be, and the one file that is to stay. */
struct wish {
	uint64_t max_size;
	uint64_t need;
	const char *keep;
};

static bool fits(const struct wish *wish, uint64_t size)
{
	return wish->need <= wish->max_size &&
	       size <= wish->max_size - wish->need;
}

static bool is_evictable(const struct wish *wish,
			 const struct occ_listing_file *file)
{
	if (wish->keep && !strcmp(file->name, wish->keep))
		return false;
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

static uint64_t evictable_size(const struct wish *wish,
			       const struct occ_listing *listing)
{
	uint64_t size = 0;

	for (size_t i = 0; i < listing->count; i++)
		if (is_evictable(wish, listing->files[i]))
			size += listing->files[i]->size;
	return size;
}

static void evict(int directory, const struct wish *wish,
		  struct occ_listing *listing)
{
	uint64_t freed = 0;

	occ_listing_sort(listing);
	for (size_t i = 0; i < listing->count; i++) {
		struct occ_listing_file *file = listing->files[i];

		if (freed >= wish->max_size / FREED_PART &&
		    fits(wish, listing->total))
			return;
		if (!is_evictable(wish, file))
			continue;
		/* Gone already is as good. */
		if (occ_file_remove(directory, file->name) < 0 &&
		    errno != ENOENT)
			continue;
		listing->total -= file->size;
		freed += file->size;
	}
}

static int make_room(struct occ_config *config, const struct wish *wish,
		     struct occ_listing *listing)
{
	uint64_t evictable;
	int error;

	remove_orphans(config->directory, listing);
	if (!fits(wish, listing->total)) {
		evictable = evictable_size(wish, listing);
		if (fits(wish, listing->total - evictable))
			evict(config->directory, wish, listing);
	}
	error = occ_config_set_size(config, listing->total);
	if (error)
		return error;
	return fits(wish, listing->total) ? OCC_OK : OCC_E_TOO_LARGE;
}

int occ_evict_make_room(struct occ_config *config, uint64_t max_size,
			uint64_t need, const char *keep)
{
	const struct wish wish = {max_size, need, keep};
	struct occ_listing listing;
	int error;

	if (!max_size || fits(&wish, config->size))
		return OCC_OK;
	error = occ_listing_scan(config->directory, &listing);
	if (error)
		return error;
	error = make_room(config, &wish, &listing);
	occ_listing_release(&listing);
	return error;
}
