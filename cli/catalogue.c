/* SPDX-License-Identifier: MIT */
#include "cli/catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cache/directory.h"
#include "cache/file.h"
#include "cli/fields.h"
#include "cli/message.h"
#include "cli/parallel_for.h"
#include "cli/progress.h"

/* Digits that are shown of a hash at least. */
#define PREFIX_MIN 8

struct reading {
	int directory;
	bool or_roots;
	const struct occ_selection *selection;
	struct occ_item *items;
	bool *selected; /* of each item */
	struct occ_entry_file summaries[OCC_PARALLEL_MAX];
};

enum text {
	DEVICE,
	PLATFORM,
	DRIVER,
	KERNELS,
	OPTIONS,
	TEXTS,
};

static void find_texts(const struct occ_entry *entry,
		       struct occ_span texts[TEXTS])
{
	static const uint16_t ids[TEXTS] = {OCC_KEY_DEVICE_NAME,
					    OCC_KEY_PLATFORM_NAME,
					    OCC_KEY_DRIVER_VERSION, 0,
					    OCC_KEY_OPTIONS};
	struct occ_field field;
	size_t offset = 0;

	memset(texts, 0, TEXTS * sizeof(*texts));
	texts[KERNELS] = occ_entry_bytes(entry, OCC_META_KERNEL_NAMES);
	texts[OPTIONS] = occ_entry_bytes(entry, OCC_META_BUILD_OPTIONS);
	while (occ_field_next(entry->key.data, entry->key.size, &offset,
			      &field) == 1)
		for (int i = 0; i < TEXTS; i++)
			if (field.kind == OCC_FIELD_BYTES && ids[i] &&
			    ids[i] == field.id)
				texts[i] =
					(struct occ_span){field.payload,
							  (size_t)field.length};
	for (int i = 0; i < TEXTS; i++)
		texts[i] = occ_fields_text(texts[i]);
}

static void copy_texts(struct occ_item *item,
		       const struct occ_span texts[TEXTS])
{
	const char **places[TEXTS] = {&item->device, &item->platform,
				      &item->driver, &item->kernels,
				      &item->options};
	size_t size = 0;
	char *at;

	for (int i = 0; i < TEXTS; i++)
		size += texts[i].size + 1;
	item->memory = at = occ_message_must(malloc(size));
	for (int i = 0; i < TEXTS; i++) {
		*places[i] = at;
		if (texts[i].size)
			memcpy(at, texts[i].data, texts[i].size);
		at += texts[i].size;
		*at++ = '\0';
	}
}

static const char *fault_of(int error)
{
	switch (error) {
	case OCC_E_FORBIDDEN:
		return "owned by another user";
	case OCC_E_VERSION:
		return "written in another format version";
	case OCC_E_TOO_LARGE:
		return "too large";
	case OCC_E_CORRUPT:
		return "damaged";
	default:
		return "can't be read";
	}
}

static void read_item(size_t index, unsigned worker, void *data)
{
	struct reading *reading = data;
	struct occ_item *item = &reading->items[index];
	struct occ_entry_file *summary = &reading->summaries[worker];
	const struct occ_selection *selection = reading->selection;
	struct occ_entry *entry = &summary->entry;
	const char *name = item->file->name;
	struct occ_span texts[TEXTS];
	int error =
		occ_entry_file_read(reading->directory, name, reading->or_roots,
				    OCC_ENTRY_FILE_SUMMARY, summary);

	occ_progress_step(1);
	item->compile_time = UINT64_MAX;
	item->device = item->platform = item->driver = "";
	item->kernels = item->options = "";
	/* Gone meanwhile. */
	if (error == OCC_E_NOT_FOUND)
		return;
	if (error) {
		item->fault = fault_of(error);
		reading->selected[index] =
			!selection || !occ_selection_needs_entry(selection);
		return;
	}
	if (selection &&
	    !occ_selection_has_entry(selection, reading->directory, name,
				     reading->or_roots, entry))
		return;
	find_texts(entry, texts);
	copy_texts(item, texts);
	item->compile_time =
		occ_entry_number(entry, OCC_META_COMPILE_TIME, UINT64_MAX);
	item->created = occ_entry_number(entry, OCC_META_CREATED, 0);
	item->binary_size = entry->binary.size;
	reading->selected[index] = true;
}

