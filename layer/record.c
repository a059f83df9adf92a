/* SPDX-License-Identifier: MIT */
#include "layer/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/description.h"
#include "cache/memory.h"
#include "layer/bypass.h"
#include "layer/config.h"
#include "layer/cost.h"
#include "layer/disk.h"
#include "layer/dispatch.h"
#include "layer/form.h"
#include "layer/log.h"
#include "layer/remake.h"
#include "layer/search.h"
#include "cache/version.h"
#include "layer/tally.h"
#include "layer/writer.h"

/* What no driver answers with, for buffers that it may leave alone. */
#define UNTOUCHED 0xa5

struct occ_record {
	struct occ_recipe *recipe;
	struct occ_buffer *metadata; /* per device */
	uint64_t compile_time;
	bool published; /* once, with a binary that may lack something */
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
	if (answered && name == CL_PROGRAM_BUILD_OPTIONS)
		size = occ_bypass_strip(value, size);
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
					sizeof(count), &count, NULL))
		return false;
	/* The names of none: NVIDIA's driver crashes, PoCL's writes nothing. */
	if (!count) {
		occ_meta_append_number(metadata, OCC_META_KERNEL_COUNT, 0);
		return true;
	}
	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0,
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

/* A question to the driver: a program's, or a device's build of it. */
struct question {
	cl_program program;
	cl_device_id device; /* NULL: clGetProgramInfo */
	cl_uint name;
};

static cl_int ask(const struct question *question, size_t capacity, void *value,
		  size_t *ret_size)
{
	if (question->device)
		return occ_target.clGetProgramBuildInfo(question->program,
							question->device,
							question->name,
							capacity, value,
							ret_size);
	return occ_target.clGetProgramInfo(question->program, question->name,
					   capacity, value, ret_size);
}

static bool is_unwritten(const unsigned char *value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (value[i] != UNTOUCHED)
			return false;
	return size > 0;
}

static void append_size(struct occ_buffer *answers, uint32_t name, cl_int code,
			size_t size)
{
	unsigned char length[8];

	occ_put_u64(length, size);
	occ_answer_append(answers, name,
			  (struct occ_answer){code, {length, sizeof(length)}});
}

/* Appends one answer, whatever it is. */
static void add_answer(struct occ_buffer *answers,
		       const struct question *question)
{
	size_t size = SIZE_MAX;
	cl_int code = ask(question, 0, NULL, &size);
	unsigned char *value;

	/* NVIDIA's says the size that it refuses to give. */
	if (code && size != SIZE_MAX) {
		append_size(answers, question->name, code, size);
		return;
	}
	if (code)
		size = 0;
	value = malloc(size + 1);
	if (!value) {
		answers->failed = true;
		return;
	}
	memset(value, UNTOUCHED, size + 1);
	if (!code)
		code = ask(question, size, value, NULL);
	if (!code && is_unwritten(value, size))
		append_size(answers, question->name | OCC_ANSWER_UNWRITTEN,
			    CL_SUCCESS, size);
	else
		occ_answer_append(answers, question->name,
				  (struct occ_answer){
					  code,
					  {value, code ? 0 : size},
				  });
	free(value);
}

/* What programs made from binaries may answer otherwise. */
static void add_others(struct occ_buffer *metadata, cl_program program,
		       cl_device_id device, enum occ_operation operation,
		       cl_program_binary_type type)
{
	bool executable = type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	const struct {
		struct question question;
		bool wanted;
	} questions[] = {
		{{program, NULL, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT}, true},
		{{program, NULL, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT}, true},
		{{program, NULL, CL_PROGRAM_NUM_KERNELS}, !executable},
		{{program, NULL, CL_PROGRAM_KERNEL_NAMES}, !executable},
		{{program, NULL, CL_PROGRAM_SOURCE}, operation == OCC_LINK},
		{{program, NULL, CL_PROGRAM_IL}, operation == OCC_LINK},
		{{program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE},
		 executable},
	};
	struct occ_buffer answers = OCC_BUFFER_INIT;

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if (questions[i].wanted)
			add_answer(&answers, &questions[i].question);
	occ_field_append(metadata, OCC_META_ANSWERS, answers.data,
			 answers.size);
	metadata->failed |= answers.failed;
	occ_buffer_release(&answers);
}

