/* SPDX-License-Identifier: MIT */
/*
 * Queries of programs and of their builds. Of a served program, what depends on
 * the build is answered from the entry or by the shadow program, and everything
 * else by the application's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/description.h"
#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/driver/device.h"
#include "layer/hook/hooks.h"
#include "layer/hook/reply.h"
#include "layer/key/build_key.h"
#include "layer/key/bypass.h"
#include "layer/key/program_binaries.h"
#include "layer/object/program.h"
#include "layer/object/program_pool.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/build_answers.h"
#include "layer/serve/callback.h"
#include "layer/serve/load_program.h"
#include "layer/serve/rebuild.h"
#include "layer/serve/references.h"
#include "layer/serve/sync_driver.h"

static cl_int forward_program(cl_program program, cl_program_info name,
			      const struct occ_reply *reply)
{
	const struct occ_question question = {.program = program, .name = name};

	return occ_reply_ask(reply, &question);
}

/* What the entry has of the driver's answers after the compile or link. */
static bool find_answer(const struct occ_answers *answers, cl_uint name,
			struct occ_answer *ret_answer)
{
	return answers && occ_answer_find(answers->others, name, ret_answer);
}

/*
 * Compiled objects and libraries: unbuilt binaries answer for little. What the
 * entry doesn't have, and everything unusual, is for the driver itself: a
 * served compile is done after all, a link once more. The program to ask.
 */
static cl_program make_real_program(cl_program program,
				    struct occ_shadow *shadow)
{
	cl_program real;

	if (shadow->build_key->operation == OCC_COMPILE) {
		if (!occ_sync_driver(program) &&
		    occ_callback_blocks(
			    occ_build_key_driver(shadow->build_key)))
			return shadow->program;
		return program;
	}
	real = occ_sync_materialise(shadow, "library");
	return real ? real : shadow->program;
}

static cl_int program_references(cl_program program,
				 const struct occ_reply *reply)
{
	cl_int error =
		forward_program(program, CL_PROGRAM_REFERENCE_COUNT, reply);
	cl_uint count;

	if (!error && reply->value && !occ_references_count(program, &count))
		*(cl_uint *)reply->value = count;
	return error;
}

static cl_int served_kernels(struct occ_shadow *shadow, cl_program_info name,
			     const struct occ_reply *reply)
{
	struct occ_question question = {shadow->program, false, NULL, name};
	size_t count = (size_t)shadow->kernel_count;

	if (name == CL_PROGRAM_NUM_KERNELS)
		return occ_reply_answer(
			reply,
			(struct occ_span){(const unsigned char *)&count,
					  sizeof(count)},
			&question);
	return occ_reply_answer(reply, shadow->kernel_names, &question);
}

static bool names_binaries(cl_program_info name)
{
	return name == CL_PROGRAM_BINARY_SIZES || name == CL_PROGRAM_BINARIES;
}

/* The binaries' bytes, as the compile or link gave them. */
static bool binaries_bytes(const struct occ_binaries *binaries,
			   cl_program_info name, const struct occ_reply *reply)
{
	unsigned char *const *places = reply->value;
	size_t size = binaries->device_count *
		      (name == CL_PROGRAM_BINARIES ? sizeof(*places)
						   : sizeof(*binaries->sizes));

	if (reply->value && reply->capacity < size)
		return false;
	if (reply->value && name == CL_PROGRAM_BINARY_SIZES)
		memcpy(reply->value, binaries->sizes, size);
	if (reply->value && name == CL_PROGRAM_BINARIES) {
		/* Drivers differ about NULL. */
		for (cl_uint i = 0; i < binaries->device_count; i++)
			if (!places[i])
				return false;
		for (cl_uint i = 0; i < binaries->device_count; i++)
			memcpy(places[i], binaries->data[i],
			       binaries->sizes[i]);
	}
	if (reply->size_ret)
		*reply->size_ret = size;
	return true;
}

/* A program that was loaded from device code is asked for its binaries. */
static cl_int code_binaries(struct occ_shadow *shadow, cl_program_info name,
			    const struct occ_reply *reply)
{
	const struct occ_binaries *binaries = occ_load_binaries(shadow->pooled);
	cl_program other = NULL;
	cl_int error;

	if (binaries && binaries_bytes(binaries, name, reply))
		return CL_SUCCESS;
	/* Anything unusual is for one from binaries: it need not be built. */
	if (binaries)
		other = occ_rebuild_from_binaries(
			shadow->build_key->context, binaries->device_count,
			binaries->devices, binaries->sizes,
			(const unsigned char **)binaries->data, &error);
	if (other) {
		error = forward_program(other, name, reply);
		occ_target.clReleaseProgram(other);
		return error;
	}
	other = occ_sync_materialise(shadow, "binaries");
	return other ? forward_program(other, name, reply)
		     : CL_OUT_OF_HOST_MEMORY;
}

