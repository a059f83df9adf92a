/* SPDX-License-Identifier: MIT */
#include "cli/kernels.h"

#include <CL/cl.h>
#include <inttypes.h>
#include <stdio.h>

#include "cache/description.h"
#include "cli/fields.h"

struct occ_span occ_kernels_next_name(struct occ_span *names)
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

void occ_kernels_show(const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	if (names.size)
		puts("kernels:");
	while (names.size) {
		struct occ_span name = occ_kernels_next_name(&names);

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

void occ_kernels_write_json(struct occ_json *json,
			    const struct occ_entry *entry)
{
	struct occ_span names =
		occ_fields_text(occ_entry_bytes(entry, OCC_META_KERNEL_NAMES));
	struct occ_span kernels = occ_entry_bytes(entry, OCC_META_KERNELS);
	struct occ_span kernel;

	occ_json_begin(json, "kernels", '[');
	while (names.size) {
		struct occ_span name = occ_kernels_next_name(&names);

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
