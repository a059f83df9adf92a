/* SPDX-License-Identifier: MIT */
#include "layer/driver/driver_components.h"

#include <stdlib.h>
#include <string.h>

#include "cache/state.h"
#include "hash/buffer.h"
#include "hash/digest.h"
#include "layer/base/log.h"

/* A part begins; where, for end() or abandon(). */
static size_t begin(struct occ_driver_components *components, const char *name)
{
	size_t start = components->parts.size;

	occ_buffer_append(&components->parts, name, strlen(name));
	occ_buffer_append(&components->parts, " ", 1);
	return start;
}

static void end(struct occ_driver_components *components)
{
	occ_buffer_append(&components->parts, "", 1);
}

static void abandon(struct occ_driver_components *components, size_t start)
{
	components->parts.size = start;
	components->failed = true;
}

void occ_driver_components_add_id(struct occ_driver_components *components,
				  const char *name, struct occ_span id)
{
	begin(components, name);
	occ_fingerprint_append_id(&components->parts, id.data, id.size);
	end(components);
}

bool occ_driver_components_has_id(
	const struct occ_driver_components *components, const char *name,
	struct occ_span id)
{
	struct occ_driver_components part = OCC_DRIVER_COMPONENTS_INIT;
	bool has;

	occ_driver_components_add_id(&part, name, id);
	has = !part.parts.failed &&
	      occ_buffer_has_string(&components->parts,
				    (const char *)part.parts.data);
	occ_driver_components_release(&part);
	return has;
}

static void note_file(struct occ_driver_components *components,
		      const char *path)
{
	occ_buffer_append(&components->files, path, strlen(path) + 1);
}

/* Ends a part; fails for what there is but can't be told. */
static void end_found(struct occ_driver_components *components, size_t start,
		      enum occ_fingerprint found, const char *path)
{
	if (found == OCC_FINGERPRINT_UNKNOWN) {
		occ_log_debug("can't tell the identity of %s", path);
		abandon(components, start);
		return;
	}
	if (found == OCC_FINGERPRINT_ABSENT)
		occ_buffer_append(&components->parts, "absent", 6);
	else
		note_file(components, path);
	end(components);
}

void occ_driver_components_add_object(struct occ_driver_components *components,
				      const char *name, const char *path)
{
	size_t start = begin(components, name);

	occ_stat_snapshot_note(&components->snapshot, path);
	end_found(components, start,
		  occ_fingerprint_object(&components->memory, path,
					 &components->parts),
		  path);
}

enum occ_fingerprint occ_driver_components_add_content(
	struct occ_driver_components *components, const char *name,
	const char *path)
{
	size_t start = begin(components, name);
	enum occ_fingerprint found;

	occ_stat_snapshot_note(&components->snapshot, path);
	found = occ_fingerprint_content(&components->memory, path,
					&components->parts);
	end_found(components, start, found, path);
	return found;
}

void occ_driver_components_add_absent(struct occ_driver_components *components,
				      const char *name)
{
	begin(components, name);
	occ_buffer_append(&components->parts, "absent", 6);
	end(components);
}

void occ_driver_components_add_unread(struct occ_driver_components *components,
				      const struct occ_digest *premises)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	begin(components, "files");
	occ_digest_hex(premises, hex);
	occ_buffer_append(&components->parts, "unread:", 7);
	occ_buffer_append(&components->parts, hex, strlen(hex));
	end(components);
}

/* The files' names and contents. NULL, or the path of one that can't be told.
 */
static const char *collect(struct occ_driver_components *components,
			   char *const *paths, size_t count,
			   struct occ_buffer *all)
{
	for (size_t i = 0; i < count; i++) {
		const char *slash = strrchr(paths[i], '/');
		const char *file = slash ? slash + 1 : paths[i];

		occ_stat_snapshot_note(&components->snapshot, paths[i]);
		occ_buffer_append(all, file, strlen(file) + 1);
		note_file(components, paths[i]);
		if (occ_fingerprint_content(&components->memory, paths[i],
					    all) != OCC_FINGERPRINT_FOUND)
			return paths[i];
	}
	return NULL;
}