/* Of a build, or of a link that made an executable. */
static cl_int served_executable(cl_program program, struct occ_shadow *shadow,
				cl_program_info name,
				const struct occ_reply *reply)
{
	struct occ_question question = {shadow->program, false, NULL, name};
	struct occ_answer found;
	cl_int error;

	switch (name) {
	case CL_PROGRAM_SOURCE:
	case CL_PROGRAM_IL:
		if (shadow->build_key->input)
			return forward_program(program, name, reply);
		break;
	case CL_PROGRAM_BINARY_SIZES:
	case CL_PROGRAM_BINARIES:
		if (shadow->pooled && shadow->pooled->is_code)
			return code_binaries(shadow, name, reply);
		break;
	case CL_PROGRAM_NUM_KERNELS:
		return served_kernels(shadow, name, reply);
	case CL_PROGRAM_KERNEL_NAMES:
		/* Drivers differ about the names of no kernels. */
		if (shadow->kernel_names.data && shadow->kernel_count)
			return served_kernels(shadow, name, reply);
		break;
	default:
		break;
	}
	if (find_answer(shadow->answers, name, &found))
		return found.code ? occ_reply_repeat_error(reply, &found)
				  : occ_reply_answer(reply, found.bytes,
						     &question);
	error = forward_program(shadow->program, name, reply);
	/* A parameter of this driver's own may be about the source. */
	if (error && name > CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)
		error = forward_program(program, name, reply);
	return error;
}

/* A size, and nothing written. */
static bool answer_nothing(const struct occ_reply *reply,
			   struct occ_span length)
{
	size_t size;

	if (length.size != 8)
		return false;
	size = (size_t)occ_get_u64(length.data);
	if (reply->value && reply->capacity < size)
		return false;
	if (reply->size_ret)
		*reply->size_ret = size;
	return true;
}

static cl_int served_object(cl_program program, struct occ_shadow *shadow,
			    cl_program_info name, const struct occ_reply *reply)
{
	struct occ_answer found;

	if ((name == CL_PROGRAM_SOURCE || name == CL_PROGRAM_IL) &&
	    shadow->build_key->input)
		return forward_program(program, name, reply);
	if (names_binaries(name) &&
	    binaries_bytes(shadow->binaries, name, reply))
		return CL_SUCCESS;
	if (find_answer(shadow->answers, name, &found)) {
		if (found.code)
			return occ_reply_repeat_error(reply, &found);
		if (occ_reply_give(reply, found.bytes))
			return CL_SUCCESS;
	}
	if (find_answer(shadow->answers, name | OCC_ANSWER_UNWRITTEN, &found) &&
	    answer_nothing(reply, found.bytes))
		return CL_SUCCESS;
	return forward_program(make_real_program(program, shadow), name, reply);
}

static cl_int served_program(cl_program program, struct occ_shadow *shadow,
			     cl_program_info name,
			     const struct occ_reply *reply)
{
	switch (name) {
	case CL_PROGRAM_CONTEXT:
	case CL_PROGRAM_NUM_DEVICES:
	case CL_PROGRAM_DEVICES:
		return forward_program(program, name, reply);
	default:
		break;
	}
	if (!shadow->answers) /* really linked */
		return forward_program(shadow->program, name, reply);
	if (shadow->binaries)
		return served_object(program, shadow, name, reply);
	return served_executable(program, shadow, name, reply);
}

/* A program that the driver itself built. */
static cl_int built_program(cl_program program, cl_program_info name,
			    const struct occ_reply *reply)
{
	cl_int error;

	if (!names_binaries(name))
		return forward_program(program, name, reply);
	occ_program_note_asking(program);
	error = forward_program(program, name, reply);
	if (!error && reply->value)
		occ_program_note_asked(program);
	return error;
}

cl_int CL_API_CALL occ_get_program_info(cl_program program,
					cl_program_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret)
{
	struct occ_reply reply = {param_value_size, param_value,
				  param_value_size_ret};
	struct occ_shadow *shadow;
	cl_int error;

	program = occ_program_valid(program);
	if (param_name == CL_PROGRAM_REFERENCE_COUNT)
		return program_references(program, &reply);
	shadow = occ_program_shadow(program);
	if (!shadow)
		return built_program(program, param_name, &reply);
	error = served_program(program, shadow, param_name, &reply);
	occ_shadow_release(shadow);
	return error;
}

/* What the driver says without the option that it was given by the layer. */
static cl_int ask_options(const struct occ_question *question,
			  const struct occ_reply *reply)
{
	struct occ_reply whole = {0, NULL, NULL};
	size_t capacity = 0, size;
	cl_int error;

	whole.size_ret = &capacity;
	error = occ_reply_ask(&whole, question);
	if (error)
		return occ_reply_ask(reply, question);
	whole = (struct occ_reply){capacity, calloc(1, capacity + 1), NULL};
	if (!whole.value)
		return CL_OUT_OF_HOST_MEMORY;
	error = occ_reply_ask(&whole, question);
	size = occ_bypass_strip(whole.value, capacity);
	if (error || size == capacity)
		error = occ_reply_ask(reply, question);
	else
		error = occ_reply_answer(reply,
					 (struct occ_span){whole.value, size},
					 question);
	free(whole.value);
	return error;
}

static cl_int ask_driver(const struct occ_question *question,
			 const struct occ_reply *reply)
{
	if (question->build && question->name == CL_PROGRAM_BUILD_OPTIONS &&
	    occ_bypass_is_used())
		return ask_options(question, reply);
	return occ_reply_ask(reply, question);
}

