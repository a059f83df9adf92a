/* SPDX-License-Identifier: MIT */
/*
 * Queries. Of a served program, what depends on the build is answered by the
 * binary program or from the entry, and everything else by the application's
 * own; of its kernels, what binaries lose is answered by materialising.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/build.h"
#include "layer/bypass.h"
#include "layer/describe.h"
#include "layer/device.h"
#include "layer/dispatch.h"
#include "layer/hidden.h"
#include "layer/hooks.h"
#include "layer/kernel.h"
#include "layer/program.h"
#include "layer/record.h"
#include "layer/remake.h"

/* Where an answer goes, as in every clGet...Info. */
struct reply {
	size_t capacity;
	void *value;
	size_t *size_ret;
};

/*
 * What the driver was asked, for answers of ours that don't fit: drivers
 * differ in whether they say the size when they refuse.
 */
struct question {
	cl_program program;
	bool build; /* clGetProgramBuildInfo */
	cl_device_id device;
	cl_uint name;
};

static cl_int ask_driver(const struct question *question,
			 const struct reply *reply)
{
	if (question->build)
		return occ_target.clGetProgramBuildInfo(
			question->program, question->device, question->name,
			reply->capacity, reply->value, reply->size_ret);
	return occ_target.clGetProgramInfo(question->program, question->name,
					   reply->capacity, reply->value,
					   reply->size_ret);
}

static cl_int refuse(const struct reply *reply, struct occ_span bytes,
		     const struct question *question)
{
	size_t size = SIZE_MAX;
	char nowhere;
	/* No room at all: too short whatever the driver would say. */
	struct reply none = {0, &nowhere, &size};
	cl_int error = ask_driver(question, &none);

	if (error && size != SIZE_MAX && reply->size_ret)
		*reply->size_ret = bytes.size;
	return error ? error : CL_INVALID_VALUE;
}

static bool fits(const struct reply *reply, struct occ_span bytes)
{
	return !reply->value || reply->capacity >= bytes.size;
}

static cl_int answer(const struct reply *reply, struct occ_span bytes,
		     const struct question *question)
{
	if (!fits(reply, bytes))
		return refuse(reply, bytes, question);
	if (reply->value && bytes.size)
		memcpy(reply->value, bytes.data, bytes.size);
	if (reply->size_ret)
		*reply->size_ret = bytes.size;
	return CL_SUCCESS;
}

/* What the driver says without the option that it was given by the layer. */
static cl_int ask_options(const struct question *question,
			  const struct reply *reply)
{
	struct reply whole = {0, NULL, NULL};
	size_t capacity = 0, size;
	cl_int error;

	whole.size_ret = &capacity;
	error = ask_driver(question, &whole);
	if (error)
		return ask_driver(question, reply);
	whole = (struct reply){capacity, calloc(1, capacity + 1), NULL};
	if (!whole.value)
		return CL_OUT_OF_HOST_MEMORY;
	error = ask_driver(question, &whole);
	size = occ_bypass_strip(whole.value, capacity);
	if (error || size == capacity)
		error = ask_driver(question, reply);
	else
		error = answer(reply, (struct occ_span){whole.value, size},
			       question);
	free(whole.value);
	return error;
}

static cl_int ask(const struct question *question, const struct reply *reply)
{
	if (question->build && question->name == CL_PROGRAM_BUILD_OPTIONS &&
	    occ_bypass_is_used())
		return ask_options(question, reply);
	return ask_driver(question, reply);
}

/*
 * References that are ours, and that the bare driver wouldn't count.
 * *ret_changes: as long as it is the same, so is the result.
 */
static cl_uint hidden_references(cl_program handle, unsigned *ret_changes)
{
	struct occ_program *program;
	cl_uint count = 0;

	*ret_changes = 0;
	occ_lock();
	program = occ_program_find(handle);
	if (program)
		occ_program_await_changes(program);
	program = occ_program_find(handle);
	if (program) {
		*ret_changes = program->changes;
		count = program->holds;
		if (program->kernel_holds && !program->driver->counts_kernels)
			count += program->kernel_holds;
	}
	occ_unlock();
	return count;
}

static cl_int program_references(cl_program program, const struct reply *reply)
{
	unsigned before, after;
	cl_uint hidden;
	cl_int error;

	/* Other threads' builds come and go: a few tries will do. */
	hidden = hidden_references(program, &after);
	for (int i = 0; i < 100; i++) {
		before = after;
		error = occ_target.clGetProgramInfo(program,
						    CL_PROGRAM_REFERENCE_COUNT,
						    reply->capacity,
						    reply->value,
						    reply->size_ret);
		if (error || !reply->value)
			return error;
		*(cl_uint *)reply->value -= hidden;
		hidden = hidden_references(program, &after);
		if (after == before)
			break;
	}
	return error;
}

