/* SPDX-License-Identifier: MIT */
/*
 * oclcache database show: everything of one build.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/build_summary.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fields.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/units.h"
#include "hash/key.h"

/* Column of the values. */
#define COLUMN	      16

#define SECONDS_A_DAY 86400

static void title(const char *name)
{
	printf("%s%-*s%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       COLUMN, name, occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
}

static void text_line(const char *name, struct occ_span text)
{
	title(name);
	occ_fields_show(occ_fields_text(text), true);
	putchar('\n');
}

/* Lists: a line each, the title in front of the first. */
static void list_lines(const char *name, uint16_t key_field,
		       struct occ_span bytes)
{
	struct occ_buffer text;

	occ_fields_value(key_field, bytes, &text);
	title(name);
	occ_screen_write(stdout, (const char *)text.data, text.size, false);
	putchar('\n');
	occ_buffer_release(&text);
}

static void content_line(const struct occ_records *records, const char *name,
			 const struct occ_content *content)
{
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&content->name, hex);
	title(name);
	printf("%" PRIu64 " bytes, %s%s\n", content->size, hex,
	       occ_records_find(records, OCC_FRAME_CONTENT, &content->name)
		       ? ""
		       : ", missing from the file");
}

static void file_line(const struct occ_records *records, const char *name,
		      struct occ_span bytes, bool is_read)
{
	struct occ_recorded_file file;

	title(name);
	if (!occ_recorded_file_parse(bytes, &file)) {
		puts("damaged");
		return;
	}
	occ_fields_show(file.path, true);
	if (is_read)
		printf(", %" PRIu64 " bytes%s\n", file.size,
		       occ_records_find(records, OCC_FRAME_CONTENT, &file.name)
			       ? ""
			       : ", missing from the file");
	else
		puts(", only checked for existence");
}

static void input_line(const struct occ_records *records, struct occ_span bytes)
{
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_digest name;

	title("links");
	if (!occ_record_name(bytes, &name)) {
		puts("damaged");
		return;
	}
	occ_digest_hex(&name, hex);
	printf("%s%s\n", hex,
	       occ_records_find(records, OCC_FRAME_BUILD, &name)
		       ? ""
		       : ", missing from the file");
}

static void show_content(const struct occ_records *records, const char *name,
			 const struct occ_field *field)
{
	struct occ_content content;

	if (occ_content_parse(field, &content))
		content_line(records, name, &content);
}

static void show_field(const struct occ_records *records,
		       const struct occ_field *field)
{
	struct occ_span bytes = occ_field_span(field);

	switch (field->id) {
	case OCC_BUILD_OPERATION:
		text_line("made by", bytes);
		break;
	case OCC_BUILD_SOURCE:
		show_content(records, "source", field);
		break;
	case OCC_BUILD_IL:
		show_content(records, "IL", field);
		break;
	case OCC_BUILD_SOURCE_LENGTHS:
	case OCC_BUILD_HEADER_LENGTHS:
		title("in strings");
		printf("%" PRIu64 "\n", field->length / 8);
		break;
	case OCC_BUILD_OPTIONS:
		text_line("options", bytes);
		break;
	case OCC_BUILD_CONSTANTS:
		list_lines("constants", OCC_KEY_SPEC_CONSTANTS, bytes);
		break;
	case OCC_BUILD_HEADER_NAME:
		text_line("header", bytes);
		break;
	case OCC_BUILD_HEADER_SOURCE:
		show_content(records, "", field);
		break;
	case OCC_BUILD_LINK_BUILD:
		input_line(records, bytes);
		break;
	case OCC_BUILD_LINK_BINARY:
		title("links");
		puts("a program that was given as a binary, which is not "
		     "recorded");
		break;
	case OCC_BUILD_INCLUDE_FILE:
	case OCC_BUILD_INCLUDE_PRESENT:
		file_line(records, "file", bytes,
			  field->id == OCC_BUILD_INCLUDE_FILE);
		break;
	case OCC_BUILD_DIRECTORY:
		text_line("directory", bytes);
		break;
	case OCC_BUILD_ENVIRONMENT:
		list_lines("environment", OCC_KEY_ENVIRONMENT, bytes);
		break;
	case OCC_BUILD_EXECUTABLE:
		text_line("executable", bytes);
		break;
	default:
		title("unknown");
		printf("field %u, from a later version of oclcache\n",
		       field->id);
	}
}

static void show_day(uint64_t day)
{
	char moment[OCC_UNITS_SIZE];

	if (day > INT32_MAX)
		return;
	occ_units_moment((int64_t)day * SECONDS_A_DAY, moment);
	/* Of a day only its date is known. */
	printf("%.10s", moment);
}

static void device_lines(const struct occ_records *records, struct occ_span use)
{
	const struct occ_record *device;
	struct occ_span value;
	struct occ_digest name;
	size_t offset = 0;

	while (occ_record_next(use, OCC_USE_DEVICE, &offset, &value)) {
		device = occ_record_name(value, &name)
				 ? occ_records_find(records, OCC_FRAME_DEVICE,
						    &name)
				 : NULL;
		title("  on");
		if (device && device->bytes.data) {
			occ_fields_show(occ_fields_text(occ_record_text(
						device->bytes,
						OCC_KEY_DEVICE_NAME)),
					true);
			fputs(", ", stdout);
			occ_fields_show(occ_fields_text(occ_record_text(
						device->bytes,
						OCC_KEY_PLATFORM_NAME)),
					true);
			fputs(" ", stdout);
			occ_fields_show(occ_fields_text(occ_record_text(
						device->bytes,
						OCC_KEY_DRIVER_VERSION)),
					true);
		} else {
			fputs("a device that is missing from the file", stdout);
		}
		putchar('\n');
	}
}