void occ_driver_components_add_group(struct occ_driver_components *components,
				     const char *name, char *const *paths,
				     size_t count)
{
	struct occ_buffer all = OCC_BUFFER_INIT;
	size_t start = begin(components, name);
	const char *unknown = collect(components, paths, count, &all);
	struct occ_digest digest;
	char hex[OCC_DIGEST_HEX_SIZE];

	if (unknown) {
		end_found(components, start, OCC_FINGERPRINT_UNKNOWN, unknown);
	} else {
		occ_digest(all.data, all.size, OCC_SEED_CONTENT, &digest);
		occ_digest_hex(&digest, hex);
		occ_buffer_append(&components->parts, "content:", 8);
		occ_buffer_append(&components->parts, hex, strlen(hex));
		end(components);
		components->failed |= all.failed;
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

/* What is remembered: the snapshot's digest, u32 size of the parts, both. */
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

static bool recall(struct occ_driver_components *components,
		   const unsigned char *value, size_t size)
{
	const char *paths;
	struct occ_digest digest;
	size_t parts_size;

	if (!is_sound(value, size))
		return false;
	memcpy(digest.bytes, value, sizeof(digest.bytes));
	parts_size = occ_get_u32(value + AT_PARTS_SIZE);
	paths = (const char *)value + AT_PARTS + parts_size;
	if (!occ_stat_snapshot_holds(paths, size - AT_PARTS - parts_size,
				     &digest, &components->files))
		return false;
	occ_buffer_append(&components->parts, value + AT_PARTS, parts_size);
	return true;
}

bool occ_driver_components_recall(struct occ_driver_components *components,
				  const struct occ_digest *premises)
{
	unsigned char *value = malloc(OCC_STATE_VALUE_MAX);
	char name[NAME_SIZE];
	bool recalled = false;
	size_t size;

	name_of(premises, name);
	if (value && occ_recall_find(&components->memory, name, value,
				     OCC_STATE_VALUE_MAX, &size))
		recalled = recall(components, value, size);
	free(value);
	return recalled;
}

static void note_parts(struct occ_driver_components *components,
		       const struct occ_digest *premises, size_t from)
{
	struct occ_buffer value = OCC_BUFFER_INIT;
	struct occ_digest digest;
	unsigned char size[4];
	char name[NAME_SIZE];

	if (components->failed || components->parts.failed ||
	    !occ_stat_snapshot_finish(&components->snapshot, &digest))
		return;
	name_of(premises, name);
	occ_put_u32(size, (uint32_t)(components->parts.size - from));
	occ_buffer_append(&value, digest.bytes, sizeof(digest.bytes));
	occ_buffer_append(&value, size, sizeof(size));
	occ_buffer_append(&value, components->parts.data + from,
			  components->parts.size - from);
	occ_buffer_append(&value, components->snapshot.paths.data,
			  components->snapshot.paths.size);
	if (!value.failed)
		occ_recall_note(&components->memory, name, value.data,
				value.size);
	occ_buffer_release(&value);
}

void occ_driver_components_remember(struct occ_driver_components *components,
				    const struct occ_digest *premises,
				    size_t from)
{
	note_parts(components, premises, from);
	occ_recall_save(&components->memory);
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

const struct occ_buffer *occ_driver_components_finish(
	struct occ_driver_components *components)
{
	if (components->failed || components->parts.failed ||
	    components->files.failed)
		return NULL;
	if (!components->sorted.size ||
	    components->sorted_size != components->parts.size) {
		occ_buffer_release(&components->sorted);
		sort(&components->parts, &components->sorted);
		components->sorted_size = components->parts.size;
	}
	return components->sorted.failed ? NULL : &components->sorted;
}

void occ_driver_components_release(struct occ_driver_components *components)
{
	occ_buffer_release(&components->parts);
	occ_buffer_release(&components->files);
	occ_buffer_release(&components->sorted);
	occ_stat_snapshot_release(&components->snapshot);
	occ_recall_release(&components->memory);
	*components = (struct occ_driver_components)OCC_DRIVER_COMPONENTS_INIT;
}
