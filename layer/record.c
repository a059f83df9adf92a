/* SPDX-License-Identifier: MIT */
#include "layer/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/log.h"
#include "layer/version.h"

struct occ_record {
	struct occ_recipe *recipe;
	struct occ_buffer *metadata; /* per device */
};

/* Appends what the driver answers as it is; false when it doesn't. */
static bool add_build_info(struct occ_buffer *metadata, enum occ_meta_field id,
			   cl_program program, cl_device_id device,
			   cl_program_build_info name)
{
	size_t size = 0;
	char *value;
	bool answered;

	if (occ_target.clGetProgramBuildInfo(program, device, name, 0, NULL,
					     &size))
		return false;
	value = calloc(1, size + 1);
	answered = value &&
		   !occ_target.clGetProgramBuildInfo(program, device, name,
						     size, value, NULL);
	if (answered)
		occ_field_append(metadata, (uint16_t)id, value, size);
	free(value);
	return answered;
}

static bool add_kernels(struct occ_buffer *metadata, cl_program program)
{
	size_t count = 0, size = 0;
	char *names;
	bool answered;

	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
					sizeof(count), &count, NULL) ||
	    occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0,
					NULL, &size))
		return false;
	names = calloc(1, size + 1);
	answered =
		names &&
		!occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES,
					     size, names, NULL);
	if (answered) {
		occ_meta_append_number(metadata, OCC_META_KERNEL_COUNT, count);
		occ_field_append(metadata, OCC_META_KERNEL_NAMES, names, size);
	}
	free(names);
	return answered;
}

static bool describe(struct occ_buffer *metadata, cl_program program,
		     cl_device_id device, uint64_t compile_time)
{
	cl_build_status status = CL_BUILD_ERROR;
	cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;

	if (occ_target.clGetProgramBuildInfo(program, device,
					     CL_PROGRAM_BUILD_STATUS,
					     sizeof(status), &status, NULL) ||
	    status != CL_BUILD_SUCCESS ||
	    occ_target.clGetProgramBuildInfo(program, device,
					     CL_PROGRAM_BINARY_TYPE,
					     sizeof(type), &type, NULL) ||
	    type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		return false;
	if (!add_build_info(metadata, OCC_META_BUILD_LOG, program, device,
			    CL_PROGRAM_BUILD_LOG) ||
	    !add_build_info(metadata, OCC_META_BUILD_OPTIONS, program, device,
			    CL_PROGRAM_BUILD_OPTIONS) ||
	    !add_kernels(metadata, program))
		return false;
	occ_meta_append_number(metadata, OCC_META_BINARY_TYPE, type);
	occ_meta_append_number(metadata, OCC_META_COMPILE_TIME, compile_time);
	occ_meta_append_number(metadata, OCC_META_CREATED,
			       (uint64_t)time(NULL));
	occ_field_append(metadata, OCC_META_WRITER, OCC_WRITER,
			 strlen(OCC_WRITER));
	return !metadata->failed;
}

struct occ_record *occ_record_make(cl_program program,
				   struct occ_recipe *recipe,
				   uint64_t compile_time)
{
	struct occ_record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->recipe = occ_recipe_retain(recipe);
	record->metadata =
		calloc(recipe->device_count, sizeof(*record->metadata));
	if (!record->metadata)
		goto fail;
	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (!describe(&record->metadata[i], program, recipe->devices[i],
			      compile_time))
			goto fail;
	return record;
fail:
	occ_record_release(record);
	return NULL;
}

void occ_binaries_release(struct occ_binaries *binaries)
{
	for (cl_uint i = 0; binaries->data && i < binaries->count; i++)
		free(binaries->data[i]);
	free(binaries->data);
	free(binaries->sizes);
	memset(binaries, 0, sizeof(*binaries));
}

bool occ_record_fetch(const struct occ_record *record, cl_program program,
		      struct occ_binaries *ret_binaries)
{
	cl_uint count = record->recipe->device_count;
	struct occ_binaries binaries = {
		calloc(count, sizeof(*binaries.data)),
		calloc(count, sizeof(*binaries.sizes)),
		count,
	};

	if (!binaries.data || !binaries.sizes ||
	    occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
					count * sizeof(*binaries.sizes),
					binaries.sizes, NULL))
		goto fail;
	for (cl_uint i = 0; i < count; i++) {
		/* PoCL copies to NULL, so every device must have one. */
		binaries.data[i] = malloc(binaries.sizes[i]);
		if (!binaries.sizes[i] || !binaries.data[i])
			goto fail;
	}
	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					count * sizeof(*binaries.data),
					binaries.data, NULL))
		goto fail;
	*ret_binaries = binaries;
	return true;
fail:
	occ_binaries_release(&binaries);
	return false;
}

static void explain(const struct occ_recipe *recipe, cl_uint i,
		    const char *result, const char *reason, uint64_t bytes,
		    uint64_t since)
{
	occ_log_trace(&(struct occ_trace){
		.event = "store",
		.hash = &recipe->keys[i].hash,
		.device = recipe->identities[i]->name,
		.result = result,
		.reason = reason,
		.bytes = bytes,
		.since = since,
	});
}

void occ_record_publish(const struct occ_record *record,
			const struct occ_binaries *binaries)
{
	for (cl_uint i = 0; i < record->recipe->device_count; i++) {
		struct occ_span metadata = {record->metadata[i].data,
					    record->metadata[i].size};
		struct occ_span binary = {binaries->data[i],
					  binaries->sizes[i]};
		uint64_t start = occ_log_now();
		int error = OCC_E_NO_DIRECTORY;

		errno = 0;
		if (occ_disk())
			error = occ_store_publish(occ_disk(),
						  &record->recipe->keys[i],
						  metadata, binary);
		if (error && error != OCC_E_EXISTS)
			occ_log_debug("entry not stored in %s: %s%s%s",
				      occ_disk()
					      ? occ_store_directory(occ_disk())
					      : "the store",
				      occ_error_string(error),
				      error == OCC_E_IO ? ": " : "",
				      error == OCC_E_IO ? strerror(errno) : "");
		explain(record->recipe, i, error ? "not stored" : "stored",
			error ? occ_error_string(error) : "compiled",
			binary.size, start);
	}
}

void occ_record_explain(const struct occ_recipe *recipe, const char *reason)
{
	for (cl_uint i = 0; i < recipe->device_count; i++)
		explain(recipe, i, "not stored", reason, 0, occ_log_now());
}

const struct occ_recipe *occ_record_recipe(const struct occ_record *record)
{
	return record->recipe;
}

void occ_record_release(struct occ_record *record)
{
	if (!record)
		return;
	for (cl_uint i = 0;
	     record->metadata && i < record->recipe->device_count; i++)
		occ_buffer_release(&record->metadata[i]);
	free(record->metadata);
	occ_recipe_release(record->recipe);
	free(record);
}
