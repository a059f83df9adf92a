/* SPDX-License-Identifier: MIT */
#include "layer/serve/record_frames.h"

#include <string.h>

#include "cache/driver/driver.h"
#include "cache/file.h"
#include "hash/buffer.h"
#include "hash/option.h"
#include "layer/driver/identity.h"
#include "layer/object/device_answers.h"
#include "layer/serve/record_includes.h"

#define DAY_S 86400

static void append_string(struct occ_buffer *record, uint16_t id,
			  const char *text)
{
	occ_field_append(record, id, text, strlen(text));
}

static int add_text(struct occ_database *database,
		    const struct occ_input *input, uint16_t id,
		    struct occ_buffer *record)
{
	return occ_database_add_content(
		database,
		(struct occ_span){(const unsigned char *)input->text,
				  input->size},
		id, record);
}

static int add_input(struct occ_database *database,
		     const struct occ_input *input, struct occ_buffer *record)
{
	int error;

	if (input->is_il)
		return add_text(database, input, OCC_BUILD_IL, record);
	error = add_text(database, input, OCC_BUILD_SOURCE, record);
	occ_field_append(record, OCC_BUILD_SOURCE_LENGTHS, input->lengths,
			 input->lengths_size);
	return error;
}

static int add_headers(struct occ_database *database,
		       const struct occ_build_key *build_key,
		       struct occ_buffer *record)
{
	int error = OCC_OK;

	for (cl_uint i = 0; i < build_key->header_count && !error; i++) {
		const struct occ_header *header = &build_key->headers[i];

		append_string(record, OCC_BUILD_HEADER_NAME, header->name);
		error = add_text(database, header->input,
				 OCC_BUILD_HEADER_SOURCE, record);
		occ_field_append(record, OCC_BUILD_HEADER_LENGTHS,
				 header->input->lengths,
				 header->input->lengths_size);
	}
	return error;
}

static void append_constants(const struct occ_build_key *build_key,
			     struct occ_buffer *record)
{
	struct occ_buffer constants = OCC_BUFFER_INIT;

	occ_spec_constants_append(&build_key->constants, &constants);
	if (constants.size)
		occ_field_append(record, OCC_BUILD_CONSTANTS, constants.data,
				 constants.size);
	record->failed |= constants.failed;
	occ_buffer_release(&constants);
}

static void append_link_inputs(const struct occ_build_key *build_key,
			       const struct occ_digest *inputs,
			       struct occ_buffer *record)
{
	for (cl_uint i = 0; i < build_key->link_input_count; i++) {
		const struct occ_binaries *binaries =
			build_key->link_inputs[i].binaries;

		if (binaries)
			occ_record_append_number(record, OCC_BUILD_LINK_BINARY,
						 binaries->sizes[0]);
		else
			occ_field_append(record, OCC_BUILD_LINK_BUILD,
					 inputs[i].bytes, OCC_DIGEST_SIZE);
	}
}

static bool is_absolute(enum occ_option_kind kind, const char *argument,
			size_t length, bool certain, void *data)
{
	(void)certain;
	(void)data;
	return (kind != OCC_OPTION_DIRECTORY && kind != OCC_OPTION_FILE) ||
	       !length || *argument == '/';
}

static void append_directory(const struct occ_build_key *build_key,
			     const char *directory, struct occ_buffer *record)
{
	const struct occ_driver *driver = occ_build_key_driver(build_key);

	if (directory && (occ_record_includes_relative(build_key) ||
			  !occ_option_walk(build_key->options, driver->dialect,
					   is_absolute, NULL)))
		append_string(record, OCC_BUILD_DIRECTORY, directory);
}

/* What the driver goes by besides. */
static void append_surroundings(const struct occ_build_key *build_key,
				struct occ_buffer *record)
{
	const struct occ_identity *identity = build_key->identities[0];
	struct occ_field field;

	if (build_key->environment.size)
		occ_field_append(record, OCC_BUILD_ENVIRONMENT,
				 build_key->environment.data,
				 build_key->environment.size);
	if (occ_field_find(identity->fields.data, identity->fields.size,
			   OCC_KEY_EXECUTABLE, &field) == 1)
		occ_field_append(record, OCC_BUILD_EXECUTABLE, field.payload,
				 (size_t)field.length);
}

