/* SPDX-License-Identifier: MIT */
/*
 * oclcache database diff: which builds are in one of two databases only, and
 * of those that are alike but for one thing, what that is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/build_summary.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "hash/key.h"

/* What two builds may differ in. */
enum part {
	OPERATION,
	SOURCE,
	OPTIONS,
	CONSTANTS,
	HEADERS,
	INPUTS,
	FILES,
	DIRECTORY,
	ENVIRONMENT,
	EXECUTABLE,
	PARTS,
};

static const char *const part_names[PARTS] = {
	"kind of build",  "source",
	"options",	  "constants",
	"headers",	  "inputs",
	"included files", "current directory",
	"environment",	  "name of the executable",
};

static enum part part_of(uint16_t id)
{
	switch (id) {
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_SOURCE_LENGTHS:
	case OCC_BUILD_IL:
		return SOURCE;
	case OCC_BUILD_OPTIONS:
		return OPTIONS;
	case OCC_BUILD_CONSTANTS:
		return CONSTANTS;
	case OCC_BUILD_HEADER_NAME:
	case OCC_BUILD_HEADER_SOURCE:
	case OCC_BUILD_HEADER_LENGTHS:
		return HEADERS;
	case OCC_BUILD_LINK_BUILD:
	case OCC_BUILD_LINK_BINARY:
		return INPUTS;
	case OCC_BUILD_INCLUDE_FILE:
	case OCC_BUILD_INCLUDE_PRESENT:
		return FILES;
	case OCC_BUILD_DIRECTORY:
		return DIRECTORY;
	case OCC_BUILD_ENVIRONMENT:
		return ENVIRONMENT;
	case OCC_BUILD_EXECUTABLE:
		return EXECUTABLE;
	default:
		return OPERATION;
	}
}

/* A build that only one side has. */
struct build {
	const struct occ_build_summary *summary;
	struct occ_digest parts[PARTS]; /* of each, of its fields */
	struct occ_digest others;	/* of all parts but one */
	bool is_told;
};

struct side {
	const char *path;
	struct occ_records records;
	struct occ_build_summaries summaries;
	struct build *only;
	size_t only_count;
};

static void digest_parts(struct build *build)
{
	struct occ_span record = build->summary->record->bytes;
	struct occ_buffer parts[PARTS] = {OCC_BUFFER_INIT};
	struct occ_field field;
	size_t offset = 0;

	while (record.data &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		occ_field_append(&parts[part_of(field.id)], field.id,
				 field.payload, (size_t)field.length);
	for (int i = 0; i < PARTS; i++) {
		if (parts[i].failed)
			occ_message_no_memory();
		occ_digest(parts[i].data, parts[i].size, OCC_SEED_FIELD,
			   &build->parts[i]);
		occ_buffer_release(&parts[i]);
	}
}

static void find_only(struct side *side, const struct side *other)
{
	side->only = occ_message_must(
		calloc(side->summaries.count + 1, sizeof(*side->only)));
	for (size_t i = 0; i < side->summaries.count; i++) {
		const struct occ_build_summary *item =
			&side->summaries.items[i];
		struct build *build = &side->only[side->only_count];

		if (occ_records_find(&other->records, OCC_FRAME_BUILD,
				     &item->record->name))
			continue;
		build->summary = item;
		digest_parts(build);
		side->only_count++;
	}
}

static int compare_others(const void *one, const void *other)
{
	const struct build *const *a = one, *const *b = other;

	return memcmp((*a)->others.bytes, (*b)->others.bytes, OCC_DIGEST_SIZE);
}

/* Those that aren't told yet, by all of them but one part. */
static size_t sort_without(struct side *side, enum part part,
			   struct build **sorted)
{
	struct occ_digest all[PARTS];
	size_t count = 0;

	for (size_t i = 0; i < side->only_count; i++) {
		struct build *build = &side->only[i];

		if (build->is_told)
			continue;
		memcpy(all, build->parts, sizeof(all));
		memset(&all[part], 0, sizeof(all[part]));
		occ_digest(all, sizeof(all), OCC_SEED_FIELD, &build->others);
		sorted[count++] = build;
	}
	if (count)
		qsort(sorted, count, sizeof(struct build *), compare_others);
	return count;
}

static void show_name(char sign, const struct build *build)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&build->summary->record->name, hex);
	printf("%c %s", sign, hex);
}

