/* SPDX-License-Identifier: MIT */
#include "layer/serve/build_answers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/description.h"
#include "cache/entry.h"
#include "cache/version.h"
#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/driver/device.h"
#include "layer/key/build_key.h"
#include "layer/key/bypass.h"
#include "layer/serve/rebuild.h"

/* What no driver answers with, for buffers that it may leave alone. */
#define UNTOUCHED 0xa5

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

	if (occ_target.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
					sizeof(count), &count, NULL))
		return false;
	/* The names of none: NVIDIA's driver crashes, PoCL's writes nothing. */
	if (!count) {
		occ_meta_append_number(metadata, OCC_META_KERNEL_COUNT, 0);
		return true;
	}
	names = occ_kernel_names(program, &size);
	if (!names)
		return false;
	occ_meta_append_number(metadata, OCC_META_KERNEL_COUNT, count);
	occ_field_append(metadata, OCC_META_KERNEL_NAMES, names, size);
	free(names);
	return true;
}

/* A question to the driver: a program's, or a device's build of it. */
struct question {
	cl_program program;
	cl_device_id device; /* NULL: clGetProgramInfo */
	cl_uint name;
};

static cl_int ask_driver(const struct question *question, size_t capacity,
			 void *value, size_t *ret_size)
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
	cl_int code = ask_driver(question, 0, NULL, &size);
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
		code = ask_driver(question, size, value, NULL);
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
static void add_other_answers(struct occ_buffer *metadata, cl_program program,
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

static bool collect_metadata(struct occ_buffer *metadata, cl_program program,
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
	add_other_answers(metadata, program, device, operation, type);
	occ_meta_append_number(metadata, OCC_META_BINARY_TYPE, type);
	occ_meta_append_number(metadata, OCC_META_COMPILE_TIME, compile_time);
	occ_meta_append_number(metadata, OCC_META_CREATED,
			       (uint64_t)time(NULL));
	occ_field_append(metadata, OCC_META_WRITER, OCC_WRITER,
			 strlen(OCC_WRITER));
	return !metadata->failed;
}

struct occ_build_result *occ_build_answers_collect(
	cl_program program, struct occ_build_key *build_key,
	uint64_t compile_time)
{
	struct occ_build_result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result->build_key = occ_build_key_retain(build_key);
	result->compile_time = compile_time;
	result->metadata =
		calloc(build_key->device_count, sizeof(*result->metadata));
	if (!result->metadata || !occ_rebuild_succeeded(program, build_key))
		goto fail;
	for (cl_uint i = 0; i < build_key->device_count; i++)
		if (!collect_metadata(&result->metadata[i], program,
				      build_key->devices[i],
				      build_key->operation, compile_time))
			goto fail;
	return result;
fail:
	occ_build_result_release(result);
	return NULL;
}