/* What the operation makes; links decide by their options. */
static bool is_expected(cl_program_binary_type type,
			enum occ_operation operation)
{
	switch (operation) {
	case OCC_BUILD:
		return type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	case OCC_COMPILE:
		return type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
	case OCC_LINK:
		break;
	}
	return type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ||
	       type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

static bool describe(struct occ_buffer *metadata, cl_program program,
		     cl_device_id device, enum occ_operation operation,
		     uint64_t compile_time)
{
	cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;

	if (occ_target.clGetProgramBuildInfo(program, device,
					     CL_PROGRAM_BINARY_TYPE,
					     sizeof(type), &type, NULL) ||
	    !is_expected(type, operation))
		return false;
	if (!add_build_info(metadata, OCC_META_BUILD_LOG, program, device,
			    CL_PROGRAM_BUILD_LOG) ||
	    !add_build_info(metadata, OCC_META_BUILD_OPTIONS, program, device,
			    CL_PROGRAM_BUILD_OPTIONS))
		return false;
	if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE &&
	    !add_kernels(metadata, program))
		return false;
	add_others(metadata, program, device, operation, type);
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
	record->compile_time = compile_time;
	record->metadata =
		calloc(recipe->device_count, sizeof(*record->metadata));
	if (!record->metadata || !occ_remake_succeeded(program, recipe))
		goto fail;
	for (cl_uint i = 0; i < recipe->device_count; i++)
		if (!describe(&record->metadata[i], program, recipe->devices[i],
			      recipe->operation, compile_time))
			goto fail;
	return record;
fail:
	occ_record_release(record);
	return NULL;
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

/* One entry, on its way to the store. */
struct publication {
	struct occ_task task; /* first: tasks are these */
	struct occ_recipe *recipe;
	struct occ_image *image;
	cl_uint device;
	struct occ_buffer metadata;
	bool improves; /* a poorer entry of ours may be there */
};

static int put(const struct publication *publication)
{
	const struct occ_key *key =
		&publication->recipe->keys[publication->device];
	struct occ_span metadata = {publication->metadata.data,
				    publication->metadata.size};
	struct occ_span binary = {
		publication->image->data[publication->device],
		publication->image->sizes[publication->device]};

	if (!occ_disk())
		return OCC_E_NO_DIRECTORY;
	if (!publication->improves && occ_config.mode == OCC_MODE_RECACHE)
		return occ_store_renew(occ_disk(), key, metadata, binary);
	if (publication->improves)
		return occ_store_improve(occ_disk(), key, metadata, binary);
	return occ_store_publish(occ_disk(), key, metadata, binary);
}

static void publish(const struct publication *publication)
{
	const struct occ_recipe *recipe = publication->recipe;
	cl_uint i = publication->device;
	uint64_t start = occ_log_now();
	int error;

	errno = 0;
	error = put(publication);
	if (error && error != OCC_E_EXISTS)
		occ_log_debug("entry not stored in %s: %s%s%s",
			      occ_disk() ? occ_store_directory(occ_disk())
					 : "the store",
			      occ_error_string(error),
			      error == OCC_E_IO ? ": " : "",
			      error == OCC_E_IO ? strerror(errno) : "");
	if (!error && !publication->improves && occ_form_takes_code(recipe))
		occ_tally_without_code(NULL);
	occ_tally_stored(error, publication->image->sizes[i],
			 publication->improves);
	explain(recipe, i, error ? "not stored" : "stored",
		error			? occ_error_string(error)
		: publication->improves ? "more complete"
					: "compiled",
		publication->image->sizes[i], start);
}

static void release_publication(struct publication *publication)
{
	occ_buffer_release(&publication->metadata);
	occ_image_release(publication->image);
	occ_recipe_release(publication->recipe);
	free(publication);
}

static void run(struct occ_task *task)
{
	struct publication *publication = (struct publication *)task;

	publish(publication);
	release_publication(publication);
}

static struct publication *prepare(const struct occ_record *record, cl_uint i,
				   struct occ_image *image,
				   const struct occ_buffer *descriptions,
				   enum occ_completeness completeness)
{
	struct publication *publication = calloc(1, sizeof(*publication));
	struct occ_buffer *metadata;

