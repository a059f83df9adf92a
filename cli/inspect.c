/* SPDX-License-Identifier: MIT */
/*
 * oclcache inspect: all that an entry says of itself. Only of one that is
 * verified whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"
#include "cli/command.h"
#include "cli/fields.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "cli/store_path.h"
#include "cli/target.h"
#include "cli/units.h"

#define LABEL_COLUMNS 14

static void label(const char *name)
{
	printf("%s%-*s%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       LABEL_COLUMNS, name,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
}

static void row(const char *name, const char *value)
{
	label(name);
	occ_screen_line("%s", value);
}

/* What isn't known has no row. */
static void row_span(const char *name, struct occ_span value)
{
	value = occ_fields_text(value);
	if (!value.size)
		return;
	label(name);
	occ_fields_show(value, true);
	putchar('\n');
}

static void row_moment(const char *name, int64_t seconds)
{
	char moment[OCC_UNITS_SIZE], age[OCC_UNITS_SIZE];

	label(name);
	occ_units_age(occ_file_now() - seconds, age);
	printf("%s (%s%s)\n", occ_units_moment(seconds, moment), age,
	       strcmp(age, "now") != 0 ? " ago" : "");
}

static void row_size(const char *name, uint64_t size)
{
	char text[OCC_UNITS_SIZE];

	label(name);
	if (size < 1000)
		printf("%" PRIu64 " bytes\n", size);
	else
		printf("%s (%" PRIu64 " bytes)\n", occ_units_size(size, text),
		       size);
}

static void binary_digest(const struct occ_entry *entry,
			  char ret_hex[OCC_DIGEST_HEX_SIZE])
{
	struct occ_digest digest;

	occ_digest(entry->binary.data, entry->binary.size, OCC_SEED_CONTENT,
		   &digest);
	occ_digest_hex(&digest, ret_hex);
}

static const char *completeness(const struct occ_entry *entry)
{
	switch (occ_entry_number(entry, OCC_META_COMPLETENESS, 0)) {
	case OCC_COMPLETE_BUILT:
		return "fetched right after the build";
	case OCC_COMPLETE_KERNELS:
		return "fetched while it had kernels";
	case OCC_COMPLETE_RELEASED:
		return "fetched when its kernels were no longer used";
	default:
		return "complete";
	}
}

static void print_times(const struct occ_target *target)
{
	const struct occ_entry *entry = &target->whole.entry;
	uint64_t compiled =
		occ_entry_number(entry, OCC_META_COMPILE_TIME, UINT64_MAX);
	uint64_t created = occ_entry_number(entry, OCC_META_CREATED, 0);
	char text[OCC_UNITS_SIZE];

	row_moment("used", target->whole.status.st_mtim.tv_sec);
	row("hits",
	    occ_fields_hits(occ_file_uses(&target->whole.status), text));
	if (created)
		row_moment("created", (int64_t)created);
	row_span("writer", occ_entry_bytes(entry, OCC_META_WRITER));
	if (compiled != UINT64_MAX)
		row("compiled in", occ_units_time(compiled, text));
}

static void print_binary(const struct occ_entry *entry)
{
	const char *type = occ_fields_binary_type(
		occ_entry_number(entry, OCC_META_BINARY_TYPE, 0));
	char hex[OCC_DIGEST_HEX_SIZE], size[OCC_UNITS_SIZE];

	binary_digest(entry, hex);
	label("binary");
	printf("%s%s%s, digest %s\n", occ_units_size(entry->binary.size, size),
	       *type ? ", " : "", type, hex);
	row("completeness", completeness(entry));
}

static void print_texts(const struct occ_entry_file *whole)
{
	struct occ_span source, log;

	row_span("operation", occ_fields_find(whole, OCC_KEY_OPERATION));
	row_span("options", occ_fields_find(whole, OCC_KEY_OPTIONS));
	if (occ_entry_file_find(whole, OCC_KEY_SOURCE, &source))
		row_size("source", source.size);
	if (occ_entry_file_find(whole, OCC_KEY_IL, &source))
		row_size("IL", source.size);
	log = occ_fields_text(
		occ_entry_bytes(&whole->entry, OCC_META_BUILD_LOG));
	if (log.size)
		row_size("build log", log.size);
	else
		row("build log", "empty");
}

