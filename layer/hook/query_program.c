/* SPDX-License-Identifier: MIT */
/*
 * Queries of programs. Of a served one, what depends on the build is answered
 * by the shadow program or from the entry, and everything else by the
 * application's own.
 */
#include <string.h>

#include "cache/description.h"
#include "cache/entry.h"
#include "hash/buffer.h"
#include "layer/base/dispatch.h"
#include "layer/hook/hooks.h"
#include "layer/hook/reply.h"
#include "layer/key/build_key.h"
#include "layer/key/program_binaries.h"
#include "layer/object/program.h"
#include "layer/object/program_pool.h"
#include "layer/object/shadow_program.h"
#include "layer/serve/build_answers.h"
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
	if (occ_reply_find(shadow->answers, name, &found))
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
	if (occ_reply_find(shadow->answers, name, &found)) {
		if (found.code)
			return occ_reply_repeat_error(reply, &found);
		if (occ_reply_give(reply, found.bytes))
			return CL_SUCCESS;
	}
	if (occ_reply_find(shadow->answers, name | OCC_ANSWER_UNWRITTEN,
			   &found) &&
	    answer_nothing(reply, found.bytes))
		return CL_SUCCESS;
	return forward_program(occ_reply_real_program(program, shadow), name,
			       reply);
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
