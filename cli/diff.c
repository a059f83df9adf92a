/* SPDX-License-Identifier: MIT */
/*
 * oclcache diff: two entries field by field, or two stores entry by entry.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/fields.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/screen.h"
#include "cli/target.h"
#include "cli/text.h"

/* Of long texts, so many lines of each side. */
#define LINES_SHOWN 8

/* A field of one of both keys, or of what an entry says besides. */
struct part {
	const char *name;
	uint16_t id;	 /* of a key's field; 0: no such */
	unsigned number; /* of those with the same id */
	struct occ_span old_bytes, new_bytes;
	bool in_old, in_new;
};

struct parts {
	struct part *parts;
	size_t count;
};

static struct part *add(struct parts *parts, const char *name, uint16_t id,
			unsigned number)
{
	struct part *part;

	parts->parts = occ_message_must(
		realloc(parts->parts,
			(parts->count + 1) * sizeof(*parts->parts)));
	part = &parts->parts[parts->count++];
	*part = (struct part){.name = name, .id = id, .number = number};
	return part;
}

static struct part *find(struct parts *parts, uint16_t id, unsigned number)
{
	for (size_t i = 0; i < parts->count; i++)
		if (parts->parts[i].id == id &&
		    parts->parts[i].number == number)
			return &parts->parts[i];
	return add(parts, occ_key_field_name(id), id, number);
}

static unsigned count_so_far(const struct parts *parts, uint16_t id, bool old)
{
	unsigned count = 0;

	for (size_t i = 0; i < parts->count; i++)
		if (parts->parts[i].id == id &&
		    (old ? parts->parts[i].in_old : parts->parts[i].in_new))
			count++;
	return count;
}

static void set(struct part *part, bool old, struct occ_span bytes)
{
	if (old) {
		part->old_bytes = bytes;
		part->in_old = true;
	} else {
		part->new_bytes = bytes;
		part->in_new = true;
	}
}

static void add_key(struct parts *parts, const struct occ_whole *whole,
		    bool old)
{
	struct occ_whole_cursor cursor = {0, 0};
	struct occ_span bytes;
	uint16_t id;

	while (occ_whole_next(whole, &cursor, &id, &bytes) == 1)
		set(find(parts, id, count_so_far(parts, id, old)), old, bytes);
}

static const struct {
	enum occ_meta_field id;
	const char *name;
} meta_names[] = {
	{OCC_META_BUILD_LOG, "build log"},
	{OCC_META_BUILD_OPTIONS, "answered options"},
	{OCC_META_BINARY_TYPE, "binary type"},
	{OCC_META_KERNEL_COUNT, "kernel count"},
	{OCC_META_KERNEL_NAMES, "kernel names"},
	{OCC_META_COMPILE_TIME, "compile time"},
	{OCC_META_CREATED, "created"},
	{OCC_META_WRITER, "writer"},
	{OCC_META_KERNELS, "kernel descriptions"},
	{OCC_META_ANSWERS, "other answers"},
	{OCC_META_COMPLETENESS, "completeness"},
};

#define META_COUNT (sizeof(meta_names) / sizeof(meta_names[0]))

static void add_others(struct parts *parts, const struct occ_entry *old_entry,
		       const struct occ_entry *new_entry)
{
	for (size_t i = 0; i < META_COUNT; i++) {
		struct occ_span old_bytes =
			occ_entry_bytes(old_entry, meta_names[i].id);
		struct occ_span new_bytes =
			occ_entry_bytes(new_entry, meta_names[i].id);
		struct part *part = add(parts, meta_names[i].name, 0, 0);

		part->old_bytes = old_bytes;
		part->new_bytes = new_bytes;
		part->in_old = old_bytes.data != NULL;
		part->in_new = new_bytes.data != NULL;
	}
	set(add(parts, "binary", 0, 0), true, old_entry->binary);
	set(&parts->parts[parts->count - 1], false, new_entry->binary);
}