/* The items of lists are on lines of their own, behind a tab. */
static void print_key(const struct occ_entry_file *whole)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	struct occ_buffer text;
	struct occ_span bytes;
	uint16_t id;

	puts("key:");
	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1) {
		printf("  %s: ", occ_key_field_name(id));
		if (occ_fields_is_long(id)) {
			printf("%zu bytes\n", bytes.size);
			continue;
		}
		occ_fields_value(id, bytes, &text);
		occ_screen_write(stdout, (const char *)text.data, text.size,
				 false);
		putchar('\n');
		occ_buffer_release(&text);
	}
}

static void print_text(const struct occ_target *target)
{
	const struct occ_entry_file *whole = &target->whole;
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&whole->entry.hash, hex);
	row("hash", hex);
	row("file", target->path);
	row_size("size", whole->size);
	print_times(target);
	row_span("device", occ_fields_find(whole, OCC_KEY_DEVICE_NAME));
	row_span("platform", occ_fields_find(whole, OCC_KEY_PLATFORM_NAME));
	row_span("driver", occ_fields_find(whole, OCC_KEY_DRIVER_VERSION));
	print_texts(whole);
	print_binary(&whole->entry);
	occ_fields_show_kernels(&whole->entry);
	print_key(whole);
}

static void json_key(struct occ_json *json, const struct occ_entry_file *whole)
{
	struct occ_entry_file_cursor cursor = {0, 0};
	struct occ_buffer text;
	struct occ_span bytes;
	uint16_t id;

	occ_json_begin(json, "key", '[');
	while (occ_entry_file_next(whole, &cursor, &id, &bytes) == 1) {
		occ_fields_value(id, bytes, &text);
		occ_json_begin(json, NULL, '{');
		occ_json_number(json, "id", id);
		occ_json_string(json, "field", occ_key_field_name(id));
		if (occ_fields_is_long(id))
			occ_fields_write_json(json, "value", bytes);
		else
			occ_json_text(json, "value", (const char *)text.data,
				      text.size);
		occ_json_end(json, '}');
		occ_buffer_release(&text);
	}
	occ_json_end(json, ']');
}

static void print_json(const struct occ_target *target)
{
	const struct occ_entry *entry = &target->whole.entry;
	struct occ_json json = OCC_JSON_INIT(stdout);
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&entry->hash, hex);
	occ_json_begin(&json, NULL, '{');
	occ_json_string(&json, "hash", hex);
	occ_json_string(&json, "file", target->path);
	occ_json_number(&json, "size", target->whole.size);
	occ_json_signed(&json, "used", target->whole.status.st_mtim.tv_sec);
	occ_fields_write_hits(&json, occ_file_uses(&target->whole.status));
	occ_json_number(&json, "created",
			occ_entry_number(entry, OCC_META_CREATED, 0));
	occ_fields_write_json(&json, "writer",
			      occ_entry_bytes(entry, OCC_META_WRITER));
	occ_json_seconds(&json, "compile_seconds",
			 occ_entry_number(entry, OCC_META_COMPILE_TIME,
					  UINT64_MAX));
	occ_json_number(&json, "completeness",
			occ_entry_number(entry, OCC_META_COMPLETENESS, 0));
	binary_digest(entry, hex);
	occ_json_number(&json, "binary_size", entry->binary.size);
	occ_json_string(&json, "binary_digest", hex);
	occ_json_string(&json, "binary_type",
			occ_fields_binary_type(
				occ_entry_number(entry, OCC_META_BINARY_TYPE,
						 0)));
	occ_fields_write_json(&json, "log",
			      occ_entry_bytes(entry, OCC_META_BUILD_LOG));
	occ_fields_write_kernels(&json, entry);
	json_key(&json, &target->whole);
	occ_json_end(&json, '}');
}

