/* SPDX-License-Identifier: MIT */
#include "layer/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "cache/state.h"
#include "hash/digest.h"
#include "layer/log.h"

/* A part begins; where, for end() or abandon(). */
static size_t begin(struct occ_inventory *inventory, const char *name)
{
	size_t start = inventory->parts.size;

	occ_buffer_append(&inventory->parts, name, strlen(name));
	occ_buffer_append(&inventory->parts, " ", 1);
	return start;
}

static void end(struct occ_inventory *inventory)
{
	occ_buffer_append(&inventory->parts, "", 1);
}

static void abandon(struct occ_inventory *inventory, size_t start)
{
	inventory->parts.size = start;
	inventory->failed = true;
}

void occ_inventory_add_id(struct occ_inventory *inventory, const char *name,
			  struct occ_span id)
{
	begin(inventory, name);
	occ_fingerprint_append_id(&inventory->parts, id.data, id.size);
	end(inventory);
}

bool occ_inventory_has_id(const struct occ_inventory *inventory,
			  const char *name, struct occ_span id)
{
	struct occ_inventory part = OCC_INVENTORY_INIT;
	bool has;

	occ_inventory_add_id(&part, name, id);
	has = !part.parts.failed &&
	      occ_buffer_has_string(&inventory->parts,
				    (const char *)part.parts.data);
	occ_inventory_release(&part);
	return has;
}

static void note_file(struct occ_inventory *inventory, const char *path)
{
	occ_buffer_append(&inventory->files, path, strlen(path) + 1);
}

/* Ends a part; fails for what there is but can't be told. */
static void end_found(struct occ_inventory *inventory, size_t start,
		      enum occ_fingerprint found, const char *path)
{
	if (found == OCC_FINGERPRINT_UNKNOWN) {
		occ_log_debug("can't tell the identity of %s", path);
		abandon(inventory, start);
		return;
	}
	if (found == OCC_FINGERPRINT_ABSENT)
		occ_buffer_append(&inventory->parts, "absent", 6);
	else
		note_file(inventory, path);
	end(inventory);
}

void occ_inventory_add_object(struct occ_inventory *inventory, const char *name,
			      const char *path)
{
	size_t start = begin(inventory, name);

	occ_survey_note(&inventory->survey, path);
	end_found(inventory, start,
		  occ_fingerprint_object(&inventory->memory, path,
					 &inventory->parts),
		  path);
}

enum occ_fingerprint occ_inventory_add_content(struct occ_inventory *inventory,
					       const char *name,
					       const char *path)
{
	size_t start = begin(inventory, name);
	enum occ_fingerprint found;

	occ_survey_note(&inventory->survey, path);
	found = occ_fingerprint_content(&inventory->memory, path,
					&inventory->parts);
	end_found(inventory, start, found, path);
	return found;
}

void occ_inventory_add_absent(struct occ_inventory *inventory, const char *name)
{
	begin(inventory, name);
	occ_buffer_append(&inventory->parts, "absent", 6);
	end(inventory);
}

void occ_inventory_add_unread(struct occ_inventory *inventory,
			      const struct occ_digest *premises)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	begin(inventory, "files");
	occ_digest_hex(premises, hex);
	occ_buffer_append(&inventory->parts, "unread:", 7);
	occ_buffer_append(&inventory->parts, hex, strlen(hex));
	end(inventory);
}

/* The files' names and contents. NULL, or the path of one that can't be told.
 */
static const char *collect(struct occ_inventory *inventory, char *const *paths,
			   size_t count, struct occ_buffer *all)
{
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(paths[i], '/');
		const char *file = slash ? slash + 1 : paths[i];

		occ_survey_note(&inventory->survey, paths[i]);
		occ_buffer_append(all, file, strlen(file) + 1);
		note_file(inventory, paths[i]);
		if (occ_fingerprint_content(&inventory->memory, paths[i],
					    all) != OCC_FINGERPRINT_FOUND)
			return paths[i];
	}
	return NULL;
}

void occ_inventory_add_group(struct occ_inventory *inventory, const char *name,
			     char *const *paths, size_t count)
{
	struct occ_buffer all = OCC_BUFFER_INIT;
	size_t start = begin(inventory, name);
	const char *unknown = collect(inventory, paths, count, &all);
	struct occ_digest digest;
	char hex[OCC_DIGEST_HEX_SIZE];

	if (unknown) {
		end_found(inventory, start, OCC_FINGERPRINT_UNKNOWN, unknown);
	} else {
		occ_digest(all.data, all.size, OCC_SEED_CONTENT, &digest);
		occ_digest_hex(&digest, hex);
		occ_buffer_append(&inventory->parts, "content:", 8);
		occ_buffer_append(&inventory->parts, hex, strlen(hex));
		end(inventory);
		inventory->failed |= all.failed;
	}
	occ_buffer_release(&all);
}

/* The digest of the premises follows. */
static const char prefix[] = "inventory ";

#define PREFIX_SIZE (sizeof(prefix) - 1)
#define NAME_SIZE   (PREFIX_SIZE + OCC_DIGEST_HEX_SIZE)

