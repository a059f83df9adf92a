/* SPDX-License-Identifier: MIT */
#include "cli/stale_worth.h"

#include <stdlib.h>
#include <string.h>

#include "cache/file.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/store_path.h"

struct program {
	struct occ_digest digest;
	bool is_told; /* else it counts for nothing */
};

struct reading {
	int directory;
	bool or_roots;
	const struct occ_catalogue *catalogue;
	struct program *programs; /* of each of its items */
	struct occ_entry_file files[OCC_PARALLEL_MAX];
};

/* Of the driver, and of what is compiled by it. */
static bool is_drivers(uint16_t id)
{
	return id == OCC_KEY_VERSION ||
	       (id >= OCC_KEY_PLATFORM_NAME && id <= OCC_KEY_HOST_CPU);
}

static void look(size_t index, unsigned worker, void *data)
{
	struct reading *reading = data;
	const struct occ_item *item = &reading->catalogue->items[index];
	struct occ_entry_file *file = &reading->files[worker];
	struct occ_buffer fields = OCC_BUFFER_INIT;
	struct occ_field field;
	bool linked = false;
	size_t start = 0, offset = 0;

	if (item->fault ||
	    occ_entry_file_read(reading->directory, item->file->name,
				reading->or_roots, OCC_ENTRY_FILE_SUMMARY,
				file))
		return;
	while (occ_field_next(file->entry.key.data, file->entry.key.size,
			      &offset, &field) == 1) {
		linked |= field.id == OCC_KEY_LINK_INPUT;
		if (!is_drivers(field.id))
			occ_buffer_append(&fields, file->entry.key.data + start,
					  offset - start);
		start = offset;
	}
	if (fields.failed)
		occ_message_no_memory();
	occ_digest(fields.data, fields.size, OCC_SEED_CONTENT,
		   &reading->programs[index].digest);
	reading->programs[index].is_told = !linked;
	occ_buffer_release(&fields);
}

static int compare(const void *one, const void *other)
{
	return memcmp(one, other, OCC_DIGEST_SIZE);
}

/* Those that aren't among the current ones, each once. */
static void count(const struct reading *reading, const struct occ_stale *stale,
		  int64_t oldest, struct occ_stale_worth *worth)
{
	size_t all = stale->catalogue.count, known = 0;
	struct occ_digest *digests =
		occ_message_must(calloc(all + 1, sizeof(*digests)));

	for (size_t i = 0; i < all; i++)
		if (stale->whys[i] == OCC_STALE_NOT &&
		    reading->programs[i].is_told)
			digests[known++] = reading->programs[i].digest;
	for (size_t i = 0; i < all; i++) {
		const struct occ_item *item = &stale->catalogue.items[i];
		const struct program *program = &reading->programs[i];
		enum occ_stale_why why = stale->whys[i];

		if ((why != OCC_STALE_VERSION && why != OCC_STALE_PARTS) ||
		    !program->is_told || item->file->used.tv_sec < oldest)
			continue;
		qsort(digests, known, sizeof(*digests), compare);
		if (bsearch(&program->digest, digests, known, sizeof(*digests),
			    compare))
			continue;
		digests[known++] = program->digest;
		worth->programs++;
		if (item->compile_time != UINT64_MAX)
			worth->compile_time += item->compile_time;
	}
	free(digests);
}

bool occ_stale_worth(struct occ_store *store, const struct occ_stale *stale,
		     int64_t used_within, struct occ_stale_worth *ret_worth)
{
	struct reading reading = {.or_roots = occ_store_is_read_only(store),
				  .catalogue = &stale->catalogue};
	int64_t oldest = stale->catalogue.listing.now - used_within;

	*ret_worth = (struct occ_stale_worth){0};
	if (!stale->count)
		return true;
	if (!occ_store_path_enter(store, &reading.directory))
		return false;
	reading.programs = occ_message_must(
		calloc(stale->catalogue.count + 1, sizeof(*reading.programs)));
	if (reading.directory >= 0)
		occ_parallel_for(stale->catalogue.count, look, &reading);
	count(&reading, stale, oldest, ret_worth);
	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
		occ_entry_file_release(&reading.files[i]);
	free(reading.programs);
	occ_file_close(reading.directory);
	return true;
}