	if (!publication)
		return NULL;
	publication->task.run = run;
	publication->task.hash = record->recipe->keys[i].hash;
	publication->task.bytes = image->sizes[i];
	publication->recipe = occ_recipe_retain(record->recipe);
	publication->image = occ_image_retain(image);
	publication->device = i;
	publication->improves = record->published;
	metadata = &publication->metadata;
	occ_buffer_append(metadata, record->metadata[i].data,
			  record->metadata[i].size);
	occ_meta_append_number(metadata, OCC_META_COMPLETENESS, completeness);
	if (descriptions->size)
		occ_field_append(metadata, OCC_META_KERNELS, descriptions->data,
				 descriptions->size);
	if (!metadata->failed)
		return publication;
	release_publication(publication);
	return NULL;
}

/* What a fetch took is remembered where it matters. */
static void note_fetch(const struct occ_record *record, bool before,
		       uint64_t bytes, uint64_t start)
{
	const struct occ_recipe *recipe = record->recipe;
	uint64_t end = occ_log_now();

	if (!before && !record->published &&
	    occ_cost_is_dear(end - start, record->compile_time))
		occ_cost_note(recipe, occ_record_metadata(record), end - start);
	occ_log_trace(&(struct occ_trace){
		.event = "fetch",
		.hash = &recipe->keys[0].hash,
		.device = recipe->identities[0]->name,
		.result = bytes ? "fetched" : "refused",
		.reason = before	      ? "asked for before"
			  : record->published ? "again"
					      : "compiled",
		.bytes = bytes,
		.since = start,
		.until = end,
	});
}

struct occ_image *occ_record_fetch(const struct occ_record *record,
				   cl_program program, bool before)
{
	const struct occ_recipe *recipe = record->recipe;
	uint64_t start = occ_log_now(), bytes = 0;
	struct occ_image *image =
		occ_image_fetch(program, recipe->device_count, recipe->devices);

	for (cl_uint i = 0; image && i < image->device_count; i++)
		bytes += image->sizes[i];
	note_fetch(record, before, bytes, start);
	if (!image)
		occ_record_explain(recipe, "driver gives no binary");
	return image;
}

/* Whatever becomes of it in the store: it may be wanted again here, and soon.
 */
static void keep(const struct publication *publication)
{
	cl_uint i = publication->device;
	struct occ_span metadata = {publication->metadata.data,
				    publication->metadata.size};
	struct occ_span binary = {publication->image->data[i],
				  publication->image->sizes[i]};

	occ_memory_publish(&publication->recipe->keys[i], metadata, binary);
}

void occ_record_publish(struct occ_record *record, struct occ_image *image,
			const struct occ_buffer *descriptions,
			enum occ_completeness completeness)
{
	for (cl_uint i = 0; i < record->recipe->device_count; i++) {
		struct publication *publication =
			prepare(record, i, image, descriptions, completeness);

		if (publication) {
			keep(publication);
			occ_writer_add(&publication->task);
		} else {
			explain(record->recipe, i, "not stored",
				"out of memory", 0, occ_log_now());
		}
	}
	record->published = true;
	occ_search_remember(record->recipe);
}

struct occ_span occ_record_metadata(const struct occ_record *record)
{
	return (struct occ_span){record->metadata[0].data,
				 record->metadata[0].size};
}

void occ_record_explain(const struct occ_recipe *recipe, const char *reason)
{
	occ_tally_not_stored(reason);
	for (cl_uint i = 0; i < recipe->device_count; i++)
		explain(recipe, i, "not stored", reason, 0, occ_log_now());
}

struct occ_recipe *occ_record_recipe(const struct occ_record *record)
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