static void name_of(const struct occ_digest *premises, char ret_name[NAME_SIZE])
{
	memcpy(ret_name, prefix, sizeof(prefix));
	occ_digest_hex(premises, ret_name + PREFIX_SIZE);
}

/* What is remembered: the survey's digest, u32 size of the parts, both. */
#define AT_PARTS_SIZE OCC_DIGEST_SIZE
#define AT_PARTS      (OCC_DIGEST_SIZE + 4)

static bool is_sound(const unsigned char *value, size_t size)
{
	size_t parts_size;

	if (size < AT_PARTS)
		return false;
	parts_size = occ_get_u32(value + AT_PARTS_SIZE);
	return parts_size <= size - AT_PARTS &&
	       (!parts_size || !value[AT_PARTS + parts_size - 1]) &&
	       (size == AT_PARTS + parts_size || !value[size - 1]);
}

static bool recall(struct occ_inventory *inventory, const unsigned char *value,
		   size_t size)
{
	const char *paths;
	struct occ_digest digest;
	size_t parts_size;

	if (!is_sound(value, size))
		return false;
	memcpy(digest.bytes, value, sizeof(digest.bytes));
	parts_size = occ_get_u32(value + AT_PARTS_SIZE);
	paths = (const char *)value + AT_PARTS + parts_size;
	if (!occ_survey_holds(paths, size - AT_PARTS - parts_size, &digest,
			      &inventory->files))
		return false;
	occ_buffer_append(&inventory->parts, value + AT_PARTS, parts_size);
	return true;
}

bool occ_inventory_recall(struct occ_inventory *inventory,
			  const struct occ_digest *premises)
{
	unsigned char *value = malloc(OCC_STATE_VALUE_MAX);
	char name[NAME_SIZE];
	bool recalled = false;
	size_t size;

	name_of(premises, name);
	if (value && occ_recall_find(&inventory->memory, name, value,
				     OCC_STATE_VALUE_MAX, &size))
		recalled = recall(inventory, value, size);
	free(value);
	return recalled;
}

static void note_parts(struct occ_inventory *inventory,
		       const struct occ_digest *premises, size_t from)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_digest digest;
	unsigned char size[4];
	char name[NAME_SIZE];

	if (inventory->failed || inventory->parts.failed ||
	    !occ_survey_finish(&inventory->survey, &digest))
		return;
	name_of(premises, name);
	occ_put_u32(size, (uint32_t)(inventory->parts.size - from));
	occ_buffer_append(&value, digest.bytes, sizeof(digest.bytes));
	occ_buffer_append(&value, size, sizeof(size));
	occ_buffer_append(&value, inventory->parts.data + from,
			  inventory->parts.size - from);
	occ_buffer_append(&value, inventory->survey.paths.data,
			  inventory->survey.paths.size);
	if (!value.failed)
		occ_recall_note(&inventory->memory, name, value.data,
				value.size);
	occ_buffer_release(&value);
}

void occ_inventory_remember(struct occ_inventory *inventory,
			    const struct occ_digest *premises, size_t from)
{
	note_parts(inventory, premises, from);
	occ_recall_save(&inventory->memory);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Pointers to the parts; NULL: out of memory. */
static char **list_parts(const struct occ_buffer *parts, size_t *ret_count)
{
	char *part = (char *)parts->data;
	const char *end = part + parts->size;
	size_t count = 0;
	char **list;

	for (const char *at = part; at < end; at += strlen(at) + 1)
		count++;
	list = malloc((count + 1) * sizeof(*list));
	*ret_count = count;
	for (size_t i = 0; list && i < count; i++) {
		list[i] = part;
		part += strlen(part) + 1;
	}
	return list;
}

static void sort(const struct occ_buffer *parts, struct occ_buffer *ret_sorted)
{
	size_t count;
	char **list = list_parts(parts, &count);

	ret_sorted->failed = !list;
	if (!list)
		return;
	qsort(list, count, sizeof(*list), by_text);
	for (size_t i = 0; i < count; i++)
		if (!i || strcmp(list[i], list[i - 1]) != 0)
			occ_buffer_append(ret_sorted, list[i],
					  strlen(list[i]) + 1);
	free(list);
}

const struct occ_buffer *occ_inventory_finish(struct occ_inventory *inventory)
{
	if (inventory->failed || inventory->parts.failed ||
	    inventory->files.failed)
		return NULL;
	if (!inventory->sorted.size ||
	    inventory->sorted_size != inventory->parts.size) {
		occ_buffer_release(&inventory->sorted);
		sort(&inventory->parts, &inventory->sorted);
		inventory->sorted_size = inventory->parts.size;
	}
	return inventory->sorted.failed ? NULL : &inventory->sorted;
}

void occ_inventory_release(struct occ_inventory *inventory)
{
	occ_buffer_release(&inventory->parts);
	occ_buffer_release(&inventory->files);
	occ_buffer_release(&inventory->sorted);
	occ_survey_release(&inventory->survey);
	occ_recall_release(&inventory->memory);
	*inventory = (struct occ_inventory)OCC_INVENTORY_INIT;
}
