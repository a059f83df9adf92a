/* SPDX-License-Identifier: MIT */
#include "cli/fields.h"

#include <CL/cl.h>
#include <string.h>

#include "cli/message.h"
#include "cli/screen.h"
#include "hash/print.h"

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
	struct occ_stored_key key;
	const unsigned char *colon;
	size_t size = 0;

	occ_field_append(&field, id, bytes.data, bytes.size);
	key = (struct occ_stored_key){field.data, field.size};
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
