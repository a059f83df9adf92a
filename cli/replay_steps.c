/* SPDX-License-Identifier: MIT */
#include "cli/replay_steps.h"

#include <stdlib.h>
#include <string.h>

#include "cli/build_request.h"
#include "cli/message.h"
#include "cli/record_view.h"

/* As deep as the layer goes, and more than anybody links. */
#define DEPTH_MAX   8
#define STEPS_MAX   4096

/* Bytes of a request; databases may be anybody's. */
#define REQUEST_MAX ((size_t)256 << 20)

static bool is(struct occ_span text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.data, word, text.size);
}

static bool has_content(const struct occ_records *records,
			const struct occ_field *field)
{
	struct occ_content content;

	return occ_content_parse(field, &content) &&
	       occ_records_find(records, OCC_FRAME_CONTENT, &content.name);
}

/* What a field of a build lacks, or NULL. */
static const char *field_fault(const struct occ_records *records,
			       const struct occ_field *field)
{
	switch (field->id) {
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_IL:
	case OCC_BUILD_HEADER_SOURCE:
		return has_content(records, field)
			       ? NULL
			       : "its source is missing from the database";
	case OCC_BUILD_LINK_BINARY:
		return "it was made from a binary";
	default:
		return field->id > OCC_BUILD_EXECUTABLE
			       ? "a later version of oclcache recorded it"
			       : NULL;
	}
}

static const char *fault_of(const struct occ_records *records,
			    struct occ_span record)
{
	struct occ_build_view view;
	struct occ_field field;
	const char *fault = NULL;
	size_t offset = 0;

	if (!record.data || !occ_build_view(record, &view))
		return "its record is damaged";
	if (!is(view.operation, "link") && !view.has_source)
		return "it was made from a binary";
	while (!fault &&
	       occ_field_next(record.data, record.size, &offset, &field) == 1)
		fault = field_fault(records, &field);
	return fault;
}

static bool has_step(const struct occ_replay_steps *steps,
		     const struct occ_record *record)
{
	for (size_t i = 0; i < steps->count; i++)
		if (steps->items[i] == record)
			return true;
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): not deeper than DEPTH_MAX */
static const char *add(const struct occ_records *records,
		       const struct occ_record *build, unsigned depth,
		       struct occ_replay_steps *steps)
{
	const char *fault = fault_of(records, build->bytes);
	struct occ_span value;
	size_t offset = 0;

	if (depth > DEPTH_MAX || steps->count == STEPS_MAX)
		return "it links too many programs";
	while (!fault && occ_record_next(build->bytes, OCC_BUILD_LINK_BUILD,
					 &offset, &value)) {
		const struct occ_record *input = NULL;
		struct occ_digest name;

		if (occ_record_name(value, &name))
			input = occ_records_find(records, OCC_FRAME_BUILD,
						 &name);
		if (!input)
			return "a program that it links is missing from the "
			       "database";
		if (!has_step(steps, input))
			fault = add(records, input, depth + 1, steps);
	}
	if (!fault)
		steps->items[steps->count++] = build;
	return fault;
}

const char *occ_replay_steps_find(const struct occ_records *records,
				  const struct occ_record *build,
				  struct occ_replay_steps *ret_steps)
{
	const char *fault;

	*ret_steps = (struct occ_replay_steps){
		.items = occ_message_must(
			calloc(STEPS_MAX + 1, sizeof(*ret_steps->items)))};
	fault = add(records, build, 0, ret_steps);
	ret_steps->items = occ_message_must(
		realloc(ret_steps->items,
			(ret_steps->count + 1) * sizeof(*ret_steps->items)));
	return fault;
}

void occ_replay_steps_release(struct occ_replay_steps *steps)
{
	free(steps->items);
	*steps = (struct occ_replay_steps){.items = NULL};
}

/* ---- as a request ---- */

static bool write_content(const struct occ_records *records,
			  const struct occ_field *field,
			  struct occ_buffer *request)
{
	struct occ_buffer bytes = OCC_BUFFER_INIT;
	const struct occ_record *record = NULL;
	struct occ_content content;
	bool good;

	if (occ_content_parse(field, &content))
		record = occ_records_find(records, OCC_FRAME_CONTENT,
					  &content.name);
	good = record && record->size == content.size &&
	       request->size + record->size <= REQUEST_MAX &&
	       occ_records_read(records, record, &bytes);
	if (good)
		occ_field_append(request, field->id, bytes.data, bytes.size);
	occ_buffer_release(&bytes);
	return good;
}

/* An input by the number of its step. */
static bool write_input(const struct occ_records *records,
			const struct occ_replay_steps *steps,
			struct occ_span value, struct occ_buffer *request)
{
	const struct occ_record *input = NULL;
	struct occ_digest name;
	size_t number = 0;

	if (occ_record_name(value, &name))
		input = occ_records_find(records, OCC_FRAME_BUILD, &name);
	while (number < steps->count && steps->items[number] != input)
		number++;
	occ_record_append_number(request, OCC_BUILD_LINK_BUILD, number);
	return number < steps->count;
}

static bool write_field(const struct occ_records *records,
			const struct occ_replay_steps *steps,
			const struct occ_field *field,
			struct occ_buffer *request)
{
	switch (field->id) {
	case OCC_BUILD_SOURCE:
	case OCC_BUILD_IL:
	case OCC_BUILD_HEADER_SOURCE:
		return write_content(records, field, request);
	case OCC_BUILD_LINK_BUILD:
		return write_input(records, steps, occ_field_span(field),
				   request);
	case OCC_BUILD_SOURCE_LENGTHS:
	case OCC_BUILD_OPTIONS:
	case OCC_BUILD_CONSTANTS:
	case OCC_BUILD_HEADER_NAME:
	case OCC_BUILD_HEADER_LENGTHS:
		occ_field_append(request, field->id, field->payload,
				 (size_t)field->length);
		return request->size <= REQUEST_MAX;
	default:
		return true; /* what a place (cli/worker_place.h) is for */
	}
}

bool occ_replay_steps_write(const struct occ_records *records,
			    const struct occ_replay_steps *steps,
			    struct occ_buffer *request)
{
	for (size_t i = 0; i < steps->count; i++) {
		struct occ_span record = steps->items[i]->bytes;
		struct occ_span operation =
			occ_record_text(record, OCC_BUILD_OPERATION);
		struct occ_field field;
		size_t offset = 0;

		occ_field_append(request, OCC_REQUEST_STEP, operation.data,
				 operation.size);
		while (occ_field_next(record.data, record.size, &offset,
				      &field) == 1)
			if (!write_field(records, steps, &field, request))
				return false;
	}
	return !request->failed;
}