static void show_options(char sign, const struct build *build)
{
	if (!build->summary->view.has_options)
		printf("    %c (NULL)\n", sign);
	else
		occ_screen_line("    %c %s", sign, build->summary->options);
}

static void show_pair(struct build *one, struct build *other, enum part part)
{
	show_name('-', one);
	putchar('\n');
	show_name('+', other);
	printf("\n"
	       "  differ only in: %s\n",
	       part_names[part]);
	if (part == OPTIONS) {
		show_options('-', one);
		show_options('+', other);
	}
	one->is_told = other->is_told = true;
}

/* Those of both sides that differ in that part alone. */
static void show_pairs(struct side sides[2], enum part part)
{
	struct build **sorted[2];
	size_t counts[2], i = 0, j = 0;

	for (int s = 0; s < 2; s++) {
		sorted[s] = occ_message_must(calloc(sides[s].only_count + 1,
						    sizeof(struct build *)));
		counts[s] = sort_without(&sides[s], part, sorted[s]);
	}
	while (i < counts[0] && j < counts[1]) {
		int order = compare_others(&sorted[0][i], &sorted[1][j]);

		if (!order)
			show_pair(sorted[0][i], sorted[1][j], part);
		i += order <= 0;
		j += order >= 0;
	}
	for (int s = 0; s < 2; s++)
		free(sorted[s]);
}

static void show_rest(const struct side *side, char sign)
{
	for (size_t i = 0; i < side->only_count; i++) {
		const struct occ_build_summary *item = side->only[i].summary;

		if (side->only[i].is_told)
			continue;
		show_name(sign, &side->only[i]);
		if (*item->kernels) {
			fputs("  ", stdout);
			occ_screen_text(item->kernels);
		}
		if (*item->options) {
			fputs("  ", stdout);
			occ_screen_text(item->options);
		}
		putchar('\n');
	}
}

static void compare(struct side sides[2])
{
	size_t both;

	for (int s = 0; s < 2; s++)
		occ_build_summaries_make(&sides[s].records,
					 &sides[s].summaries);
	find_only(&sides[0], &sides[1]);
	find_only(&sides[1], &sides[0]);
	for (int part = 0; part < PARTS; part++)
		show_pairs(sides, (enum part)part);
	show_rest(&sides[0], '-');
	show_rest(&sides[1], '+');
	both = sides[0].summaries.count - sides[0].only_count;
	occ_screen_line("%zu only in %s, %zu only in %s, %zu in both",
			sides[0].only_count, sides[0].path, sides[1].only_count,
			sides[1].path, both);
}

int occ_database_command_diff(const struct occ_arguments *arguments,
			      char *const *operands, size_t count)
{
	struct side sides[2] = {{.path = operands[0]}, {.path = operands[1]}};
	/* As diff(1): 1 says that both could be compared, and differ. */
	int status = OCC_EXIT_USAGE;
	bool opened = true;

	(void)arguments;
	(void)count;
	for (int s = 0; s < 2 && opened; s++)
		opened = occ_records_open("database diff", operands + s, 1,
					  &sides[s].records);
	if (opened) {
		compare(sides);
		status = sides[0].only_count || sides[1].only_count
				 ? OCC_EXIT_FAILED
				 : OCC_EXIT_OK;
	}
	for (int s = 0; s < 2; s++) {
		occ_build_summaries_release(&sides[s].summaries);
		occ_records_release(&sides[s].records);
		free(sides[s].only);
	}
	return status;
}
