/* SPDX-License-Identifier: MIT */
/*
 * oclcache inspect: all that an entry says of itself. Only of one that is
 * verified whole.
 */
#include <CL/cl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache/description.h"
#include "cache/file.h"
#include "cli/command.h"
#include "cli/fields.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/place.h"
#include "cli/screen.h"
#include "cli/target.h"
#include "cli/units.h"

#define LABEL_COLUMNS 14

static void write_span(struct occ_span bytes, bool one_line)
{
	occ_screen_write(stdout, (const char *)bytes.data, bytes.size,
			 one_line);
}

static void label(const char *name)
{
	printf("%s%-*s%s", occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_BOLD),
	       LABEL_COLUMNS, name,
	       occ_screen_colour(STDOUT_FILENO, OCC_COLOUR_NONE));
}

static void row(const char *name, const char *value)
{
	label(name);
	printf("%s\n", value);
}

/* What isn't known has no row. */
static void row_span(const char *name, struct occ_span value)
{
	value = occ_fields_text(value);
	if (!value.size)
		return;
	label(name);
	write_span(value, true);
	putchar('\n');
}

static void row_field(const struct occ_whole *whole, const char *name,
		      enum occ_key_field id)
{
	struct occ_span bytes;

	if (occ_whole_find(whole, id, &bytes))
		row_span(name, bytes);
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
		return "fetched while there were kernels";
	case OCC_COMPLETE_RELEASED:
		return "fetched when its kernels were no more used";
	default:
		return "nothing is to come";
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
	snprintf(text, sizeof(text), "%" PRIu64,
		 occ_file_uses(&target->whole.status));
	row("hits", text);
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

static void print_texts(const struct occ_whole *whole)
{
	struct occ_span source, log;

	row_field(whole, "operation", OCC_KEY_OPERATION);
	row_field(whole, "options", OCC_KEY_OPTIONS);
	if (occ_whole_find(whole, OCC_KEY_SOURCE, &source))
		row_size("source", source.size);
	if (occ_whole_find(whole, OCC_KEY_IL, &source))
		row_size("IL", source.size);
	log = occ_fields_text(
		occ_entry_bytes(&whole->entry, OCC_META_BUILD_LOG));
	if (log.size)
		row_size("build log", log.size);
	else
		row("build log", "empty");
}

/* "name" of "name;other;", and what is behind it. */
static struct occ_span next_name(struct occ_span *names)
{
	struct occ_span name = {names->data, 0};

	while (name.size < names->size && names->data[name.size] != ';')
		name.size++;
	names->data += name.size;
	names->size -= name.size;
	if (names->size) {
		names->data++;
		names->size--;
	}
	return name;
}

/* A driver's string; empty when it isn't known. */
static struct occ_span argument_text(struct occ_span kernel, uint32_t index,
				     uint32_t parameter)
{
	struct occ_answer answer;

	if (!occ_description_argument(kernel, index, parameter, &answer) ||
	    answer.code != CL_SUCCESS)
		return (struct occ_span){NULL, 0};
	return occ_fields_text(answer.bytes);
}

static uint64_t argument_number(struct occ_span kernel, uint32_t index,
				uint32_t parameter)
{
	struct occ_answer answer;

	if (!occ_description_argument(kernel, index, parameter, &answer) ||
	    answer.code != CL_SUCCESS)
		return 0;
	if (answer.bytes.size == 8)
		return occ_get_u64(answer.bytes.data);
	return answer.bytes.size == 4 ? occ_get_u32(answer.bytes.data) : 0;
}

static const char *address_word(uint64_t qualifier)
{
	switch (qualifier) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
		return "global ";
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return "local ";
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return "constant ";
	default:
		return "";
	}
}

static const char *access_word(uint64_t qualifier)
{
	switch (qualifier) {
	case CL_KERNEL_ARG_ACCESS_READ_ONLY:
		return "read_only ";
	case CL_KERNEL_ARG_ACCESS_WRITE_ONLY:
		return "write_only ";
	case CL_KERNEL_ARG_ACCESS_READ_WRITE:
		return "read_write ";
	default:
		return "";
	}
}

static void print_argument(struct occ_span kernel, uint32_t index)
{
	struct occ_span type =
		argument_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME);
	struct occ_span name = argument_text(kernel, index, CL_KERNEL_ARG_NAME);
	uint64_t kind =
		argument_number(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER);

	printf("%s%s", index ? ", " : "",
	       address_word(argument_number(kernel, index,
					    CL_KERNEL_ARG_ADDRESS_QUALIFIER)));
	fputs(access_word(argument_number(kernel, index,
					  CL_KERNEL_ARG_ACCESS_QUALIFIER)),
	      stdout);
	if (kind & CL_KERNEL_ARG_TYPE_CONST)
		fputs("const ", stdout);
	if (kind & CL_KERNEL_ARG_TYPE_VOLATILE)
		fputs("volatile ", stdout);
	if (type.size)
		write_span(type, true);
	else
		putchar('?');
	if (kind & CL_KERNEL_ARG_TYPE_RESTRICT)
		fputs(" restrict", stdout);
	if (name.size)
		putchar(' ');
	write_span(name, true);
}