static cl_int forward_program(cl_program program, cl_program_info name,
			      const struct reply *reply)
{
	return occ_target.clGetProgramInfo(program, name, reply->capacity,
					   reply->value, reply->size_ret);
}

/* What the driver answered after it compiled or linked, from the entry. */
static bool recorded(const struct occ_answers *answers, cl_uint name,
		     struct occ_answer *ret_answer)
{
	return answers && occ_answer_find(answers->others, name, ret_answer);
}

static cl_int served_kernels(struct occ_binary *binary, cl_program_info name,
			     const struct reply *reply)
{
	struct question question = {binary->program, false, NULL, name};
	size_t count = (size_t)binary->kernel_count;

	if (name == CL_PROGRAM_NUM_KERNELS)
		return answer(reply,
			      (struct occ_span){(const unsigned char *)&count,
						sizeof(count)},
			      &question);
	return answer(reply, binary->kernel_names, &question);
}

/* An answer that was an error; some drivers say a size with it. */
static cl_int repeat_error(const struct reply *reply,
			   const struct occ_answer *found)
{
	if (found->bytes.size == 8 && reply->size_ret)
		*reply->size_ret = (size_t)occ_get_u64(found->bytes.data);
	return found->code;
}

/* The binaries' bytes, as the compile or link gave them. */
static bool image_bytes(const struct occ_image *image, cl_program_info name,
			const struct reply *reply)
{
	unsigned char *const *places = reply->value;
	size_t size = image->device_count * (name == CL_PROGRAM_BINARIES
						     ? sizeof(*places)
						     : sizeof(*image->sizes));

	if (reply->value && reply->capacity < size)
		return false;
	if (reply->value && name == CL_PROGRAM_BINARY_SIZES)
		memcpy(reply->value, image->sizes, size);
	if (reply->value && name == CL_PROGRAM_BINARIES) {
		/* Drivers differ about NULL. */
		for (cl_uint i = 0; i < image->device_count; i++)
			if (!places[i])
				return false;
		for (cl_uint i = 0; i < image->device_count; i++)
			memcpy(places[i], image->data[i], image->sizes[i]);
	}
	if (reply->size_ret)
		*reply->size_ret = size;
	return true;
}

/* A program that was loaded from device code is asked for its binaries. */
static cl_int code_binaries(struct occ_binary *binary, cl_program_info name,
			    const struct reply *reply)
{
	const struct occ_image *image = occ_live_binaries(binary->live);
	cl_program other = NULL;
	cl_int error;

	if (image && image_bytes(image, name, reply))
		return CL_SUCCESS;
	/* Anything unusual is for one from binaries: it need not be built. */
	if (image)
		other = occ_remake_from_binaries(
			binary->recipe->context, image->device_count,
			image->devices, image->sizes,
			(const unsigned char **)image->data, &error);
	if (other) {
		error = forward_program(other, name, reply);
		occ_target.clReleaseProgram(other);
		return error;
	}
	other = occ_binary_materialise(binary, "binaries");
	return other ? forward_program(other, name, reply)
		     : CL_OUT_OF_HOST_MEMORY;
}

/* Of a build, or of a link that made an executable. */
static cl_int served_executable(cl_program program, struct occ_binary *binary,
				cl_program_info name, const struct reply *reply)
{
	struct question question = {binary->program, false, NULL, name};
	struct occ_answer found;
	cl_int error;

	switch (name) {
	case CL_PROGRAM_SOURCE:
	case CL_PROGRAM_IL:
		if (binary->recipe->input)
			return forward_program(program, name, reply);
		break;
	case CL_PROGRAM_BINARY_SIZES:
	case CL_PROGRAM_BINARIES:
		if (binary->live && binary->live->is_code)
			return code_binaries(binary, name, reply);
		break;
	case CL_PROGRAM_NUM_KERNELS:
		return served_kernels(binary, name, reply);
	case CL_PROGRAM_KERNEL_NAMES:
		/* Drivers differ about the names of no kernels. */
		if (binary->kernel_names.data && binary->kernel_count)
			return served_kernels(binary, name, reply);
		break;
	default:
		break;
	}
	if (recorded(binary->answers, name, &found))
		return found.code ? repeat_error(reply, &found)
				  : answer(reply, found.bytes, &question);
	error = forward_program(binary->program, name, reply);
	/* A parameter of this driver's own may be about the source. */
	if (error && name > CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)
		error = forward_program(program, name, reply);
	return error;
}

