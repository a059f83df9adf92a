/* SPDX-License-Identifier: MIT */
/*
 * Queries. Of a served program, what depends on the build is answered by the
 * binary program or from the entry, and everything else by the application's
 * own; of its kernels, what binaries lose is answered by materialising.
 */
#include <stdlib.h>
#include <string.h>

#include "layer/dispatch.h"
#include "layer/hooks.h"
#include "layer/kernel.h"
#include "layer/program.h"

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
	cl_device_id device; /* NULL: clGetProgramInfo */
	cl_uint name;
};

static cl_int refuse(const struct reply *reply, struct occ_span bytes,
		     const struct question *question)
{
	size_t size = SIZE_MAX;
	char nowhere;
	cl_int error;

	/* No room at all: too short whatever the driver would say. */
	if (question->device)
		error = occ_target.clGetProgramBuildInfo(question->program,
							 question->device,
							 question->name, 0,
							 &nowhere, &size);
	else
		error = occ_target.clGetProgramInfo(question->program,
						    question->name, 0, &nowhere,
						    &size);
	if (error && size != SIZE_MAX && reply->size_ret)
		*reply->size_ret = bytes.size;
	return error ? error : CL_INVALID_VALUE;
}

static cl_int answer(const struct reply *reply, struct occ_span bytes,
		     const struct question *question)
{
	if (reply->value && reply->capacity < bytes.size)
		return refuse(reply, bytes, question);
	if (reply->value && bytes.size)
		memcpy(reply->value, bytes.data, bytes.size);
	if (reply->size_ret)
		*reply->size_ret = bytes.size;
	return CL_SUCCESS;
}

/* References that are ours, and that the bare driver wouldn't count. */
static cl_uint hidden_references(cl_program handle)
{
	struct occ_program *program;
	cl_uint count = 0;

	occ_lock();
	program = occ_program_find(handle);
	if (program) {
		count = program->holds;
		if (program->kernel_holds && !program->driver->counts_kernels)
			count += program->kernel_holds;
	}
	occ_unlock();
	return count;
}

static cl_int program_references(cl_program program, const struct reply *reply)
{
	cl_int error =
		occ_target.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
					    reply->capacity, reply->value,
					    reply->size_ret);

	if (!error && reply->value)
		*(cl_uint *)reply->value -= hidden_references(program);
	return error;
}

static cl_int forward_program(cl_program program, cl_program_info name,
			      const struct reply *reply)
{
	return occ_target.clGetProgramInfo(program, name, reply->capacity,
					   reply->value, reply->size_ret);
}

static cl_int served_program(cl_program program, struct occ_binary *binary,
			     cl_program_info name, const struct reply *reply)
{
	struct question question = {binary->program, NULL, name};
	size_t count = (size_t)binary->kernel_count;
	cl_int error;

	switch (name) {
	case CL_PROGRAM_CONTEXT:
	case CL_PROGRAM_NUM_DEVICES:
	case CL_PROGRAM_DEVICES:
	case CL_PROGRAM_SOURCE:
	case CL_PROGRAM_IL:
		return forward_program(program, name, reply);
	case CL_PROGRAM_NUM_KERNELS:
		return answer(reply,
			      (struct occ_span){(const unsigned char *)&count,
						sizeof(count)},
			      &question);
	case CL_PROGRAM_KERNEL_NAMES:
		/* PoCL writes nothing when there are no kernels. */
		if (!binary->kernel_count)
			break;
		return answer(reply, binary->kernel_names, &question);
	default:
		break;
	}
	error = forward_program(binary->program, name, reply);
	/* A parameter of this driver's own may be about the source. */
	if (error && name > CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)
		error = forward_program(program, name, reply);
	return error;
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
	if (!binary)
		return forward_program(program, param_name, &reply);
	error = served_program(program, binary, param_name, &reply);
	occ_binary_release(binary);
	return error;
}

static const struct occ_answers *find_answers(const struct occ_binary *binary,
					      cl_device_id device)
{
	for (cl_uint i = 0; i < binary->recipe->device_count; i++)
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
	return answers;
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
	cl_int error;

	program = occ_program_valid(program);
	binary = occ_program_binary(program);
	answers = binary ? answers_for(binary, device) : NULL;
	question = (struct question){answers ? binary->program : program,
				     device, param_name};
	if (answers && param_name == CL_PROGRAM_BUILD_LOG && answers->log.data)
		error = answer(&reply, answers->log, &question);
	else if (answers && param_name == CL_PROGRAM_BUILD_OPTIONS &&
		 answers->options.data)
		error = answer(&reply, answers->options, &question);
	else
		error = occ_target.clGetProgramBuildInfo(question.program,
							 device, param_name,
							 param_value_size,
							 param_value,
							 param_value_size_ret);
	occ_binary_release(binary);
	return error;
}