static int print_source(const struct occ_entry_file *whole)
{
	struct occ_span source;

	if (!occ_entry_file_find(whole, OCC_KEY_SOURCE, &source)) {
		occ_message_error("inspect: this entry has no source: the "
				  "program was made from IL, or linked");
		return OCC_EXIT_FAILED;
	}
	/* A file has it byte for byte; a terminal would do what it says. */
	if (occ_screen_is_terminal(STDOUT_FILENO))
		occ_screen_write(stdout, (const char *)source.data, source.size,
				 false);
	else
		fwrite(source.data, 1, source.size, stdout);
	return OCC_EXIT_OK;
}

/* "-" is standard output: whether that could be written is seen at the end. */
static int write_binary(struct occ_span bytes, const char *path)
{
	bool is_standard = !strcmp(path, "-"), written = false;
	FILE *stream;

	if (is_standard && occ_screen_is_terminal(STDOUT_FILENO)) {
		occ_message_error("inspect: refusing to write a binary to a "
				  "terminal; name a file");
		return OCC_EXIT_USAGE;
	}
	stream = is_standard ? stdout : fopen(path, "we");
	if (stream)
		written =
			fwrite(bytes.data, 1, bytes.size, stream) == bytes.size;
	if (is_standard)
		return OCC_EXIT_OK;
	if (stream && fclose(stream))
		written = false;
	if (!written)
		occ_message_error("%s: %s", path, strerror(errno));
	return written ? OCC_EXIT_OK : OCC_EXIT_FAILED;
}

static int show(const struct occ_arguments *arguments,
		const struct occ_target *target)
{
	const char *binary = occ_arguments_value(arguments, "binary");
	const struct occ_entry *entry = &target->whole.entry;

	if (target->error) {
		occ_target_complain(target);
		return OCC_EXIT_FAILED;
	}
	if (binary)
		return write_binary(entry->binary, binary);
	if (occ_arguments_has(arguments, "source"))
		return print_source(&target->whole);
	if (occ_arguments_has(arguments, "log"))
		occ_fields_show(occ_fields_text(
					occ_entry_bytes(entry,
							OCC_META_BUILD_LOG)),
				false);
	else if (occ_arguments_has(arguments, "json"))
		print_json(target);
	else
		print_text(target);
	return OCC_EXIT_OK;
}

/* Each has standard output for itself. */
static bool is_one_form(const struct occ_arguments *arguments)
{
	static const char *const forms[] = {"json", "source", "binary", "log"};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!occ_arguments_has(arguments, forms[i]))
			continue;
		if (first) {
			occ_message_error(
				"inspect: --%s and --%s can't be used together",
				first, forms[i]);
			return false;
		}
		first = forms[i];
	}
	return true;
}

static int run(const struct occ_arguments *arguments)
{
	struct occ_target target;
	char *directory;
	int status;

	if (!occ_arguments_expect(arguments, "inspect", 1,
				  "name one entry by its hash, as 'oclcache "
				  "list' shows it, or by its file"))
		return OCC_EXIT_USAGE;
	if (!is_one_form(arguments))
		return OCC_EXIT_USAGE;
	directory = occ_store_path_directory(arguments);
	if (!directory)
		return OCC_EXIT_FAILED;
	status = occ_target_read(directory, "inspect", arguments->operands[0],
				 &target);
	free(directory);
	if (status != OCC_EXIT_OK)
		return status;
	status = show(arguments, &target);
	occ_target_release(&target);
	return status;
}

static const struct occ_option options[] = {
	{"json", 0, NULL, "print everything as JSON"},
	{"source", 0, NULL,
	 "print only the source text, as the program gave it"},
	{"binary", 0, "FILE",
	 "write the binary to FILE; \"-\" means standard output"},
	{"log", 0, NULL, "print only the build log"},
	OCC_STORE_PATH_OPTION,
	{NULL},
};

const struct occ_command occ_command_inspect = {
	.name = "inspect",
	.summary = "show everything about one entry",
	.operands = "HASH|FILE",
	.details = "HASH may be shortened to four or more digits, as long as "
		   "no other entry begins\n"
		   "with them. FILE may be in any store. Nothing is shown of a "
		   "damaged entry.",
	.options = options,
	.run = run,
};