/* A hostile count isn't counted up to: arguments end where nothing is said. */
static bool has_argument(struct occ_span kernel, uint32_t index)
{
	struct occ_answer answer;

	return occ_description_argument(kernel, index, CL_KERNEL_ARG_TYPE_NAME,
					&answer) ||
	       occ_description_argument(kernel, index, CL_KERNEL_ARG_NAME,
					&answer) ||
	       occ_description_argument(kernel, index,
					CL_KERNEL_ARG_ADDRESS_QUALIFIER,
					&answer);
}

static void print_described(struct occ_span kernel)
{
	struct occ_answer attributes;
	uint32_t count;

	if (occ_description_argument_count(kernel, &count)) {
		putchar('(');
		for (uint32_t i = 0; i < count && has_argument(kernel, i); i++)
			print_argument(kernel, i);
		if (count && !has_argument(kernel, 0))
			printf("%" PRIu32 " argument%s", count,
			       count == 1 ? "" : "s");
		putchar(')');
	}
	if (!occ_description_attributes(kernel, &attributes) ||
	    attributes.code != CL_SUCCESS)
		return;
	attributes.bytes = occ_fields_text(attributes.bytes);
	if (!attributes.bytes.size)
		return;
	fputs("  ", stdout);
	write_span(attributes.bytes, true);
}

static void print_kernels(const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	if (names.size)
		puts("kernels:");
	while (names.size) {
		struct occ_span name = next_name(&names);

		if (!name.size)
			continue;
		fputs("  ", stdout);
		write_span(name, true);
		if (occ_description_find_kernel(kernels, name.data, name.size,
						&kernel))
			print_described(kernel);
		putchar('\n');
	}
}

/* The items of lists are on lines of their own, behind a tab. */
static void print_key(const struct occ_whole *whole)
{
	struct occ_whole_cursor cursor = {0, 0};
	struct occ_buffer text;
	struct occ_span bytes;
	uint16_t id;

	puts("key:");
	while (occ_whole_next(whole, &cursor, &id, &bytes) == 1) {
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
	const struct occ_whole *whole = &target->whole;
	char hex[OCC_DIGEST_HEX_SIZE];

	occ_digest_hex(&whole->entry.hash, hex);
	row("hash", hex);
	row("file", target->path);
	row_size("size", whole->size);
	print_times(target);
	row_field(whole, "device", OCC_KEY_DEVICE_NAME);
	row_field(whole, "platform", OCC_KEY_PLATFORM_NAME);
	row_field(whole, "driver", OCC_KEY_DRIVER_VERSION);
	print_texts(whole);
	print_binary(&whole->entry);
	print_kernels(&whole->entry);
	print_key(whole);
}

static void json_span(struct occ_json *json, const char *name,
		      struct occ_span bytes)
{
	bytes = occ_fields_text(bytes);
	occ_json_text(json, name, (const char *)bytes.data, bytes.size);
}

static void json_argument(struct occ_json *json, struct occ_span kernel,
			  uint32_t index)
{
	occ_json_begin(json, NULL, '{');
	json_span(json, "name",
		  argument_text(kernel, index, CL_KERNEL_ARG_NAME));
	json_span(json, "type",
		  argument_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME));
	occ_json_number(json, "address_qualifier",
			argument_number(kernel, index,
					CL_KERNEL_ARG_ADDRESS_QUALIFIER));
	occ_json_number(json, "access_qualifier",
			argument_number(kernel, index,
					CL_KERNEL_ARG_ACCESS_QUALIFIER));
	occ_json_number(json, "type_qualifier",
			argument_number(kernel, index,
					CL_KERNEL_ARG_TYPE_QUALIFIER));
	occ_json_end(json, '}');
}

static void json_described(struct occ_json *json, struct occ_span kernel)
{
	struct occ_answer attributes;
	uint32_t count;

	if (occ_description_attributes(kernel, &attributes) &&
	    attributes.code == CL_SUCCESS)
		json_span(json, "attributes", attributes.bytes);
	if (!occ_description_argument_count(kernel, &count))
		return;
	occ_json_number(json, "argument_count", count);
	occ_json_begin(json, "arguments", '[');
	for (uint32_t i = 0; i < count && has_argument(kernel, i); i++)
		json_argument(json, kernel, i);
	occ_json_end(json, ']');
}

static void json_kernels(struct occ_json *json, const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	occ_json_begin(json, "kernels", '[');
	while (names.size) {
		struct occ_span name = next_name(&names);

		if (!name.size)
			continue;
		occ_json_begin(json, NULL, '{');
		json_span(json, "name", name);
		if (occ_description_find_kernel(kernels, name.data, name.size,
						&kernel))
			json_described(json, kernel);
		occ_json_end(json, '}');
	}
	occ_json_end(json, ']');
}