/* What a kernel was made from, when the layer made it from a binary program. */
static struct occ_binary *kernel_binary(cl_kernel handle,
					cl_program *ret_program)
{
	struct occ_binary *binary = NULL;
	struct occ_kernel *kernel;

	occ_lock();
	kernel = occ_kernel_find(handle);
	if (kernel && kernel->binary) {
		binary = occ_binary_retain(kernel->binary);
		*ret_program = kernel->program->handle;
	}
	occ_unlock();
	return binary;
}

/* The kernel of the same name in a program that was really built, or NULL. */
static cl_kernel materialise(cl_kernel kernel, struct occ_binary *binary,
			     const char *what)
{
	char *name = occ_kernel_name(kernel);
	cl_program program = NULL;
	cl_kernel result = NULL;

	if (name)
		program = occ_binary_materialise(binary, what);
	if (program)
		result = occ_target.clCreateKernel(program, name, NULL);
	free(name);
	return result;
}

/*
 * CL_KERNEL_ATTRIBUTES: PoCL's and Intel's binaries lose them. An empty answer
 * may be the truth; only a real build can tell.
 */
static cl_int kernel_attributes(cl_kernel kernel, struct occ_binary *binary,
				const struct reply *reply)
{
	size_t size = 0;
	cl_kernel real = NULL;
	cl_int error = occ_target.clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES,
						  0, NULL, &size);

	if (!error && size <= 1)
		real = materialise(kernel, binary, "kernel attributes");
	error = occ_target.clGetKernelInfo(real ? real : kernel,
					   CL_KERNEL_ATTRIBUTES,
					   reply->capacity, reply->value,
					   reply->size_ret);
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
	struct occ_binary *binary = NULL;
	cl_program program = NULL;
	cl_int error;

	if (param_name == CL_KERNEL_PROGRAM ||
	    param_name == CL_KERNEL_ATTRIBUTES)
		binary = kernel_binary(kernel, &program);
	if (binary && param_name == CL_KERNEL_ATTRIBUTES)
		error = kernel_attributes(kernel, binary, &reply);
	else
		error = occ_target.clGetKernelInfo(kernel, param_name,
						   param_value_size,
						   param_value,
						   param_value_size_ret);
	if (binary && param_name == CL_KERNEL_PROGRAM && !error && param_value)
		*(cl_program *)param_value = program;
	occ_binary_release(binary);
	return error;
}

cl_int CL_API_CALL occ_get_kernel_arg_info(cl_kernel kernel, cl_uint arg_index,
					   cl_kernel_arg_info param_name,
					   size_t param_value_size,
					   void *param_value,
					   size_t *param_value_size_ret)
{
	struct occ_binary *binary;
	cl_program program;
	cl_kernel real;
	cl_int error =
		occ_target.clGetKernelArgInfo(kernel, arg_index, param_name,
					      param_value_size, param_value,
					      param_value_size_ret);

	if (error != CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
		return error;
	binary = kernel_binary(kernel, &program);
	if (!binary)
		return error;
	real = materialise(kernel, binary, "argument info");
	if (real) {
		error = occ_target.clGetKernelArgInfo(real, arg_index,
						      param_name,
						      param_value_size,
						      param_value,
						      param_value_size_ret);
		occ_target.clReleaseKernel(real);
	}
	occ_binary_release(binary);
	return error;
}

/* Do the context's hidden programs show in its reference count? */
static bool counts_programs(cl_context context)
{
	const struct occ_identity *identity;
	const char *reason;
	cl_device_id *devices;
	size_t size = 0;
	cl_int error = occ_target.clGetContextInfo(context, CL_CONTEXT_DEVICES,
						   0, NULL, &size);

	if (error || !size)
		return false;
	devices = malloc(size);
	if (!devices)
		return false;
	error = occ_target.clGetContextInfo(context, CL_CONTEXT_DEVICES, size,
					    devices, NULL);
	identity = error ? NULL : occ_identity_of(devices[0], &reason);
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
	hidden = occ_binary_hidden_count(context);
	if (hidden && counts_programs(context))
		*(cl_uint *)param_value -= hidden;
	return error;
}