static int add_record(struct occ_database *database, enum occ_frame_type type,
		      struct occ_buffer *record, int error,
		      struct occ_digest *ret_name)
{
	if (!error && record->failed)
		error = OCC_E_MEMORY;
	if (!error)
		error = occ_database_add(database, type,
					 occ_buffer_span(record), ret_name);
	occ_buffer_release(record);
	return error;
}

int occ_record_frames_build(struct occ_database *database,
			    const struct occ_build_key *build_key,
			    const char *directory,
			    const struct occ_digest *inputs,
			    struct occ_digest *ret_name)
{
	static const char *const names[] = {
		[OCC_BUILD] = "build",
		[OCC_COMPILE] = "compile",
		[OCC_LINK] = "link",
	};
	struct occ_buffer record = OCC_BUFFER_INIT;
	int error = OCC_OK;

	append_string(&record, OCC_BUILD_OPERATION,
		      names[build_key->operation]);
	if (build_key->input)
		error = add_input(database, build_key->input, &record);
	if (!build_key->none_given)
		append_string(&record, OCC_BUILD_OPTIONS, build_key->given);
	append_constants(build_key, &record);
	if (!error)
		error = add_headers(database, build_key, &record);
	append_link_inputs(build_key, inputs, &record);
	if (!error)
		error = occ_record_includes_add(database, build_key, directory,
						&record);
	append_directory(build_key, directory, &record);
	append_surroundings(build_key, &record);
	return add_record(database, OCC_FRAME_BUILD, &record, error, ret_name);
}

int occ_record_frames_device(struct occ_database *database,
			     const struct occ_build_key *build_key,
			     cl_uint device, size_t answers,
			     struct occ_digest *ret_name)
{
	const struct occ_identity *identity = build_key->identities[device];
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_field field;
	size_t offset = 0;

	while (occ_field_next(identity->fields.data, identity->fields.size,
			      &offset, &field) == 1)
		if (field.id >= OCC_KEY_PLATFORM_NAME &&
		    field.id <= OCC_KEY_DEVICE_EXTENSIONS &&
		    field.kind == OCC_FIELD_BYTES)
			occ_field_append(&record, field.id, field.payload,
					 (size_t)field.length);
	append_string(&record, OCC_DEVICE_DRIVER, identity->driver->name);
	occ_device_answers_append(build_key->devices[device], answers, &record);
	return add_record(database, OCC_FRAME_DEVICE, &record, OCC_OK,
			  ret_name);
}

static uint64_t today(void)
{
	return (uint64_t)occ_file_now() / DAY_S;
}

int occ_record_frames_use(struct occ_database *database,
			  const struct occ_record_use *use)
{
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_digest name;

	occ_field_append(&record, OCC_USE_BUILD, use->build.bytes,
			 OCC_DIGEST_SIZE);
	for (cl_uint i = 0; i < use->device_count; i++)
		occ_field_append(&record, OCC_USE_DEVICE, use->devices[i].bytes,
				 OCC_DIGEST_SIZE);
	append_string(&record, OCC_USE_APPLICATION, use->application);
	occ_record_append_number(&record, OCC_USE_DAY, today());
	for (size_t at = 0; at < use->kernels.size;) {
		const char *kernel = (const char *)use->kernels.data + at;

		append_string(&record, OCC_USE_KERNEL, kernel);
		at += strlen(kernel) + 1;
	}
	if (use->compile_time)
		occ_record_append_number(&record, OCC_USE_COMPILE_TIME,
					 use->compile_time);
	return add_record(database, OCC_FRAME_USE, &record, OCC_OK, &name);
}

int occ_record_frames_refusal(struct occ_database *database,
			      const char *application, enum occ_reason reason)
{
	struct occ_buffer record = OCC_BUFFER_INIT;
	struct occ_digest name;

	append_string(&record, OCC_REFUSAL_APPLICATION, application);
	append_string(&record, OCC_REFUSAL_REASON, occ_reason_text(reason));
	occ_record_append_number(&record, OCC_REFUSAL_DAY, today());
	return add_record(database, OCC_FRAME_REFUSAL, &record, OCC_OK, &name);
}
