/* SPDX-License-Identifier: MIT */
#include "cli/replay_room.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/evict.h"
#include "cache/listing.h"
#include "cli/message.h"

/* Of the maximum is freed: so that a full store isn't listed for each program.
 */
#define PART 8

/* How many of the files are chosen. */
static size_t choose(struct occ_listing *listing, uint64_t max_size,
		     int64_t before, struct occ_listing_file **ret_files)
{
	uint64_t freed = 0;
	size_t count = 0;

	occ_listing_sort(listing);
	for (size_t i = 0; i < listing->count && freed <= max_size / PART;
	     i++) {
		struct occ_listing_file *file = listing->files[i];

		if (!occ_name_is_evictable(file->kind) || file->is_last ||
		    file->used.tv_sec >= before)
			continue;
		ret_files[count++] = file;
		freed += file->size;
	}
	return count;
}

bool occ_replay_room_make(const char *directory, uint64_t max_size,
			  int64_t before)
{
	struct occ_removal removal = {
		.directory =
			open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	struct occ_listing_file **files;
	struct occ_listing listing = {0};

	if (removal.directory < 0)
		return false;
	if (!occ_listing_scan(removal.directory, &listing)) {
		files = occ_message_must(
			calloc(listing.count + 1, sizeof(*files)));
		/* What was used meanwhile stays. */
		occ_removal_run(&removal, files,
				choose(&listing, max_size, before, files));
		free(files);
		occ_listing_release(&listing);
	}
	close(removal.directory);
	return removal.count > 0;
}
