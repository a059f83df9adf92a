/* SPDX-License-Identifier: MIT */
#include "cli/database_strip.h"

#include <string.h>

#include "cli/compile_variables.h"
#include "cli/message.h"
#include "cli/private_path.h"
#include "cli/record_view.h"

/*
 * What identifies this very device, or this very copy of the driver, by the
 * extensions that define it: cl_khr_device_uuid, cl_khr_pci_bus_info,
 * cl_nv_device_attribute_query, cl_amd_device_attribute_query.
 */
static bool is_identifying(uint32_t parameter)
{
	static const uint32_t parameters[] = {
		0x106A, /* CL_DEVICE_UUID_KHR */
		0x106B, /* CL_DRIVER_UUID_KHR */
		0x106D, /* CL_DEVICE_LUID_KHR */
		0x410F, /* CL_DEVICE_PCI_BUS_INFO_KHR */
		0x4008, /* CL_DEVICE_PCI_BUS_ID_NV */
		0x4009, /* CL_DEVICE_PCI_SLOT_ID_NV */
		0x400A, /* CL_DEVICE_PCI_DOMAIN_ID_NV */
		0x4037, /* CL_DEVICE_TOPOLOGY_AMD */
	};

	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (parameters[i] == parameter)
			return true;
	return false;
}

static void append(struct occ_buffer *record, const struct occ_field *field,
		   struct occ_span value)
{
	occ_field_append(record, field->id, value.data, value.size);
}

static bool append_renamed(const struct occ_renaming *renaming,
			   enum occ_frame_type type,
			   const struct occ_field *field,
			   struct occ_buffer *record)
{
	struct occ_digest old, new;

	if (!occ_record_name(occ_field_span(field), &old) ||
	    !renaming->rename(renaming->data, type, &old, &new))
		return false;
	occ_field_append(record, field->id, new.bytes, OCC_DIGEST_SIZE);
	return true;
}

static void append_base(const struct occ_renaming *renaming,
			const struct occ_field *field,
			struct occ_buffer *record)
{
	struct occ_buffer base = OCC_BUFFER_INIT;

	if (!renaming->strips) {
		append(record, field, occ_field_span(field));
		return;
	}
	occ_private_path_base(occ_field_span(field), &base);
	if (base.failed)
		occ_message_no_memory();
	append(record, field, occ_buffer_span(&base));
	occ_buffer_release(&base);
}

/*
 * A variable, with its NUL: one that a driver is known to compile by, and whose
 * value is no path of somebody's. (Where a driver takes any variable as a
 * switch, all of the environment is in the record.)
 */
static bool is_variable_kept(struct occ_span variable)
{
	const unsigned char *end = memchr(variable.data, '=', variable.size);

	return end &&
	       occ_compile_variable_is_known((const char *)variable.data,
					     (size_t)(end - variable.data)) &&
	       !occ_private_path_in_options(variable, NULL);
}

static void append_environment(const struct occ_renaming *renaming,
			       const struct occ_field *field,
			       struct occ_buffer *record)
{
	struct occ_buffer kept = OCC_BUFFER_INIT;
	struct occ_span rest = occ_field_span(field);

	while (renaming->strips && rest.size) {
		const unsigned char *end = memchr(rest.data, 0, rest.size);
		size_t size = end ? (size_t)(end - rest.data) + 1 : rest.size;
		struct occ_span variable = {rest.data, size};

		if (is_variable_kept(variable))
			occ_buffer_append(&kept, variable.data, size);
		rest.data += size;
		rest.size -= size;
	}
	if (kept.failed)
		occ_message_no_memory();
	if (!renaming->strips)
		append(record, field, occ_field_span(field));
	else if (kept.size)
		append(record, field, occ_buffer_span(&kept));
	occ_buffer_release(&kept);
}

static bool append_build_field(const struct occ_renaming *renaming,
			       const struct occ_field *field,
			       struct occ_buffer *record)
{
	switch (field->id) {
	case OCC_BUILD_LINK_BUILD:
		return append_renamed(renaming, OCC_FRAME_BUILD, field, record);
	case OCC_BUILD_DIRECTORY:
		if (!renaming->strips)
			append(record, field, occ_field_span(field));
		return true;
	case OCC_BUILD_ENVIRONMENT:
		append_environment(renaming, field, record);
		return true;
	case OCC_BUILD_EXECUTABLE:
		append_base(renaming, field, record);
		return true;
	default:
		append(record, field, occ_field_span(field));
		return true;
	}
}

