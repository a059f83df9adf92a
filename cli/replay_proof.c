/* SPDX-License-Identifier: MIT */
/* Is what was built what was recorded? The included files may be others. */
#include <stdlib.h>
#include <string.h>

#include "cache/entry_file.h"
#include "cli/message.h"
#include "cli/record_view.h"
#include "cli/replay_files.h"
#include "cli/text.h"

static bool is_of_files(uint16_t id)
{
	return id == OCC_KEY_INCLUDE_FILE || id == OCC_KEY_INCLUDE_PRESENT;
}

/* A field of an included file, of a key or a record: their ids are the same. */
struct included {
	uint16_t id;
	struct occ_span payload;
	struct occ_recorded_file file;
	uint32_t number; /* equal where it is the same file */
};

struct list {
	struct included *items;
	size_t count;
};

static void add(struct list *list, uint16_t id, struct occ_span payload)
{
	struct included *item;

	list->items = occ_message_must(
		realloc(list->items, (list->count + 1) * sizeof(*list->items)));
	item = &list->items[list->count];
	*item = (struct included){.id = id, .payload = payload};
	if (!occ_recorded_file_parse(payload, &item->file))
		return;
	item->number = occ_get_u32(payload.data + OCC_KEY_FILE_CONTENT);
	list->count++;
}

static void add_records(struct list *list, struct occ_span step)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(step.data, step.size, &offset, &field) == 1)
		if (field.id == OCC_BUILD_INCLUDE_FILE)
			add(list, OCC_KEY_INCLUDE_FILE, occ_field_span(&field));
		else if (field.id == OCC_BUILD_INCLUDE_PRESENT)
			add(list, OCC_KEY_INCLUDE_PRESENT,
			    occ_field_span(&field));
}

static void add_keys(struct list *list, const struct occ_entry_file *entry)
{
	struct occ_entry_file_cursor cursor = {0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_entry_file_next(entry, &cursor, &id, &bytes) == 1)
		if (is_of_files(id))
			add(list, id, bytes);
}

static size_t first_of(const struct list *list, size_t index)
{
	size_t first = 0;

	while (list->items[first].number != list->items[index].number)
		first++;
	return first;
}

/* Which are one file by two names counts, the numbers themselves don't. */
static bool is_same(const struct list *one, const struct list *other,
		    size_t index)
{
	const struct included *a = &one->items[index];
	const struct included *b = &other->items[index];

	return a->id == b->id && occ_span_equal(a->file.path, b->file.path) &&
	       !memcmp(a->payload.data, b->payload.data,
		       OCC_KEY_FILE_CONTENT) &&
	       first_of(one, index) == first_of(other, index);
}

static char *path_of(const struct list *list, size_t index)
{
	const struct occ_span *path = &list->items[index].file.path;

	return occ_text("%.*s", (int)path->size, (const char *)path->data);
}

static char *difference(const struct list *recorded, const struct list *built)
{
	for (size_t i = 0; i < recorded->count && i < built->count; i++)
		if (!is_same(recorded, built, i))
			return path_of(built, i);
	if (recorded->count > built->count)
		return path_of(recorded, built->count);
	return recorded->count < built->count ? path_of(built, recorded->count)
					      : NULL;
}

char *occ_replay_files_compare(const char *directory, const char *hash,
			       struct occ_span step)
{
	char *path = occ_text("%s/%s.cl_cache", directory, hash);
	struct list recorded = {.count = 0}, built = {.count = 0};
	struct occ_entry_file entry = {0};
	char *differs = NULL;

	add_records(&recorded, step);
	/* One that is gone by now has been evicted. */
	if (!occ_entry_file_read_path(path, &entry)) {
		add_keys(&built, &entry);
		differs = difference(&recorded, &built);
	}
	occ_entry_file_release(&entry);
	free(recorded.items);
	free(built.items);
	free(path);
	return differs;
}