static int compare_hashes(const void *one, const void *other)
{
	return memcmp(*(const char *const *)one, *(const char *const *)other,
		      OCC_DIGEST_HEX_SIZE - 1);
}

/* Of all entries: what tells those apart that are shown isn't enough. */
static size_t find_prefix(const struct occ_item *items, size_t count)
{
	const char **hashes =
		occ_message_must(calloc(count + 1, sizeof(*hashes)));
	size_t prefix = PREFIX_MIN;

	for (size_t i = 0; i < count; i++)
		hashes[i] = items[i].hash;
	qsort(hashes, count, sizeof(*hashes), compare_hashes);
	for (size_t i = 1; i < count; i++) {
		size_t common = 0;

		while (common < OCC_DIGEST_HEX_SIZE - 1 &&
		       hashes[i - 1][common] == hashes[i][common])
			common++;
		if (common < OCC_DIGEST_HEX_SIZE - 1 && common >= prefix)
			prefix = common + 1;
	}
	free(hashes);
	return prefix;
}

/* Of all entries, the last used first. */
static size_t list_entries(const struct occ_listing *listing,
			   struct occ_item *items)
{
	size_t count = 0;

	for (size_t i = listing->count; i-- > 0;) {
		const struct occ_listing_file *file = listing->files[i];

		if (file->kind != OCC_NAME_ENTRY)
			continue;
		items[count].file = file;
		memcpy(items[count++].hash, file->name,
		       OCC_DIGEST_HEX_SIZE - 1);
	}
	return count;
}

static void read_items(struct reading *reading, struct occ_catalogue *catalogue)
{
	size_t count = 0;

	/* Those that age and size leave. */
	for (size_t i = 0; i < catalogue->count; i++)
		if (!reading->selection ||
		    occ_selection_has_file(reading->selection,
					   catalogue->items[i].file))
			catalogue->items[count++] = catalogue->items[i];
	reading->items = catalogue->items;
	reading->selected = occ_message_must(calloc(count + 1, sizeof(bool)));
	occ_progress_begin("Reading", "entries", count);
	occ_parallel_for(count, read_item, reading);
	occ_progress_end();
	catalogue->count = 0;
	for (size_t i = 0; i < count; i++)
		if (reading->selected[i])
			catalogue->items[catalogue->count++] =
				reading->items[i];
	for (unsigned i = 0; i < OCC_PARALLEL_MAX; i++)
		occ_entry_file_release(&reading->summaries[i]);
	free(reading->selected);
}

bool occ_catalogue_read(struct occ_store *store,
			const struct occ_selection *selection,
			struct occ_catalogue *ret_catalogue)
{
	struct reading reading = {.or_roots = occ_store_is_read_only(store),
				  .selection = selection};
	struct occ_catalogue catalogue = {.prefix = PREFIX_MIN};
	int error =
		occ_directory_open(occ_store_directory(store),
				   reading.or_roots ? OCC_DIRECTORY_READ_ONLY
						    : OCC_DIRECTORY_MUST_EXIST,
				   &reading.directory);

	*ret_catalogue = catalogue;
	if (error == OCC_E_NO_DIRECTORY)
		return true;
	if (!error) {
		error = occ_listing_scan(reading.directory, &catalogue.listing);
		if (error)
			occ_file_close(reading.directory);
	}
	if (error) {
		occ_message_error("%s: %s", occ_store_directory(store),
				  error == OCC_E_IO ? strerror(errno)
						    : occ_error_string(error));
		return false;
	}
	occ_listing_sort(&catalogue.listing);
	catalogue.items = occ_message_must(
		calloc(catalogue.listing.count + 1, sizeof(*catalogue.items)));
	catalogue.count = list_entries(&catalogue.listing, catalogue.items);
	catalogue.prefix = find_prefix(catalogue.items, catalogue.count);
	read_items(&reading, &catalogue);
	occ_file_close(reading.directory);
	*ret_catalogue = catalogue;
	return true;
}

void occ_catalogue_release(struct occ_catalogue *catalogue)
{
	for (size_t i = 0; i < catalogue->count; i++)
		free(catalogue->items[i].memory);
	free(catalogue->items);
	occ_listing_release(&catalogue->listing);
}