/*
 * Compiled objects and libraries: unbuilt binaries answer for little. What the
 * entry doesn't have, and everything unusual, is for the driver itself: a
 * served compile is done after all, a link once more.
 */
static cl_program real_program(cl_program program, struct occ_binary *binary)
{
	cl_program real;

	if (binary->recipe->operation == OCC_COMPILE) {
		occ_build_settle(program);
		return program;
	}
	real = occ_binary_materialise(binary, "library");
	return real ? real : binary->program;
}

/* A size, and nothing written. */
static bool answer_nothing(const struct reply *reply, struct occ_span length)
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

static cl_int served_object(cl_program program, struct occ_binary *binary,
			    cl_program_info name, const struct reply *reply)
{
	struct occ_answer found;

	if ((name == CL_PROGRAM_SOURCE || name == CL_PROGRAM_IL) &&
	    binary->recipe->input)
		return forward_program(program, name, reply);
	if ((name == CL_PROGRAM_BINARIES || name == CL_PROGRAM_BINARY_SIZES) &&
	    image_bytes(binary->image, name, reply))
		return CL_SUCCESS;
	if (recorded(binary->answers, name, &found)) {
		if (found.code)
			return repeat_error(reply, &found);
		if (fits(reply, found.bytes))
			return answer(reply, found.bytes, NULL);
	}
	if (recorded(binary->answers, name | OCC_ANSWER_UNWRITTEN, &found) &&
	    answer_nothing(reply, found.bytes))
		return CL_SUCCESS;
	return forward_program(real_program(program, binary), name, reply);
}

static cl_int served_program(cl_program program, struct occ_binary *binary,
			     cl_program_info name, const struct reply *reply)
{
	switch (name) {
	case CL_PROGRAM_CONTEXT:
	case CL_PROGRAM_NUM_DEVICES:
	case CL_PROGRAM_DEVICES:
		return forward_program(program, name, reply);
	default:
		break;
	}
	if (!binary->answers) /* really linked */
		return forward_program(binary->program, name, reply);
	if (binary->image)
		return served_object(program, binary, name, reply);
	return served_executable(program, binary, name, reply);
}

cl_int CL_API_CALL occ_get_program_info(cl_program program,
					cl_program_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret)
{
	struct reply reply = {param_value_size, param_value,
			      param_value_size_ret};
	struct occ_binary *binary;
	cl_int error;

	program = occ_program_valid(program);
	if (param_name == CL_PROGRAM_REFERENCE_COUNT)
		return program_references(program, &reply);
	binary = occ_program_binary(program);
	if (!binary) {
		error = forward_program(program, param_name, &reply);
		if (!error && param_value &&
		    (param_name == CL_PROGRAM_BINARY_SIZES ||
		     param_name == CL_PROGRAM_BINARIES))
			occ_program_note_asked(program);
		return error;
	}
	error = served_program(program, binary, param_name, &reply);
	occ_binary_release(binary);
	return error;
}

static const struct occ_answers *find_answers(const struct occ_binary *binary,
					      cl_device_id device)
{
	for (cl_uint i = 0; binary->answers && i < binary->recipe->device_count;
	     i++)
		if (binary->recipe->devices[i] == device)
			return &binary->answers[i];
	return NULL;
}

/*
 * What the driver answered for the device after the compile, or NULL. PoCL
 * builds for the devices that sub-devices are part of, and takes either.
 */
static const struct occ_answers *answers_for(const struct occ_binary *binary,
					     cl_device_id device)
{
	const struct occ_answers *answers = find_answers(binary, device);

	if (!answers && device)
		answers = find_answers(binary, occ_identity_root(device));
	if (!answers && occ_recipe_driver(binary->recipe)->takes_any_device)
		answers = &binary->answers[0];
	return answers;
}

/* The entry's answer about a device's build; false: it has none. */
static bool find_build_answer(const struct occ_binary *binary,
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
			(struct occ_span){(const unsigned char *)&binary->type,
					  sizeof(binary->type)};
		return true;
	case CL_PROGRAM_BUILD_LOG:
		ret_answer->bytes = answers->log;
		return answers->log.data;
	case CL_PROGRAM_BUILD_OPTIONS:
		ret_answer->bytes = answers->options;
		return answers->options.data;
	default:
		return recorded(answers, name, ret_answer);
	}
}

static cl_int served_build(cl_program program, struct occ_binary *binary,
			   const struct occ_answers *answers,
			   struct question *question, const struct reply *reply)
{
	struct occ_answer found;
	bool has = find_build_answer(binary, answers, question->name, &found);

