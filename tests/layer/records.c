/* SPDX-License-Identifier: MIT */
/*
 * records FILE: what a database of builds has, a line for each frame, and one
 * behind it for each field of it, with a tabulator before. Texts are quoted,
 * names of frames are 32 hex digits.
 *
 * records --content NAME FILE: the bytes of a content.
 *
 * The exit status is 1, with a message, if the file is bad.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache/database_record.h"
#include "hash/buffer.h"
#include "hash/key.h"

static const char *const frame_names[] = {
	[OCC_FRAME_CONTENT] = "content", [OCC_FRAME_BUILD] = "build",
	[OCC_FRAME_DEVICE] = "device",	 [OCC_FRAME_USE] = "use",
	[OCC_FRAME_REFUSAL] = "refusal",
};

enum form { TEXT, CONTENT, LENGTHS, NAME, NUMBER, ANSWER, INCLUDED, BYTES };

struct described {
	uint16_t id;
	enum form form;
	const char *name;
};

static const struct described build_fields[] = {
	{OCC_BUILD_OPERATION, TEXT, "operation"},
	{OCC_BUILD_SOURCE, CONTENT, "source"},
	{OCC_BUILD_SOURCE_LENGTHS, LENGTHS, "strings"},
	{OCC_BUILD_IL, CONTENT, "il"},
	{OCC_BUILD_OPTIONS, TEXT, "options"},
	{OCC_BUILD_CONSTANTS, BYTES, "constants"},
	{OCC_BUILD_HEADER_NAME, TEXT, "header"},
	{OCC_BUILD_HEADER_SOURCE, CONTENT, "header source"},
	{OCC_BUILD_HEADER_LENGTHS, LENGTHS, "header strings"},
	{OCC_BUILD_LINK_BUILD, NAME, "input"},
	{OCC_BUILD_LINK_BINARY, NUMBER, "binary"},
	{OCC_BUILD_INCLUDE_FILE, INCLUDED, "included"},
	{OCC_BUILD_INCLUDE_PRESENT, INCLUDED, "present"},
	{OCC_BUILD_DIRECTORY, TEXT, "directory"},
	{OCC_BUILD_ENVIRONMENT, TEXT, "environment"},
	{OCC_BUILD_EXECUTABLE, TEXT, "executable"},
	{0},
};

static const struct described device_fields[] = {
	{OCC_KEY_PLATFORM_NAME, TEXT, "platform"},
	{OCC_KEY_PLATFORM_VENDOR, TEXT, "platform vendor"},
	{OCC_KEY_PLATFORM_VERSION, TEXT, "platform version"},
	{OCC_KEY_DEVICE_NAME, TEXT, "device"},
	{OCC_KEY_DEVICE_VENDOR, TEXT, "vendor"},
	{OCC_KEY_DEVICE_VERSION, TEXT, "version"},
	{OCC_KEY_DRIVER_VERSION, TEXT, "driver version"},
	{OCC_KEY_OPENCL_C_VERSION, TEXT, "OpenCL C"},
	{OCC_KEY_DEVICE_NUMBERS, BYTES, "numbers"},
	{OCC_KEY_DEVICE_EXTENSIONS, TEXT, "extensions"},
	{OCC_DEVICE_DRIVER, TEXT, "driver"},
	{OCC_DEVICE_ASKED, ANSWER, "asked"},
	{0},
};

static const struct described use_fields[] = {
	{OCC_USE_BUILD, NAME, "build"},
	{OCC_USE_DEVICE, NAME, "device"},
	{OCC_USE_APPLICATION, TEXT, "application"},
	{OCC_USE_DAY, NUMBER, "day"},
	{OCC_USE_KERNEL, TEXT, "kernel"},
	{OCC_USE_COMPILE_TIME, NUMBER, "compile time"},
	{0},
};

static const struct described refusal_fields[] = {
	{OCC_REFUSAL_APPLICATION, TEXT, "application"},
	{OCC_REFUSAL_REASON, TEXT, "reason"},
	{OCC_REFUSAL_DAY, NUMBER, "day"},
	{0},
};

static const struct described *const fields_of[] = {
	[OCC_FRAME_BUILD] = build_fields,
	[OCC_FRAME_DEVICE] = device_fields,
	[OCC_FRAME_USE] = use_fields,
	[OCC_FRAME_REFUSAL] = refusal_fields,
};

static void print_text(const unsigned char *text, size_t size)
{
	putchar('"');
	for (size_t i = 0; i < size; i++)
		if (text[i] >= ' ' && text[i] < 127 && text[i] != '"')
			putchar(text[i]);
		else
			printf("\\%02x", text[i]);
	putchar('"');
}

static void print_bytes(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x", bytes[i]);
}

static void print_lengths(const struct occ_field *field)
{
	for (size_t i = 0; i < field->length / 8; i++)
		printf("%s%" PRIu64, i ? " " : "",
		       occ_get_u64(field->payload + 8 * i));
}

static void print_content(const struct occ_field *field)
{
	struct occ_content content;

	if (!occ_content_parse(field, &content))
		return;
	print_bytes(content.name.bytes, OCC_DIGEST_SIZE);
	printf(" %" PRIu64, content.size);
}

static void print_included(const struct occ_database *database,
			   const struct occ_field *field)
{
	struct occ_recorded_file file;

	if (!occ_recorded_file_parse(occ_field_span(field), &file))
		return;
	print_text(file.path.data, file.path.size);
	printf(" %s ", occ_database_has(database, OCC_FRAME_CONTENT, &file.name)
			       ? "kept"
			       : "not kept");
	print_bytes(file.name.bytes, OCC_DIGEST_SIZE);
}

static void print_payload(const struct occ_database *database, enum form form,
			  const struct occ_field *field)
{
	size_t size = (size_t)field->length;

	switch (form) {
	case TEXT:
		print_text(field->payload, size);
		break;
	case CONTENT:
		print_content(field);
		break;
	case LENGTHS:
		print_lengths(field);
		break;
	case NUMBER:
		printf("%" PRIu64, occ_get_u64(field->payload));
		break;
	case ANSWER:
		printf("0x%04x ", (unsigned)occ_get_u32(field->payload));
		print_text(field->payload + 4, size - 4);
		break;
	case INCLUDED:
		print_included(database, field);
		break;
	case NAME:
	case BYTES:
		print_bytes(field->payload, size);
		break;
	}
}

static bool print_fields(const struct occ_database *database,
			 enum occ_frame_type type,
			 const struct occ_buffer *bytes)
{
	const struct described *described;
	struct occ_field field;
	size_t offset = 0;
	int more;

	while ((more = occ_field_next(bytes->data, bytes->size, &offset,
				      &field)) == 1) {
		for (described = fields_of[type];
		     described->name && described->id != field.id;)
			described++;
		printf("\t%s: ", described->name ? described->name : "?");
		if (described->name)
			print_payload(database, described->form, &field);
		putchar('\n');
	}
	return !more;
}

static bool print_frame(struct occ_database *database,
			const struct occ_frame *frame)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char name[OCC_DIGEST_HEX_SIZE];
	bool good;

	if (frame->type < OCC_FRAME_CONTENT || frame->type > OCC_FRAME_REFUSAL)
		return false;
	occ_digest_hex(&frame->name, name);
	printf("%s %s %" PRIu64 "\n", frame_names[frame->type], name,
	       frame->size);
	good = !occ_database_read(database, (enum occ_frame_type)frame->type,
				  &frame->name, &bytes);
	if (good && frame->type != OCC_FRAME_CONTENT)
		good = print_fields(database, (enum occ_frame_type)frame->type,
				    &bytes);
	occ_buffer_release(&bytes);
	return good;
}

static bool print_all(struct occ_database *database)
{
	bool good = !occ_database_bad(database);

	for (size_t i = 0; i < occ_database_count(database); i++) {
		const struct occ_frame frame = *occ_database_frame(database, i);

		good &= print_frame(database, &frame);
	}
	return good;
}

static bool write_content(struct occ_database *database, const char *hex)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	char name[OCC_DIGEST_HEX_SIZE];
	bool found = false;

	for (size_t i = 0; !found && i < occ_database_count(database); i++) {
		const struct occ_frame frame = *occ_database_frame(database, i);

		occ_digest_hex(&frame.name, name);
		found = frame.type == OCC_FRAME_CONTENT && !strcmp(name, hex) &&
			!occ_database_read(database, OCC_FRAME_CONTENT,
					   &frame.name, &bytes);
	}
	fwrite(bytes.data, 1, bytes.size, stdout);
	occ_buffer_release(&bytes);
	return found;
}

int main(int argc, char **argv)
{
	bool one = argc == 4 && !strcmp(argv[1], "--content");
	struct occ_database *database;
	int error;
	bool good;

	if (argc != 2 && !one)
		return 2;
	error = occ_database_open_read(argv[argc - 1], &database);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[argc - 1],
			occ_error_string(error));
		return 1;
	}
	good = one ? write_content(database, argv[2]) : print_all(database);
	if (!good)
		fprintf(stderr, "%s: bad\n", argv[argc - 1]);
	occ_database_close(database);
	return !good;
}
