/* SPDX-License-Identifier: MIT */
#include "cli/fields.h"

#include <CL/cl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cache/description.h"
#include "cache/file.h"
#include "cli/message.h"
#include "cli/screen.h"
#include "hash/difference.h"

bool occ_fields_is_long(uint16_t id)
{
	return id == OCC_KEY_SOURCE || id == OCC_KEY_HEADER_SOURCE ||
	       id == OCC_KEY_IL;
}

/* Lists may be longer than what a key keeps in full. */
void occ_fields_value(uint16_t id, struct occ_span bytes,
		      struct occ_buffer *ret_text)
{
	struct occ_buffer field = OCC_BUFFER_INIT, text = OCC_BUFFER_INIT;
	struct occ_span key;
	const unsigned char *colon;
	size_t size = 0;

	occ_field_append(&field, id, bytes.data, bytes.size);
	key = occ_buffer_span(&field);
	if (!field.failed)
		occ_key_print(&key, &text);
	if (field.failed || text.failed)
		occ_message_no_memory();
	/* "name (6): value", and a line's end. */
	colon = text.data ? memchr(text.data, ':', text.size) : NULL;
	if (colon && text.size > (size_t)(colon - text.data) + 2)
		size = text.size - (size_t)(colon - text.data) - 3;
	*ret_text = (struct occ_buffer)OCC_BUFFER_INIT;
	occ_buffer_append(ret_text, size ? colon + 2 : NULL, size);
	occ_buffer_append(ret_text, "", 1);
	if (ret_text->failed)
		occ_message_no_memory();
	ret_text->size--;
	occ_buffer_release(&text);
	occ_buffer_release(&field);
}

const char *occ_fields_binary_type(uint64_t type)
{
	switch (type) {
	case CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT:
		return "compiled object";
	case CL_PROGRAM_BINARY_TYPE_LIBRARY:
		return "library";
	case CL_PROGRAM_BINARY_TYPE_EXECUTABLE:
		return "executable";
	case 0x40E1:
		return "intermediate";
	default:
		return "";
	}
}

struct occ_span occ_fields_text(struct occ_span bytes)
{
	while (bytes.size && !bytes.data[bytes.size - 1])
		bytes.size--;
	return bytes;
}

struct occ_span occ_fields_find(const struct occ_entry_file *whole,
				enum occ_key_field id)
{
	struct occ_span bytes;

	if (!occ_entry_file_find(whole, id, &bytes))
		return (struct occ_span){NULL, 0};
	return occ_fields_text(bytes);
}

void occ_fields_show(struct occ_span text, bool one_line)
{
	occ_screen_write(stdout, (const char *)text.data, text.size, one_line);
}

void occ_fields_write_json(struct occ_json *json, const char *name,
			   struct occ_span text)
{
	text = occ_fields_text(text);
	occ_json_text(json, name, (const char *)text.data, text.size);
}

struct occ_span occ_fields_next_kernel(struct occ_span *names)
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

/* What the entry says of an argument; empty when it isn't known. */
static struct occ_span argument_text(struct occ_span kernel, uint32_t index,
				     uint32_t parameter)
{
	struct occ_answer answer;

	if (!occ_description_argument(kernel, index, parameter, &answer) ||
	    answer.code != CL_SUCCESS)
		return (struct occ_span){NULL, 0};
	return answer.bytes;
}

static uint64_t argument_number(struct occ_span kernel, uint32_t index,
				uint32_t parameter)
{
	struct occ_span bytes = argument_text(kernel, index, parameter);

	if (bytes.size == 8)
		return occ_get_u64(bytes.data);
	return bytes.size == 4 ? occ_get_u32(bytes.data) : 0;
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
	struct occ_span type = occ_fields_text(
		argument_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME));
	struct occ_span name = occ_fields_text(
		argument_text(kernel, index, CL_KERNEL_ARG_NAME));
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
		occ_fields_show(type, true);
	else
		putchar('?');
	if (kind & CL_KERNEL_ARG_TYPE_RESTRICT)
		fputs(" restrict", stdout);
	if (name.size)
		putchar(' ');
	occ_fields_show(name, true);
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
	occ_fields_show(attributes.bytes, true);
}

void occ_fields_show_kernels(const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	if (names.size)
		puts("kernels:");
	while (names.size) {
		struct occ_span name = occ_fields_next_kernel(&names);

		if (!name.size)
			continue;
		fputs("  ", stdout);
		occ_fields_show(name, true);
		if (occ_description_find_kernel(kernels, name.data, name.size,
						&kernel))
			print_described(kernel);
		putchar('\n');
	}
}

static void json_argument(struct occ_json *json, struct occ_span kernel,
			  uint32_t index)
{
	occ_json_begin(json, NULL, '{');
	occ_fields_write_json(json, "name",
			      argument_text(kernel, index, CL_KERNEL_ARG_NAME));
	occ_fields_write_json(json, "type",
			      argument_text(kernel, index,
					    CL_KERNEL_ARG_TYPE_NAME));
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
		occ_fields_write_json(json, "attributes", attributes.bytes);
	if (!occ_description_argument_count(kernel, &count))
		return;
	occ_json_number(json, "argument_count", count);
	occ_json_begin(json, "arguments", '[');
	for (uint32_t i = 0; i < count && has_argument(kernel, i); i++)
		json_argument(json, kernel, i);
	occ_json_end(json, ']');
}

void occ_fields_write_kernels(struct occ_json *json,
			      const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	occ_json_begin(json, "kernels", '[');
	while (names.size) {
		struct occ_span name = occ_fields_next_kernel(&names);

		if (!name.size)
			continue;
		occ_json_begin(json, NULL, '{');
		occ_fields_write_json(json, "name", name);
		if (occ_description_find_kernel(kernels, name.data, name.size,
						&kernel))
			json_described(json, kernel);
		occ_json_end(json, '}');
	}
	occ_json_end(json, ']');
}

const char *occ_fields_hits(uint64_t uses, char ret_text[OCC_UNITS_SIZE])
{
	if (uses == OCC_FILE_USES_UNKNOWN)
		return "-";
	snprintf(ret_text, OCC_UNITS_SIZE, "%" PRIu64, uses);
	return ret_text;
}

void occ_fields_write_hits(struct occ_json *json, uint64_t uses)
{
	if (uses == OCC_FILE_USES_UNKNOWN)
		occ_json_null(json, "hits");
	else
		occ_json_number(json, "hits", uses);
}