static bool finish(const struct occ_buffer *record, bool good)
{
	if (record->failed)
		occ_message_no_memory();
	return good;
}

bool occ_database_strip_build(const struct occ_renaming *renaming,
			      struct occ_span record,
			      struct occ_buffer *ret_record)
{
	struct occ_field field;
	size_t offset = 0;
	bool good = true;

	while (good &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		good = append_build_field(renaming, &field, ret_record);
	return finish(ret_record, good);
}

bool occ_database_strip_use(const struct occ_renaming *renaming,
			    struct occ_span record,
			    struct occ_buffer *ret_record)
{
	struct occ_field field;
	size_t offset = 0;
	bool good = true;

	while (good &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		if (field.id == OCC_USE_BUILD)
			good = append_renamed(renaming, OCC_FRAME_BUILD, &field,
					      ret_record);
		else if (field.id == OCC_USE_DEVICE)
			good = append_renamed(renaming, OCC_FRAME_DEVICE,
					      &field, ret_record);
		else if (field.id == OCC_USE_APPLICATION)
			append_base(renaming, &field, ret_record);
		else
			append(ret_record, &field, occ_field_span(&field));
	return finish(ret_record, good);
}

/* That it was asked stays, so that no device answers likewise. */
static bool is_answer_private(struct occ_span answer)
{
	return answer.size > 4 && (is_identifying(occ_get_u32(answer.data)) ||
				   occ_private_path_in_options(answer, NULL));
}

void occ_database_strip_device(const struct occ_renaming *renaming,
			       struct occ_span record,
			       struct occ_buffer *ret_record)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(record.data, record.size, &offset, &field) == 1) {
		struct occ_span value = occ_field_span(&field);

		if (renaming->strips && field.id == OCC_DEVICE_ASKED &&
		    is_answer_private(value))
			value.size = 4;
		append(ret_record, &field, value);
	}
	finish(ret_record, true);
}

void occ_database_strip_refusal(const struct occ_renaming *renaming,
				struct occ_span record,
				struct occ_buffer *ret_record)
{
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(record.data, record.size, &offset, &field) == 1)
		if (field.id == OCC_REFUSAL_APPLICATION)
			append_base(renaming, &field, ret_record);
		else
			append(ret_record, &field, occ_field_span(&field));
	finish(ret_record, true);
}

static bool is_content_private(const struct occ_records *records,
			       const struct occ_digest *name,
			       struct occ_buffer *memory,
			       struct occ_span *ret_path)
{
	const struct occ_record *record =
		occ_records_find(records, OCC_FRAME_CONTENT, name);

	occ_buffer_release(memory);
	return record && occ_records_read(records, record, memory) &&
	       occ_private_path_in_content(occ_buffer_span(memory), ret_path);
}

static const char *private_field(const struct occ_records *records,
				 const struct occ_field *field,
				 struct occ_buffer *memory,
				 struct occ_span *ret_path)
{
	struct occ_recorded_file file;
	struct occ_content content;

	switch (field->id) {
	case OCC_BUILD_OPTIONS:
		return occ_private_path_in_options(occ_field_span(field),
						   ret_path)
			       ? "its options"
			       : NULL;
	case OCC_BUILD_HEADER_NAME:
		return occ_private_path_in_options(occ_field_span(field),
						   ret_path)
			       ? "the name of a header"
			       : NULL;
	case OCC_BUILD_INCLUDE_FILE:
	case OCC_BUILD_INCLUDE_PRESENT:
		if (!occ_recorded_file_parse(occ_field_span(field), &file))
			return NULL;
		if (occ_private_path_in_options(file.path, ret_path))
			return "the path of an included file";
		return is_content_private(records, &file.name, memory, ret_path)
			       ? "an included file"
			       : NULL;
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_IL:
	case OCC_BUILD_HEADER_SOURCE:
		return occ_content_parse(field, &content) &&
				       is_content_private(records,
							  &content.name, memory,
							  ret_path)
			       ? "its source"
			       : NULL;
	default:
		return NULL;
	}
}

const char *occ_database_private_part(const struct occ_records *records,
				      struct occ_span record,
				      struct occ_buffer *ret_memory,
				      struct occ_span *ret_path)
{
	const char *part = NULL;
	struct occ_field field;
	size_t offset = 0;

	while (!part &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		part = private_field(records, &field, ret_memory, ret_path);
	return part;
}