static void json_key(struct occ_json *json, const struct occ_whole *whole)
{
	struct occ_whole_cursor cursor = {0, 0};
	struct occ_buffer text;
	struct occ_span bytes;
	uint16_t id;

	occ_json_begin(json, "key", '[');
	while (occ_whole_next(whole, &cursor, &id, &bytes) == 1) {
		occ_fields_value(id, bytes, &text);
		occ_json_begin(json, NULL, '{');
		occ_json_number(json, "id", id);
		occ_json_string(json, "field", occ_key_field_name(id));
		if (occ_fields_is_long(id))
			json_span(json, "value", bytes);
		else
			occ_json_text(json, "value", (const char *)text.data,
				      text.size);
		occ_json_end(json, '}');
		occ_buffer_release(&text);
	}
	occ_json_end(json, ']');
}

static void json_times(struct occ_json *json, const struct occ_entry *entry)
{
	uint64_t compiled =
		occ_entry_number(entry, OCC_META_COMPILE_TIME, UINT64_MAX);

	occ_json_number(json, "created",
			occ_entry_number(entry, OCC_META_CREATED, 0));
	json_span(json, "writer", occ_entry_bytes(entry, OCC_META_WRITER));
	if (compiled == UINT64_MAX)
		occ_json_null(json, "compile_seconds");
	else
		occ_json_real(json, "compile_seconds", (double)compiled / 1e9);
	occ_json_number(json, "completeness",
			occ_entry_number(entry, OCC_META_COMPLETENESS, 0));
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
	occ_json_number(&json, "hits", occ_file_uses(&target->whole.status));
	json_times(&json, entry);
	binary_digest(entry, hex);
	occ_json_number(&json, "binary_size", entry->binary.size);
	occ_json_string(&json, "binary_digest", hex);
	occ_json_string(&json, "binary_type",
			occ_fields_binary_type(
				occ_entry_number(entry, OCC_META_BINARY_TYPE,
						 0)));
	json_span(&json, "log", occ_entry_bytes(entry, OCC_META_BUILD_LOG));
	json_kernels(&json, entry);
	json_key(&json, &target->whole);
	occ_json_end(&json, '}');
}

static int print_source(const struct occ_whole *whole)
{
	struct occ_span source;

	if (!occ_whole_find(whole, OCC_KEY_SOURCE, &source)) {
		occ_message_error("inspect: there is no source: the program "
				  "was made from IL, or linked");
		return OCC_EXIT_FAILED;
	}
	fwrite(source.data, 1, source.size, stdout);
	return OCC_EXIT_OK;
}

static bool write_to(FILE *stream, struct occ_span bytes)
{
	return fwrite(bytes.data, 1, bytes.size, stream) == bytes.size;
}

static int write_to_standard(struct occ_span bytes)
{
	if (occ_screen_is_terminal(STDOUT_FILENO)) {
		occ_message_error("inspect: a binary is no text for a "
				  "terminal; name a file");
		return OCC_EXIT_USAGE;
	}
	/* Whether it could be written is seen at the end. */
	write_to(stdout, bytes);
	return OCC_EXIT_OK;
}

static int write_to_file(struct occ_span bytes, const char *path)
{
	FILE *stream = fopen(path, "we");
	bool written = false;

	if (stream) {
		written = write_to(stream, bytes);
		written = !fclose(stream) && written;
	}
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
		return strcmp(binary, "-") != 0
			       ? write_to_file(entry->binary, binary)
			       : write_to_standard(entry->binary);
	if (occ_arguments_has(arguments, "source"))
		return print_source(&target->whole);
	if (occ_arguments_has(arguments, "log"))
		write_span(occ_fields_text(
				   occ_entry_bytes(entry, OCC_META_BUILD_LOG)),
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
			occ_message_error("inspect: --%s or --%s, one at a "
					  "time",
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

	if (arguments->operand_count != 1) {
		occ_message_error("inspect: which entry? By its hash, as "
				  "'oclcache list' shows it, or its file");
		return OCC_EXIT_USAGE;
	}
	if (!is_one_form(arguments))
		return OCC_EXIT_USAGE;
	directory = occ_place_directory(arguments);
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
	{"json", 0, NULL, "all of it, for programs"},
	{"source", 0, NULL, "the source text alone, as it was given"},
	{"binary", 0, "FILE", "write the binary there; \"-\": standard output"},
	{"log", 0, NULL, "the build log alone"},
	OCC_PLACE_OPTION,
	{NULL},
};

const struct occ_command occ_command_inspect = {
	.name = "inspect",
	.summary = "all that one entry says",
	.operands = "HASH|FILE",
	.details =
		"A hash may be cut to four digits or more, if no other begins "
		"so. A file may\nbe of any store. Of a damaged entry nothing "
		"is shown.",
	.options = options,
	.run = run,
};