	if (has && found.code)
		return repeat_error(reply, &found);
	if (has && (fits(reply, found.bytes) || !binary->image))
		return answer(reply, found.bytes, question);
	if (binary->image)
		question->program = real_program(program, binary);
	return ask(question, reply);
}

/* Of a build that failed because it would have had to be compiled. */
static cl_int refused_build(const struct question *question,
			    const struct reply *reply, const char *reason)
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
			 reason);
		bytes = (struct occ_span){(const unsigned char *)log,
					  strlen(log) + 1};
	}
	return fits(reply, bytes) ? answer(reply, bytes, question)
				  : CL_INVALID_VALUE;
}

cl_int CL_API_CALL occ_get_program_build_info(cl_program program,
					      cl_device_id device,
					      cl_program_build_info param_name,
					      size_t param_value_size,
					      void *param_value,
					      size_t *param_value_size_ret)
{
	struct reply reply = {param_value_size, param_value,
			      param_value_size_ret};
	const struct occ_answers *answers;
	struct occ_binary *binary;
	struct question question;
	const char *refusal;
	cl_int error;

	program = occ_program_valid(program);
	refusal = occ_program_refusal(program);
	question = (struct question){program, true, device, param_name};
	if (refusal)
		return refused_build(&question, &reply, refusal);
	binary = occ_program_binary(program);
	answers = binary ? answers_for(binary, device) : NULL;
	/* A binary without answers is a program that was really linked. */
	if (answers || (binary && !binary->answers))
		question.program = binary->program;
	if (answers)
		error = served_build(program, binary, answers, &question,
				     &reply);
	else
		error = ask(&question, &reply);
	occ_binary_release(binary);
	return error;
}

/* A kernel that the layer made from a binary program. */
struct served_kernel {
	cl_kernel handle;
	char *name;
	struct occ_program *program; /* pinned */
	struct occ_binary *binary;   /* retained */
};

/* False: the kernel is the driver's own program's, or isn't known. */
static bool take_kernel(cl_kernel handle, struct served_kernel *ret_served)
{
	struct occ_kernel *kernel;

	memset(ret_served, 0, sizeof(*ret_served));
	ret_served->handle = handle;
	occ_lock();
	kernel = occ_kernel_find(handle);
	if (kernel && kernel->binary) {
		ret_served->binary = occ_binary_retain(kernel->binary);
		ret_served->program = occ_program_pin(kernel->program);
	}
	occ_unlock();
	return ret_served->binary;
}

static void drop_kernel(struct served_kernel *served)
{
	free(served->name);
	occ_binary_release(served->binary);
	occ_program_unpin(served->program);
}

/* The kernel of the same name in a program that was really built, or NULL. */
static cl_kernel materialise(const struct served_kernel *served,
			     const char *what)
{
	cl_program program =
		served->name ? occ_binary_materialise(served->binary, what)
			     : NULL;
	cl_kernel kernel = NULL;

	if (program)
		kernel = occ_target.clCreateKernel(program, served->name, NULL);
	if (kernel)
		occ_describe_materialised(kernel, served->program,
					  served->binary);
	return kernel;
}

/* What the entry has of the kernel. *ret_memory is to be freed. */
static bool find_description(const struct served_kernel *served,
			     struct occ_span *ret_kernel,
			     unsigned char **ret_memory)
{
	*ret_memory = NULL;
	return served->name &&
	       occ_describe_find(served->program, served->binary, served->name,
				 ret_kernel, ret_memory);
}

/*
 * How a driver refuses a buffer that is too small, is its own; for arguments
 * as for attributes.
 */
static cl_int answer_described(cl_kernel kernel, const struct reply *reply,
			       const struct occ_answer *found)
{
	size_t size = SIZE_MAX;
	char nowhere;
	cl_int error;

	if (found->code)
		return found->code;
	if (!reply->value || reply->capacity >= found->bytes.size)
		return answer(reply, found->bytes, NULL);
	error = occ_target.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, 0,
					   &nowhere, &size);
	if (error && size != SIZE_MAX && reply->size_ret)
		*reply->size_ret = found->bytes.size;
	return error ? error : CL_INVALID_VALUE;
}

static cl_int forward_kernel(cl_kernel kernel, cl_kernel_info name,
			     const struct reply *reply)
{
	return occ_target.clGetKernelInfo(kernel, name, reply->capacity,
					  reply->value, reply->size_ret);
}

/*
 * CL_KERNEL_ATTRIBUTES: PoCL's and Intel's binaries lose them. An empty answer
 * may be the truth; only the compiler's kernel can tell.
 */