static bool equal(struct occ_span one, struct occ_span other)
{
	return one.size == other.size &&
	       (!one.size || !memcmp(one.data, other.data, one.size));
}

static bool differs(const struct part *part)
{
	return part->in_old != part->in_new ||
	       !equal(part->old_bytes, part->new_bytes);
}

static bool is_number(const char *name)
{
	return !strcmp(name, "compile time") || !strcmp(name, "created") ||
	       !strcmp(name, "binary type") || !strcmp(name, "kernel count") ||
	       !strcmp(name, "completeness");
}

static bool is_text(const char *name)
{
	return !strcmp(name, "build log") || !strcmp(name, "writer") ||
	       !strcmp(name, "answered options") ||
	       !strcmp(name, "kernel names");
}

/* The value as a text; for what is no text its size and digest. */
static void make_value(const struct part *part, bool old,
		       struct occ_buffer *ret_text)
{
	struct occ_span bytes = old ? part->old_bytes : part->new_bytes;
	char line[100], hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest digest;

	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	if (!(old ? part->in_old : part->in_new))
		return;
	if (part->id && part->id != OCC_KEY_IL &&
	    !occ_fields_is_long(part->id)) {
		occ_fields_value(part->id, bytes, ret_text);
		return;
	}
	if (occ_fields_is_long(part->id) || is_text(part->name)) {
		bytes = part->id ? bytes : occ_fields_text(bytes);
		occ_buffer_append(ret_text, bytes.data, bytes.size);
	} else if (is_number(part->name) && bytes.size == 8) {
		snprintf(line, sizeof(line), "%llu",
			 (unsigned long long)occ_get_u64(bytes.data));
		occ_buffer_append(ret_text, line, strlen(line));
	} else {
		occ_digest(bytes.data, bytes.size, OCC_SEED_CONTENT, &digest);
		occ_digest_hex(&digest, hex);
		snprintf(line, sizeof(line), "%zu bytes, digest %s", bytes.size,
			 hex);
		occ_buffer_append(ret_text, line, strlen(line));
	}
	if (ret_text->failed)
		occ_message_no_memory();
}

static struct occ_span span(const struct occ_buffer *buffer)
{
	return (struct occ_span){buffer->data, buffer->size};
}

static void show_part(const struct part *part)
{
	struct occ_buffer old_text, new_text;
	struct occ_lines lines;

	make_value(part, true, &old_text);
	make_value(part, false, &new_text);
	occ_lines_compare(span(&old_text), span(&new_text), &lines);
	printf("%s%s%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       part->name, occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	if (lines.line > 1 || occ_fields_is_long(part->id))
		printf(", line %zu", lines.line);
	puts(":");
	if (!part->in_old)
		puts("  - (none)");
	else if (!part->in_new)
		puts("  + (none)");
	occ_lines_show(&lines, LINES_SHOWN);
	occ_buffer_release(&old_text);
	occ_buffer_release(&new_text);
}

static void json_value(struct occ_json *json, const char *name,
		       const struct part *part, bool old)
{
	struct occ_buffer text;

	if (!(old ? part->in_old : part->in_new)) {
		occ_json_null(json, name);
		return;
	}
	make_value(part, old, &text);
	occ_json_text(json, name, (const char *)text.data, text.size);
	occ_buffer_release(&text);
}

static void json_parts(const struct parts *parts, const char *const *paths)
{
	struct occ_json json = OCC_JSON_INIT(stdout);

	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "a", paths[0]);
	occ_json_string(&json, "b", paths[1]);
	occ_json_begin(&json, "differences", '[');
	for (size_t i = 0; i < parts->count; i++) {
		if (!differs(&parts->parts[i]))
			continue;
		occ_json_begin(&json, NULL, '{');
		occ_json_string(&json, "field", parts->parts[i].name);
		json_value(&json, "a", &parts->parts[i], true);
		json_value(&json, "b", &parts->parts[i], false);
		occ_json_end(&json, '}');
	}
	occ_json_end(&json, ']');
	occ_json_end(&json, '}');
}