static const struct occ_answers *find_answers(const struct occ_shadow *shadow,
					      cl_device_id device)
{
	for (cl_uint i = 0;
	     shadow->answers && i < shadow->build_key->device_count; i++)
		if (shadow->build_key->devices[i] == device)
			return &shadow->answers[i];
	return NULL;
}

/*
 * What the driver answered for the device after the compile, or NULL. PoCL
 * builds for the devices that sub-devices are part of, and takes either.
 */
static const struct occ_answers *answers_for(const struct occ_shadow *shadow,
					     cl_device_id device)
{
	const struct occ_answers *answers = find_answers(shadow, device);

	if (!answers && device)
		answers = find_answers(shadow, occ_device_root(device));
	if (!answers &&
	    occ_build_key_driver(shadow->build_key)->takes_any_device)
		answers = &shadow->answers[0];
	return answers;
}

/* The entry's answer about a device's build; false: it has none. */
static bool find_build_answer(const struct occ_shadow *shadow,
			      const struct occ_answers *answers, cl_uint name,
			      struct occ_answer *ret_answer)
{
	static const cl_build_status success = CL_BUILD_SUCCESS;

	ret_answer->code = CL_SUCCESS;
	switch (name) {
	case CL_PROGRAM_BUILD_STATUS:
		ret_answer->bytes =
			(struct occ_span){(const unsigned char *)&success,
					  sizeof(success)};
		return true;
	case CL_PROGRAM_BINARY_TYPE:
		ret_answer->bytes =
			(struct occ_span){(const unsigned char *)&shadow->type,
					  sizeof(shadow->type)};
		return true;
	case CL_PROGRAM_BUILD_LOG:
		ret_answer->bytes = answers->log;
		return answers->log.data;
	case CL_PROGRAM_BUILD_OPTIONS:
		ret_answer->bytes = answers->options;
		return answers->options.data;
	default:
		return find_answer(answers, name, ret_answer);
	}
}

static cl_int served_build(cl_program program, struct occ_shadow *shadow,
			   const struct occ_answers *answers,
			   struct occ_question *question,
			   const struct occ_reply *reply)
{
	struct occ_answer found;
	bool has = find_build_answer(shadow, answers, question->name, &found);

	if (has && found.code)
		return occ_reply_repeat_error(reply, &found);
	if (has && (occ_reply_fits(reply, found.bytes) || !shadow->binaries))
		return occ_reply_answer(reply, found.bytes, question);
	if (shadow->binaries)
		question->program = make_real_program(program, shadow);
	return ask_driver(question, reply);
}

/* Of a build that failed because it would have had to be compiled. */
static cl_int refused_build(const struct occ_question *question,
			    const struct occ_reply *reply,
			    enum occ_reason reason)
{
	static const cl_build_status status = CL_BUILD_ERROR;
	struct occ_span bytes = {(const unsigned char *)&status,
				 sizeof(status)};
	cl_build_status answered;
	char log[512];
	cl_int error;

	if (question->name != CL_PROGRAM_BUILD_STATUS &&
	    question->name != CL_PROGRAM_BUILD_LOG)
		return ask_driver(question, reply);
	/* Is it one of the program's devices? */
	error = occ_target.clGetProgramBuildInfo(question->program,
						 question->device,
						 CL_PROGRAM_BUILD_STATUS,
						 sizeof(answered), &answered,
						 NULL);
	if (error)
		return error;
	if (question->name == CL_PROGRAM_BUILD_LOG) {
		snprintf(log, sizeof(log),
			 "oclcache: not compiled because of "
			 "OCLCACHE_MODE=require: %s\n",
			 occ_reason_text(reason));
		bytes = (struct occ_span){(const unsigned char *)log,
					  strlen(log) + 1};
	}
	return occ_reply_fits(reply, bytes)
		       ? occ_reply_answer(reply, bytes, question)
		       : CL_INVALID_VALUE;
}

cl_int CL_API_CALL occ_get_program_build_info(cl_program program,
					      cl_device_id device,
					      cl_program_build_info param_name,
					      size_t param_value_size,
					      void *param_value,
					      size_t *param_value_size_ret)
{
	struct occ_reply reply = {param_value_size, param_value,
				  param_value_size_ret};
	const struct occ_answers *answers;
	struct occ_shadow *shadow;
	struct occ_question question;
	enum occ_reason refusal;
	cl_int error;

	program = occ_program_valid(program);
	refusal = occ_program_refusal(program);
	question = (struct occ_question){program, true, device, param_name};
	if (refusal)
		return refused_build(&question, &reply, refusal);
	shadow = occ_program_shadow(program);
	answers = shadow ? answers_for(shadow, device) : NULL;
	/* A binary without answers is a program that was really linked. */
	if (answers || (shadow && !shadow->answers))
		question.program = shadow->program;
	if (answers)
		error = served_build(program, shadow, answers, &question,
				     &reply);
	else
		error = ask_driver(&question, &reply);
	occ_shadow_release(shadow);
	return error;
}