static cl_int kernel_attributes(struct served_kernel *served,
				const struct reply *reply)
{
	struct occ_answer found;
	struct occ_span kernel;
	unsigned char *memory;
	size_t size = 0;
	cl_kernel real = NULL;
	cl_int error;

	served->name = occ_kernel_name(served->handle);
	if (find_description(served, &kernel, &memory) &&
	    occ_description_attributes(kernel, &found)) {
		error = answer_described(served->handle, reply, &found);
		free(memory);
		return error;
	}
	free(memory);
	error = occ_target.clGetKernelInfo(served->handle, CL_KERNEL_ATTRIBUTES,
					   0, NULL, &size);
	if (!error && size <= 1 &&
	    !occ_recipe_driver(served->binary->recipe)->binary_keeps_kernels)
		real = materialise(served, "kernel attributes");
	error = forward_kernel(real ? real : served->handle,
			       CL_KERNEL_ATTRIBUTES, reply);
	if (real)
		occ_target.clReleaseKernel(real);
	return error;
}

cl_int CL_API_CALL occ_get_kernel_info(cl_kernel kernel,
				       cl_kernel_info param_name,
				       size_t param_value_size,
				       void *param_value,
				       size_t *param_value_size_ret)
{
	struct reply reply = {param_value_size, param_value,
			      param_value_size_ret};
	struct served_kernel served;
	cl_int error;

	if ((param_name != CL_KERNEL_PROGRAM &&
	     param_name != CL_KERNEL_ATTRIBUTES) ||
	    !take_kernel(kernel, &served))
		return forward_kernel(kernel, param_name, &reply);
	if (param_name == CL_KERNEL_ATTRIBUTES) {
		error = kernel_attributes(&served, &reply);
	} else {
		error = forward_kernel(kernel, param_name, &reply);
		if (!error && param_value)
			*(cl_program *)param_value = served.program->handle;
	}
	drop_kernel(&served);
	return error;
}

static cl_int forward_argument(cl_kernel kernel, cl_uint index,
			       cl_kernel_arg_info name,
			       const struct reply *reply)
{
	return occ_target.clGetKernelArgInfo(kernel, index, name,
					     reply->capacity, reply->value,
					     reply->size_ret);
}

static cl_int kernel_argument(struct served_kernel *served, cl_uint index,
			      cl_kernel_arg_info name,
			      const struct reply *reply, cl_int refusal)
{
	struct occ_answer found;
	struct occ_span kernel;
	unsigned char *memory;
	cl_kernel real;
	cl_int error;

	served->name = occ_kernel_name(served->handle);
	if (find_description(served, &kernel, &memory) &&
	    occ_description_argument(kernel, index, name, &found)) {
		error = answer_described(served->handle, reply, &found);
		free(memory);
		return error;
	}
	free(memory);
	real = materialise(served, "argument info");
	if (!real)
		return refusal;
	error = forward_argument(real, index, name, reply);
	occ_target.clReleaseKernel(real);
	return error;
}

cl_int CL_API_CALL occ_get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index,
					   cl_kernel_arg_info param_name,
					   size_t param_value_size,
					   void *param_value,
					   size_t *param_value_size_ret)
{
	struct reply reply = {param_value_size, param_value,
			      param_value_size_ret};
	struct served_kernel served;
	cl_int error = forward_argument(kernel, arg_index, param_name, &reply);

	if (error != CL_KERNEL_ARG_INFO_NOT_AVAILABLE ||
	    !take_kernel(kernel, &served))
		return error;
	error = kernel_argument(&served, arg_index, param_name, &reply, error);
	drop_kernel(&served);
	return error;
}

/* Do the context's hidden programs show in its reference count? */
static bool counts_programs(cl_context context)
{
	const struct occ_identity *identity = NULL;
	const char *reason;
	cl_uint count;
	cl_device_id *devices = occ_device_list_of_context(context, &count);

	if (devices)
		identity = occ_identity_of(devices[0], &reason);
	free(devices);
	return identity && identity->driver->counts_programs;
}

cl_int CL_API_CALL occ_get_context_info(cl_context context,
					cl_context_info param_name,
					size_t param_value_size,
					void *param_value,
					size_t *param_value_size_ret)
{
	cl_int error =
		occ_target.clGetContextInfo(context, param_name,
					    param_value_size, param_value,
					    param_value_size_ret);
	cl_uint hidden;

	if (error || param_name != CL_CONTEXT_REFERENCE_COUNT || !param_value)
		return error;
	hidden = occ_hidden_count(context);
	if (hidden && counts_programs(context))
		*(cl_uint *)param_value -= hidden;
	return error;
}
