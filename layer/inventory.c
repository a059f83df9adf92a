/* SPDX-License-Identifier: MIT */
#include "layer/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "hash/digest.h"
#include "layer/log.h"

/* The parts are taken over by the list as one string each. */
static void add(struct occ_inventory *inventory, struct occ_buffer *text)
{
	char **parts = NULL;

	occ_buffer_append(text, "", 1);
	if (!text->failed)
		parts = realloc(inventory->parts,
				(inventory->count + 1) * sizeof(*parts));
	if (!parts) {
		inventory->failed = true;
		occ_buffer_release(text);
		return;
	}
	inventory->parts = parts;
	parts[inventory->count++] = (char *)text->data;
	*text = (struct occ_buffer)OCC_BUFFER_INIT;
}

static struct occ_buffer begin(const char *name)
{
	struct occ_buffer text = OCC_BUFFER_INIT;

	occ_buffer_append(&text, name, strlen(name));
	occ_buffer_append(&text, " ", 1);
	return text;
}

void occ_inventory_add_id(struct occ_inventory *inventory, const char *name,
			  const void *id, size_t size)
{
	struct occ_buffer text = begin(name);

	occ_fingerprint_append_id(&text, id, size);
	add(inventory, &text);
}

static void note_file(struct occ_inventory *inventory, const char *path)
{
	occ_buffer_append(&inventory->files, path, strlen(path) + 1);
}

/* Fails for what there is but can't be told. */
static void add_found(struct occ_inventory *inventory, struct occ_buffer *text,
		      enum occ_fingerprint found, const char *path)
{
	if (found == OCC_FINGERPRINT_UNKNOWN) {
		occ_log_debug("can't tell the identity of %s", path);
		inventory->failed = true;
		occ_buffer_release(text);
		return;
	}
	if (found == OCC_FINGERPRINT_ABSENT)
		occ_buffer_append(text, "absent", 6);
	else
		note_file(inventory, path);
	add(inventory, text);
}

void occ_inventory_add_object(struct occ_inventory *inventory, const char *name,
			      const char *path)
{
	struct occ_buffer text = begin(name);

	add_found(inventory, &text,
		  occ_fingerprint_object(&inventory->memory, path, &text),
		  path);
}

void occ_inventory_add_content(struct occ_inventory *inventory,
			       const char *name, const char *path)
{
	struct occ_buffer text = begin(name);

	add_found(inventory, &text,
		  occ_fingerprint_content(&inventory->memory, path, &text),
		  path);
}

void occ_inventory_add_absent(struct occ_inventory *inventory, const char *name)
{
	struct occ_buffer text = begin(name);

	occ_buffer_append(&text, "absent", 6);
	add(inventory, &text);
}

void occ_inventory_add_group(struct occ_inventory *inventory, const char *name,
			     char *const *paths, size_t count)
{
	struct occ_buffer all = OCC_BUFFER_INIT, text = begin(name);
	enum occ_fingerprint found = OCC_FINGERPRINT_FOUND;
	struct occ_digest digest;
	char hex[OCC_DIGEST_HEX_SIZE];

	for (size_t i = 0; i < count && found == OCC_FINGERPRINT_FOUND; i++) {
		const char *slash = strrchr(paths[i], '/');
		const char *file = slash ? slash + 1 : paths[i];

		occ_buffer_append(&all, file, strlen(file) + 1);
		found = occ_fingerprint_content(&inventory->memory, paths[i],
						&all);
		note_file(inventory, paths[i]);
		if (found != OCC_FINGERPRINT_FOUND)
			add_found(inventory, &text, OCC_FINGERPRINT_UNKNOWN,
				  paths[i]);
	}
	if (found == OCC_FINGERPRINT_FOUND) {
		occ_digest(all.data, all.size, OCC_SEED_CONTENT, &digest);
		occ_digest_hex(&digest, hex);
		occ_buffer_append(&text, "content:", 8);
		occ_buffer_append(&text, hex, strlen(hex));
		text.failed |= all.failed;
		add(inventory, &text);
	}
	occ_buffer_release(&all);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool occ_inventory_finish(struct occ_inventory *inventory,
			  struct occ_buffer *ret_parts)
{
	char **parts = inventory->parts;

	if (inventory->count)
		qsort(parts, inventory->count, sizeof(*parts), by_text);
	for (size_t i = 0; i < inventory->count; i++)
		if (!i || strcmp(parts[i], parts[i - 1]) != 0)
			occ_buffer_append(ret_parts, parts[i],
					  strlen(parts[i]) + 1);
	return !inventory->failed && !inventory->files.failed &&
	       !ret_parts->failed;
}

void occ_inventory_release(struct occ_inventory *inventory)
{
	for (size_t i = 0; i < inventory->count; i++)
		free(inventory->parts[i]);
	free(inventory->parts);
	occ_buffer_release(&inventory->files);
	occ_memory_release(&inventory->memory);
	*inventory = (struct occ_inventory)OCC_INVENTORY_INIT;
}
