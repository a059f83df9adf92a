/* SPDX-License-Identifier: MIT */
/*
 * Queries of a program's build. Of a served one the entry answers, or else the
 * shadow program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/description.h"
#include "cache/driver/driver.h"
#include "cache/entry.h"
#include "layer/base/dispatch.h"
#include "layer/driver/device.h"
#include "layer/driver/identity.h"
#include "layer/hook/hooks.h"
#include "layer/hook/reply.h"
#include "layer/key/build_key.h"
#include "layer/key/bypass.h"
#include "layer/object/program.h"
#include "layer/object/shadow_program.h"

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

static cl_int ask(const struct occ_question *question,
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
		return occ_reply_find(answers, name, ret_answer);
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
		question->program = occ_reply_real_program(program, shadow);
	return ask(question, reply);
}

/* Of a build that failed because it would have had to be compiled. */
static cl_int refused_build(const struct occ_question *question,
			    const struct occ_reply *reply,
			    enum occ_reason reason)
{
	static const cl_build_status status = CL_BUILD_ERROR;
	struct occ_span bytes = {(const unsigned char *)&status,
				 sizeof(status)};
	cl_build_status theirs;
	char log[512];
	cl_int error;

	if (question->name != CL_PROGRAM_BUILD_STATUS &&
	    question->name != CL_PROGRAM_BUILD_LOG)
		return ask(question, reply);
	/* Is it one of the program's devices? */
	error = occ_target.clGetProgramBuildInfo(question->program,
						 question->device,
						 CL_PROGRAM_BUILD_STATUS,
						 sizeof(theirs), &theirs, NULL);
	if (error)
		return error;
	if (question->name == CL_PROGRAM_BUILD_LOG) {
		snprintf(log, sizeof(log),
			 "oclcache: not compiled, because of "
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
		error = ask(&question, &reply);
	occ_shadow_release(shadow);
	return error;
}
