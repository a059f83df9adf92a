/* SPDX-License-Identifier: MIT */
#include "cli/record_view.h"

#include <string.h>

bool occ_record_next(struct occ_span record, uint16_t id, size_t *offset,
		     struct occ_span *ret_value)
{
	struct occ_field field;

	while (occ_field_next(record.data, record.size, offset, &field) == 1) {
		if (field.id != id || field.kind != OCC_FIELD_BYTES)
			continue;
		*ret_value = occ_field_span(&field);
		return true;
	}
	return false;
}

struct occ_span occ_record_text(struct occ_span record, uint16_t id)
{
	struct occ_span value = {NULL, 0};
	size_t offset = 0;

	occ_record_next(record, id, &offset, &value);
	return value;
}

bool occ_record_name(struct occ_span value, struct occ_digest *ret_name)
{
	if (value.size != OCC_DIGEST_SIZE)
		return false;
	memcpy(ret_name->bytes, value.data, OCC_DIGEST_SIZE);
	return true;
}

static bool view_field(const struct occ_field *field,
		       struct occ_build_view *view)
{
	switch (field->id) {
	case OCC_BUILD_OPERATION:
		view->operation = occ_field_span(field);
		return true;
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_IL:
		view->has_source = true;
		view->is_il = field->id == OCC_BUILD_IL;
		return occ_content_parse(field, &view->source);
	case OCC_BUILD_OPTIONS:
		view->has_options = true;
		view->options = occ_field_span(field);
		return true;
	case OCC_BUILD_HEADER_NAME:
		view->headers++;
		return true;
	case OCC_BUILD_LINK_BINARY:
		view->binaries++;
		view->inputs++;
		return true;
	case OCC_BUILD_LINK_BUILD:
		view->inputs++;
		return true;
	case OCC_BUILD_INCLUDE_FILE:
		view->files++;
		return true;
	default:
		if (field->id > OCC_BUILD_EXECUTABLE)
			view->unknown = true;
		return true;
	}
}

/* Is it one of those that there are? */
static bool is_operation(struct occ_span text)
{
	static const char *const names[] = {"build", "compile", "link"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text.size == strlen(names[i]) &&
		    !memcmp(text.data, names[i], text.size))
			return true;
	return false;
}

bool occ_build_view(struct occ_span record, struct occ_build_view *ret_view)
{
	struct occ_field field;
	size_t offset = 0;
	bool good = true;
	int next;

	memset(ret_view, 0, sizeof(*ret_view));
	while ((next = occ_field_next(record.data, record.size, &offset,
				      &field)) == 1 &&
	       good)
		good = field.kind == OCC_FIELD_BYTES &&
		       view_field(&field, ret_view);
	return good && next == 0 && is_operation(ret_view->operation);
}

static uint64_t number_of(struct occ_span record, uint16_t id, uint64_t absent)
{
	struct occ_span value = occ_record_text(record, id);

	return value.size == 8 ? occ_get_u64(value.data) : absent;
}

bool occ_use_view(struct occ_span record, struct occ_use_view *ret_view)
{
	if (!occ_record_name(occ_record_text(record, OCC_USE_BUILD),
			     &ret_view->build))
		return false;
	ret_view->application = occ_record_text(record, OCC_USE_APPLICATION);
	ret_view->day = number_of(record, OCC_USE_DAY, 0);
	ret_view->compile_time =
		number_of(record, OCC_USE_COMPILE_TIME, UINT64_MAX);
	return true;
}

bool occ_refusal_view(struct occ_span record, struct occ_refusal_view *ret_view)
{
	ret_view->application =
		occ_record_text(record, OCC_REFUSAL_APPLICATION);
	ret_view->reason = occ_record_text(record, OCC_REFUSAL_REASON);
	return ret_view->reason.size > 0;
}
