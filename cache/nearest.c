/* SPDX-License-Identifier: MIT */
#include "cache/nearest.h"

#include <fcntl.h>
#include <string.h>

#include "cache/directory.h"
#include "cache/entry.h"
#include "cache/file.h"
#include "cache/listing.h"

/* Longer ones than any key that this version makes are passed over. */
#define KEY_SIZE_MAX (UINT64_C(1) << 22)

static bool read_part(int file, uint64_t offset, size_t size,
		      struct occ_buffer *ret_bytes)
{
	unsigned char part[4096];

	while (size) {
		size_t want = size < sizeof(part) ? size : sizeof(part);

		if (occ_file_read(file, offset, part, want) != (ssize_t)want)
			return false;
		occ_buffer_append(ret_bytes, part, want);
		offset += want;
		size -= want;
	}
	return !ret_bytes->failed;
}

/* The stored key of an entry's file. */
static bool read_key(int file, struct occ_digest *ret_hash,
		     struct occ_buffer *ret_key)
{
	unsigned char head[OCC_ENTRY_HEAD_SIZE];
	uint64_t offset, size;
	struct stat status;
	ssize_t count;

	if (occ_file_status(file, &status) < 0 || !S_ISREG(status.st_mode) ||
	    !occ_file_is_mine(&status))
		return false;
	count = occ_file_read(file, 0, head, sizeof(head));
	if (count < 0 ||
	    occ_entry_find_key(head, (size_t)count, (uint64_t)status.st_size,
			       ret_hash, &offset, &size) ||
	    size > KEY_SIZE_MAX)
		return false;
	return read_part(file, offset, (size_t)size, ret_key);
}

struct search {
	const struct occ_stored_key *key;
	occ_nearest_is_good is_good; /* NULL: all are */
	void *data;
	struct occ_nearest nearest;
};

static bool is_nearer(const struct search *search, uint64_t distance,
		      const char *name)
{
	return distance && distance < search->nearest.distance &&
	       (!search->is_good || search->is_good(name, search->data));
}

/* Takes the place of the nearest so far if it is nearer. */
static void look(int directory, const char *name, struct search *search)
{
	struct occ_nearest found = {.key = OCC_BUFFER_INIT};
	int file = occ_file_open(directory, name, O_RDONLY);
	struct occ_stored_key other;

	if (file < 0)
		return;
	if (read_key(file, &found.hash, &found.key)) {
		other = (struct occ_stored_key){found.key.data, found.key.size};
		found.distance = occ_difference_distance(search->key, &other);
		if (is_nearer(search, found.distance, name)) {
			struct occ_buffer former = search->nearest.key;

			memcpy(found.name, name, strlen(name) + 1);
			search->nearest = found;
			found.key = former;
		}
	}
	occ_file_close(file);
	occ_buffer_release(&found.key);
}

static void look_at_all(int directory, const struct occ_listing *listing,
			struct search *search)
{
	unsigned looks = 0;

	/* The last is the newest. */
	for (size_t i = listing->count; i > 0 && looks < OCC_NEAREST_LOOKS;
	     i--) {
		const struct occ_listing_file *file = listing->files[i - 1];

		if (file->kind != OCC_NAME_ENTRY ||
		    strlen(file->name) >= OCC_NAME_SIZE)
			continue;
		look(directory, file->name, search);
		looks++;
	}
}

int occ_nearest_find_good(struct occ_store *store,
			  const struct occ_stored_key *key,
			  occ_nearest_is_good is_good, void *data,
			  struct occ_nearest *ret_nearest)
{
	struct search search = {.key = key,
				.is_good = is_good,
				.data = data,
				.nearest = {.distance = UINT64_MAX}};
	struct occ_listing listing;
	int directory, error;

	error = occ_directory_open(occ_store_directory(store),
				   OCC_DIRECTORY_MUST_EXIST, &directory);
	if (error)
		return error == OCC_E_NO_DIRECTORY ? OCC_E_NOT_FOUND : error;
	error = occ_listing_scan(directory, &listing);
	if (!error) {
		occ_listing_sort(&listing);
		look_at_all(directory, &listing, &search);
		occ_listing_release(&listing);
		error = search.nearest.distance == UINT64_MAX ? OCC_E_NOT_FOUND
							      : OCC_OK;
	}
	occ_file_close(directory);
	if (!error)
		*ret_nearest = search.nearest;
	return error;
}

int occ_nearest_find(struct occ_store *store, const struct occ_stored_key *key,
		     struct occ_nearest *ret_nearest)
{
	return occ_nearest_find_good(store, key, NULL, NULL, ret_nearest);
}

void occ_nearest_release(struct occ_nearest *nearest)
{
	occ_buffer_release(&nearest->key);
}
