/* SPDX-License-Identifier: MIT */
#include "cli/entry_contents.h"

#include <stdlib.h>
#include <string.h>

#include "cache/database_record.h"
#include "cache/entry_file.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/progress.h"

struct collection {
	int directory;
	bool or_roots;
	struct occ_listing_file *const *entries;
	struct occ_entry_file files[OCC_PARALLEL_MAX];
	struct occ_buffer found[OCC_PARALLEL_MAX]; /* digests */
	bool partial[OCC_PARALLEL_MAX];
};

static void take(struct occ_span payload, struct occ_buffer *found)
{
	struct occ_recorded_file file;

	if (occ_recorded_file_parse(payload, &file))
		occ_buffer_append(found, file.name.bytes, OCC_DIGEST_SIZE);
}

/* False: a path is too long to be in it. */
static bool take_summary(struct occ_span key, struct occ_buffer *found)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(key.data, key.size, &offset, &field) == 1) {
		if (field.id != OCC_KEY_INCLUDE_FILE)
			continue;
		if (field.kind != OCC_FIELD_BYTES)
			return false;
		take(occ_field_span(&field), found);
	}
	return true;
}

static void take_whole(const struct occ_entry_file *file,
		       struct occ_buffer *found)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(file, &cursor, &id, &bytes) == 1)
		if (id == OCC_KEY_INCLUDE_FILE)
			take(bytes, found);
}

static void look(size_t index, unsigned worker, void *data)
{
	struct collection *collection = data;
	struct occ_entry_file *file = &collection->files[worker];
	struct occ_buffer *found = &collection->found[worker];
	const char *name = collection->entries[index]->name;
	int error = occ_entry_file_read(collection->directory, name,
					collection->or_roots,
					OCC_ENTRY_FILE_SUMMARY, file);

	if (!error && !take_summary(file->entry.key, found)) {
		error = occ_entry_file_read(collection->directory, name,
					    collection->or_roots,
					    OCC_ENTRY_FILE_WHOLE, file);
		if (!error)
			take_whole(file, found);
	}
	if (error && error != OCC_E_NOT_FOUND)
		collection->partial[worker] = true;
	occ_progress_step(1);
}

static int compare(const void *one, const void *other)
{
	return memcmp(one, other, OCC_DIGEST_SIZE);
}

/* Sorted, each once. */
static void tidy(struct occ_entry_contents *contents)
{
	size_t count = 0;

	if (contents->count)
		qsort(contents->digests, contents->count,
		      sizeof(*contents->digests), compare);
	for (size_t i = 0; i < contents->count; i++)
		if (!count || compare(&contents->digests[count - 1],
				      &contents->digests[i]))
			contents->digests[count++] = contents->digests[i];
	contents->count = count;
}

void occ_entry_contents_collect(int directory, bool or_roots,
				struct occ_listing_file *const *entries,
				size_t count,
				struct occ_entry_contents *ret_contents)
{
	struct collection collection = {.directory = directory,
					.or_roots = or_roots,
					.entries = entries};
	struct occ_entry_contents contents = {.count = 0};
	struct occ_buffer all = OCC_BUFFER_INIT;

	occ_progress_begin("Reading", "entries", count);
	occ_parallel_for(count, look, &collection);
	occ_progress_end();
	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++) {
		struct occ_buffer *found = &collection.found[i];

		occ_buffer_append(&all, found->data, found->size);
		all.failed |= found->failed;
		contents.is_partial |= collection.partial[i];
		occ_buffer_release(found);
		occ_entry_file_release(&collection.files[i]);
	}
	if (all.failed)
		occ_message_no_memory();
	contents.count = all.size / OCC_DIGEST_SIZE;
	contents.digests = occ_message_must(
		calloc(contents.count + 1, sizeof(*contents.digests)));
	if (all.size)
		memcpy(contents.digests, all.data, all.size);
	occ_buffer_release(&all);
	tidy(&contents);
	*ret_contents = contents;
}

void occ_entry_contents_release(struct occ_entry_contents *contents)
{
	free(contents->digests);
}

bool occ_entry_contents_has(const struct occ_entry_contents *contents,
			    const char *name)
{
	char needed[OCC_NAME_SIZE];
	size_t low = 0, high = contents->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order;

		/* Hex digits sort as the bytes do. */
		occ_name_included(&contents->digests[middle], needed);
		order = strcmp(name, needed);
		if (!order)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return contents->is_partial;
}