static void show_use(const struct occ_records *records,
		     const struct occ_use_view *use, struct occ_span record)
{
	char time[OCC_UNITS_SIZE];
	struct occ_span value;
	size_t offset = 0;

	title("used");
	show_day(use->day);
	if (use->application.size) {
		fputs(" by ", stdout);
		occ_fields_show(use->application, true);
	}
	if (use->compile_time != UINT64_MAX)
		printf(", compiled in %s",
		       occ_units_time(use->compile_time, time));
	putchar('\n');
	device_lines(records, record);
	while (occ_record_next(record, OCC_USE_KERNEL, &offset, &value))
		text_line("  kernel", value);
}

struct use {
	struct occ_use_view view;
	struct occ_span record;
};

/* The latest first. */
static int compare_uses(const void *one, const void *other)
{
	const struct use *a = one, *b = other;

	return (a->view.day < b->view.day) - (a->view.day > b->view.day);
}

static void show_uses(const struct occ_records *records,
		      const struct occ_digest *build)
{
	const struct occ_record *first;
	size_t count = occ_records_of(records, OCC_FRAME_USE, &first);
	struct use *uses = occ_message_must(calloc(count + 1, sizeof(*uses)));
	size_t its = 0;

	for (size_t i = 0; i < count; i++) {
		uses[its].record = first[i].bytes;
		its += first[i].bytes.data &&
		       occ_use_view(first[i].bytes, &uses[its].view) &&
		       !memcmp(uses[its].view.build.bytes, build->bytes,
			       OCC_DIGEST_SIZE);
	}
	if (its)
		qsort(uses, its, sizeof(*uses), compare_uses);
	for (size_t i = 0; i < its; i++)
		show_use(records, &uses[i].view, uses[i].record);
	free(uses);
}

static int show_all(const struct occ_records *records,
		    const struct occ_record *build)
{
	const char *fault = occ_build_fault(records, build->bytes);
	char hex[OCC_DIGEST_HEX_SIZE];
	struct occ_field field;
	size_t offset = 0;

	occ_digest_hex(&build->name, hex);
	title("build");
	puts(hex);
	while (build->bytes.data &&
	       occ_field_next(build->bytes.data, build->bytes.size, &offset,
			      &field) == 1)
		show_field(records, &field);
	show_uses(records, &build->name);
	if (fault) {
		title("not replayed");
		puts(fault);
	}
	return OCC_EXIT_OK;
}

/* A file has it byte for byte; a terminal would do what it says. */
static int write_content(const struct occ_records *records,
			 const struct occ_digest *name, const char *what)
{
	const struct occ_record *record =
		occ_records_find(records, OCC_FRAME_CONTENT, name);
	struct occ_buffer bytes = OCC_BUFFER_INIT;

	if (!record || !occ_records_read(records, record, &bytes)) {
		occ_message_error("database show: %s is missing from the file, "
				  "or damaged",
				  what);
		return OCC_EXIT_FAILED;
	}
	if (occ_screen_is_terminal(STDOUT_FILENO))
		occ_screen_write(stdout, (const char *)bytes.data, bytes.size,
				 false);
	else
		fwrite(bytes.data, 1, bytes.size, stdout);
	occ_buffer_release(&bytes);
	return OCC_EXIT_OK;
}

static int write_file(const struct occ_records *records, struct occ_span build,
		      const char *path)
{
	struct occ_recorded_file file;
	struct occ_span value;
	size_t offset = 0;

	while (occ_record_next(build, OCC_BUILD_INCLUDE_FILE, &offset, &value))
		if (occ_recorded_file_parse(value, &file) &&
		    file.path.size == strlen(path) &&
		    !memcmp(file.path.data, path, file.path.size))
			return write_content(records, &file.name, path);
	occ_message_error("database show: the build included no file '%s'; to "
			  "list its files, leave out --file",
			  path);
	return OCC_EXIT_FAILED;
}

static int show(const struct occ_arguments *arguments,
		const struct occ_records *records,
		const struct occ_record *build)
{
	const char *path = occ_arguments_value(arguments, "file");
	struct occ_build_view view;

	if (path)
		return write_file(records, build->bytes, path);
	if (!occ_arguments_has(arguments, "source"))
		return show_all(records, build);
	if (build->bytes.data && occ_build_view(build->bytes, &view) &&
	    view.has_source)
		return write_content(records, &view.source.name, "its source");
	occ_message_error("database show: this build has no source: the "
			  "program was linked");
	return OCC_EXIT_FAILED;
}

int occ_database_command_show(const struct occ_arguments *arguments,
			      char *const *operands, size_t count)
{
	const struct occ_record *build = NULL;
	struct occ_records records;
	int status = OCC_EXIT_FAILED;

	(void)count;
	if (occ_arguments_has(arguments, "source") &&
	    occ_arguments_has(arguments, "file")) {
		occ_message_error("database show: --source and --file can't be "
				  "used together");
		return OCC_EXIT_USAGE;
	}
	if (occ_records_open("database show", operands, 1, &records))
		build = occ_records_choose(&records, "database show",
					   operands[1]);
	if (build)
		status = show(arguments, &records, build);
	occ_records_release(&records);
	return status;
}
