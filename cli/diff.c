/* SPDX-License-Identifier: MIT */
/*
 * oclcache diff: two entries field by field, or two stores entry by entry.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/entry_diff.h"
#include "cli/fields.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/store_path.h"
#include "cli/screen.h"
#include "cli/target.h"
#include "cli/text.h"

/* Of long texts, so many lines of each side. */
#define LINES_SHOWN 8

static void show_part(const struct occ_part *part)
{
	struct occ_buffer old_text, new_text;
	struct occ_lines lines;

	occ_entry_diff_value(part, OCC_OLD, &old_text);
	occ_entry_diff_value(part, OCC_NEW, &new_text);
	occ_entry_diff_lines(occ_buffer_span(&old_text),
			     occ_buffer_span(&new_text), &lines);
	printf("%s%s%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       part->name, occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
	if (lines.line > 1 || occ_fields_is_long(part->id))
		printf(", line %zu", lines.line);
	puts(":");
	if (!part->is_there[OCC_OLD])
		puts("  - (none)");
	else if (!part->is_there[OCC_NEW])
		puts("  + (none)");
	occ_entry_diff_show_lines(&lines, LINES_SHOWN);
	occ_buffer_release(&old_text);
	occ_buffer_release(&new_text);
}

static void json_part(struct occ_json *json, const struct occ_part *part)
{
	static const char *const names[] = {"a", "b"};
	struct occ_buffer text;

	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "field", part->name);
	for (int side = 0; side < OCC_SIDES; side++) {
		if (!part->is_there[side]) {
			occ_json_null(json, names[side]);
			continue;
		}
		occ_entry_diff_value(part, (enum occ_side)side, &text);
		occ_json_text(json, names[side], (const char *)text.data,
			      text.size);
		occ_buffer_release(&text);
	}
	occ_json_end(json, '}');
}

/* To a list of differences, of entries or of stores. */
static void json_begin(struct occ_json *json, const char *a, const char *b)
{
	occ_json_begin(json, NULL, '{');
	occ_json_string(json, "a", a);
	occ_json_string(json, "b", b);
	occ_json_begin(json, "differences", '[');
}

static void json_end(struct occ_json *json)
{
	occ_json_end(json, ']');
	occ_json_end(json, '}');
}

static int diff_wholes(const struct occ_target *targets, bool as_json)
{
	const struct occ_entry_file *old = &targets[0].whole;
	const struct occ_entry_file *new = &targets[1].whole;
	bool same = old->size == new->size &&
		    !memcmp(old->memory, new->memory, old->size);
	struct occ_json json = OCC_JSON_INIT(stdout);
	struct occ_entry_diff diff;

	occ_entry_diff_make(old, new, &diff);
	if (as_json) {
		json_begin(&json, targets[0].path, targets[1].path);
	} else if (!same) {
		occ_screen_line("--- %s", targets[0].path);
		occ_screen_line("+++ %s", targets[1].path);
	}
	for (size_t i = 0; i < diff.count; i++)
		if (as_json)
			json_part(&json, &diff.parts[i]);
		else
			show_part(&diff.parts[i]);
	if (as_json)
		json_end(&json);
	occ_entry_diff_release(&diff);
	return same ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int diff_entries(const char *directory, char *const *operands, bool json)
{
	struct occ_target targets[2] = {{NULL}, {NULL}};
	bool read = true;
	/* 1 says that both could be compared, and differ. */
	int status = OCC_EXIT_USAGE;

	for (int i = 0; i < 2 && read; i++) {
		read = occ_target_read(directory, "diff", operands[i],
				       &targets[i]) == OCC_EXIT_OK;
		if (read && targets[i].error) {
			occ_target_complain(&targets[i]);
			read = false;
		}
	}
	if (read)
		status = diff_wholes(targets, json);
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
static void show_item(struct stores *stores, const char *where, char sign,
		      const struct occ_item *item)
{
	if (!stores->as_json) {
		occ_screen_line("%c %s  %s%s%s", sign, item->hash,
				item->kernels, *item->options ? "  " : "",
				item->options);
		return;
	}
	occ_json_begin(&stores->json, NULL, '{');
	occ_json_string(&stores->json, "file", item->file->name);
	occ_json_string(&stores->json, "kernels", item->kernels);
	occ_json_string(&stores->json, "where", where);
	occ_json_end(&stores->json, '}');
}

/* Damaged ones are as they are, byte for byte. */
static bool same_bytes(const struct stores *stores, const char *name)
{
	struct occ_entry_file wholes[2] = {{0}, {0}};
	bool same = true;

	for (int i = 0; i < 2; i++) {
		char *path;
		int error;

		path = occ_text("%s/%s", stores->directories[i], name);
		error = occ_entry_file_read_path(path, &wholes[i]);
		same &= error == OCC_OK || error == OCC_E_CORRUPT ||
			error == OCC_E_VERSION;
		free(path);
	}
	same = same && wholes[0].size == wholes[1].size &&
	       !memcmp(wholes[0].memory, wholes[1].memory, wholes[0].size);
	occ_entry_file_release(&wholes[0]);
	occ_entry_file_release(&wholes[1]);
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
			show_item(stores, "a", '-', &a->items[i++]);
		} else if (order > 0) {
			stores->only[1]++;
			show_item(stores, "b", '+', &b->items[j++]);
		} else {
			if (!same_bytes(stores, a->items[i].file->name)) {
				stores->different++;
				show_item(stores, "both", '!', &a->items[i]);
			}
			i++;
			j++;
		}
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
	bool read = read_store(&stores, 0) && read_store(&stores, 1), same;

	if (read && json)
		json_begin(&stores.json, operands[0], operands[1]);
	if (read)
		compare_stores(&stores);
	same = !stores.only[0] && !stores.only[1] && !stores.different;
	if (read && json)
		json_end(&stores.json);
	else if (!same)
		occ_screen_line("%zu only in %s (-), %zu only in %s (+), %zu "
				"different (!)",
				stores.only[0], operands[0], stores.only[1],
				operands[1], stores.different);
	occ_catalogue_release(&stores.catalogues[1]);
	occ_catalogue_release(&stores.catalogues[0]);
	if (!read)
		return OCC_EXIT_USAGE;
	return same ? OCC_EXIT_OK : OCC_EXIT_FAILED;
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

	if (!occ_arguments_expect(arguments, "diff", 2,
				  "name two entries, by hash or file, or the "
				  "directories of two stores"))
		return OCC_EXIT_USAGE;
	directories = is_directory(arguments->operands[0]) +
		      is_directory(arguments->operands[1]);
	if (directories == 1) {
		occ_message_error(
			"diff: %s is a directory and %s isn't; name two "
			"entries, or the directories of two stores",
			arguments->operands[is_directory(
				arguments->operands[1])],
			arguments->operands[is_directory(
				arguments->operands[0])]);
		return OCC_EXIT_USAGE;
	}
	if (directories == 2)
		return diff_stores(arguments->operands, json);
	directory = occ_store_path_directory(arguments);
	if (!directory)
		return OCC_EXIT_USAGE;
	status = diff_entries(directory, arguments->operands, json);
	free(directory);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print the differences as JSON"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_diff = {
	.name = "diff",
	.summary = "show the differences between two entries or two stores",
	.operands = "A B",
	.details = "A and B are two entries, each given by its hash or its "
		   "file, or the directories\n"
		   "of two stores. The exit status is that of diff: 0 if they "
		   "are the same, 1 if\n"
		   "they differ, 2 if there was an error.",
	.options = options,
	.run = run,
};