static int diff_wholes(const struct occ_target *targets, bool json)
{
	const struct occ_whole *old = &targets[0].whole;
	const struct occ_whole *new = &targets[1].whole;
	const char *paths[2] = {targets[0].path, targets[1].path};
	bool same = old->size == new->size &&
		    !memcmp(old->memory, new->memory, old->size);
	struct parts parts = {NULL, 0};

	add_key(&parts, old, true);
	add_key(&parts, new, false);
	add_others(&parts, &old->entry, &new->entry);
	if (json)
		json_parts(&parts, paths);
	if (!json && !same)
		printf("--- %s\n+++ %s\n", paths[0], paths[1]);
	for (size_t i = 0; !json && i < parts.count; i++)
		if (differs(&parts.parts[i]))
			show_part(&parts.parts[i]);
	free(parts.parts);
	return same ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int diff_entries(const char *directory, char *const *operands, bool json)
{
	struct occ_target targets[2] = {{NULL}, {NULL}};
	int status = OCC_EXIT_OK;

	for (int i = 0; i < 2 && status == OCC_EXIT_OK; i++) {
		status = occ_target_read(directory, "diff", operands[i],
					 &targets[i]);
		if (status != OCC_EXIT_OK || !targets[i].error)
			continue;
		occ_target_complain(&targets[i]);
		status = OCC_EXIT_USAGE;
	}
	if (status == OCC_EXIT_OK)
		status = diff_wholes(targets, json);
	else
		/* 1 says that both could be compared, and differ. */
		status = OCC_EXIT_USAGE;
	for (int i = 0; i < 2; i++)
		occ_target_release(&targets[i]);
	return status;
}

struct stores {
	const char *directories[2];
	struct occ_catalogue catalogues[2];
	size_t only[2], different;
	struct occ_json json;
	bool as_json;
};

static int compare_items(const void *one, const void *other)
{
	const struct occ_item *a = one, *b = other;

	return strcmp(a->file->name, b->file->name);
}

/* "only in A" and "only in B", or both and not the same. */
static void show_item(struct stores *stores, const char *where,
		      const struct occ_item *item)
{
	if (stores->as_json) {
		occ_json_begin(&stores->json, NULL, '{');
		occ_json_string(&stores->json, "file", item->file->name);
		occ_json_string(&stores->json, "kernels", item->kernels);
		occ_json_string(&stores->json, "where", where);
		occ_json_end(&stores->json, '}');
		return;
	}
	printf("%s %s  ",
	       !strcmp(where, "a")   ? "-"
	       : !strcmp(where, "b") ? "+"
				     : "!",
	       item->hash);
	occ_screen_write(stdout, item->kernels, strlen(item->kernels), true);
	if (*item->options)
		printf("  ");
	occ_screen_write(stdout, item->options, strlen(item->options), true);
	putchar('\n');
}

/* Damaged ones are as they are, byte for byte. */
static bool same_bytes(const struct stores *stores, const char *name)
{
	struct occ_whole wholes[2] = {OCC_WHOLE_INIT, OCC_WHOLE_INIT};
	bool same = true;

	for (int i = 0; i < 2; i++) {
		char *path;
		int error;

		path = occ_text("%s/%s", stores->directories[i], name);
		error = occ_whole_read_path(path, &wholes[i]);
		same &= error == OCC_OK || error == OCC_E_CORRUPT ||
			error == OCC_E_VERSION;
		free(path);
	}
	same = same && wholes[0].size == wholes[1].size &&
	       !memcmp(wholes[0].memory, wholes[1].memory, wholes[0].size);
	occ_whole_release(&wholes[0]);
	occ_whole_release(&wholes[1]);
	return same;
}

static void compare_stores(struct stores *stores)
{
	const struct occ_catalogue *a = &stores->catalogues[0];
	const struct occ_catalogue *b = &stores->catalogues[1];
	size_t i = 0, j = 0;

	while (i < a->count || j < b->count) {
		int order = i == a->count ? 1
			    : j == b->count
				    ? -1
				    : compare_items(&a->items[i], &b->items[j]);

		if (order < 0) {
			stores->only[0]++;
			show_item(stores, "a", &a->items[i++]);
		} else if (order > 0) {
			stores->only[1]++;
			show_item(stores, "b", &b->items[j++]);
		} else {
			if (!same_bytes(stores, a->items[i].file->name)) {
				stores->different++;
				show_item(stores, "both", &a->items[i]);
			}
			i++;
			j++;
		}
	}
}

static void begin_stores(struct stores *stores)
{
	if (!stores->as_json)
		return;
	occ_json_begin(&stores->json, NULL, '{');
	occ_json_string(&stores->json, "a", stores->directories[0]);
	occ_json_string(&stores->json, "b", stores->directories[1]);
	occ_json_begin(&stores->json, "differences", '[');
}

static void end_stores(struct stores *stores)
{
	if (stores->as_json) {
		occ_json_end(&stores->json, ']');
		occ_json_end(&stores->json, '}');
	} else if (stores->only[0] || stores->only[1] || stores->different) {
		printf("%zu only in %s (-), %zu only in %s (+), %zu in both "
		       "but not the same (!)\n",
		       stores->only[0], stores->directories[0], stores->only[1],
		       stores->directories[1], stores->different);
	}
}

/* False after an error was shown. */
static bool read_store(struct stores *stores, int index)
{
	struct occ_store *store = occ_message_must(
		occ_store_open_read_only(stores->directories[index]));
	struct occ_catalogue *catalogue = &stores->catalogues[index];
	bool read = occ_catalogue_read(store, NULL, catalogue);

	occ_store_close(store);
	if (read && catalogue->count)
		qsort(catalogue->items, catalogue->count,
		      sizeof(*catalogue->items), compare_items);
	return read;
}

static int diff_stores(char *const *operands, bool json)
{
	struct stores stores = {
		.directories = {operands[0], operands[1]},
		.json = OCC_JSON_INIT(stdout),
		.as_json = json,
	};
	int status = OCC_EXIT_USAGE;

	if (read_store(&stores, 0)) {
		if (read_store(&stores, 1)) {
			begin_stores(&stores);
			compare_stores(&stores);
			end_stores(&stores);
			status = stores.only[0] || stores.only[1] ||
						 stores.different
					 ? OCC_EXIT_FAILED
					 : OCC_EXIT_OK;
			occ_catalogue_release(&stores.catalogues[1]);
		}
		occ_catalogue_release(&stores.catalogues[0]);
	}
	return status;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static int run(const struct occ_arguments *arguments)
{
	bool json = occ_arguments_has(arguments, "json");
	char *directory;
	int status, directories;

	if (arguments->operand_count != 2) {
		occ_message_error(
			"diff: of what? Two entries, by hash or file, "
			"or the directories of two stores");
		return OCC_EXIT_USAGE;
	}
	directories = is_directory(arguments->operands[0]) +
		      is_directory(arguments->operands[1]);
	if (directories == 1) {
		occ_message_error("diff: %s is a directory and %s isn't; two "
				  "entries, or two stores",
				  arguments->operands[is_directory(
					  arguments->operands[1])],
				  arguments->operands[is_directory(
					  arguments->operands[0])]);
		return OCC_EXIT_USAGE;
	}
	if (directories == 2)
		return diff_stores(arguments->operands, json);
	directory = occ_place_directory(arguments);
	if (!directory)
		return OCC_EXIT_USAGE;
	status = diff_entries(directory, arguments->operands, json);
	free(directory);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "the same, for programs"},
	OCC_PLACE_OPTION,
	{NULL},
};

const struct occ_command occ_command_diff = {
	.name = "diff",
	.summary = "what differs between two entries or stores",
	.operands = "A B",
	.details = "A and B are entries, each by its hash or its file, or both "
		   "are directories. Exit\nstatus as of diff: 0 the same, 1 "
		   "different, 2 trouble.",
	.options = options,
	.run = run,
};
