/* SPDX-License-Identifier: MIT */
/* clLinkProgram. */
#include <string.h>

#include "tests/stub/build.h"
#include "tests/stub/calls.h"
#include "tests/stub/switches.h"

struct link {
	cl_context context;
	cl_uint device_count;
	const cl_device_id *devices;
	const char *options;
	cl_uint input_count;
	const cl_program *inputs;
};

/* What the input has for the device that can be linked, or NULL. */
static struct stub_code *linkable(cl_program input, cl_device_id device)
{
	const struct stub_build *build = stub_program_build(input, device);

	if (!build || !build->code)
		return NULL;
	if (build->code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE &&
	    !stub.link_executable)
		return NULL;
	return build->code;
}

static bool all_linkable(const struct link *link, cl_device_id device)
{
	for (cl_uint i = 0; i < link->input_count; i++)
		if (!linkable(link->inputs[i], device))
			return false;
	return true;
}

/* Of no list: the devices that all inputs have something for. */
static cl_uint choose_devices(const struct link *link, cl_device_id *ret)
{
	const cl_context context = link->context;
	cl_uint count = 0;

	for (cl_uint i = 0; i < context->device_count; i++)
		if (stub.null_list_context ||
		    all_linkable(link, context->devices[i]))
			ret[count++] = context->devices[i];
	return count;
}

static cl_int check_inputs(const struct link *link)
{
	if (!link->input_count || !link->inputs)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < link->input_count; i++)
		if (!stub_program_valid(link->inputs[i]) ||
		    link->inputs[i]->context != link->context)
			return CL_INVALID_PROGRAM;
	return CL_SUCCESS;
}

static cl_int check(const struct link *link)
{
	struct stub_options parsed;
	cl_int code;
	bool good;

	if (!stub_context_valid(link->context))
		return CL_INVALID_CONTEXT;
	if (!link->device_count != !link->devices)
		return CL_INVALID_VALUE;
	code = check_inputs(link);
	for (cl_uint i = 0; i < link->device_count && !code; i++)
		if (!stub_context_has(link->context, link->devices[i]))
			code = CL_INVALID_DEVICE;
	if (code != CL_SUCCESS)
		return code;
	good = stub_options_parse(&parsed, link->options, STUB_LINK);
	stub_options_release(&parsed);
	return good || stub.bad_option_fails ? CL_SUCCESS
					     : CL_INVALID_LINKER_OPTIONS;
}

static void take_inputs(struct stub_job *job, const struct link *link)
{
	job->input_count = link->input_count;
	job->inputs =
		stub_allocate((size_t)job->device_count * link->input_count,
			      sizeof(*job->inputs));
	for (cl_uint i = 0; i < job->device_count; i++)
		for (cl_uint j = 0; j < link->input_count; j++)
			job->inputs[i * link->input_count + j] =
				stub_code_retain(linkable(link->inputs[j],
							  job->devices[i]));
}

/* The new program and its job, or NULL. */
static struct stub_job *prepare(struct link *link, cl_int *ret_code)
{
	cl_device_id *chosen = NULL;
	struct stub_job *job = NULL;
	cl_program program;

	*ret_code = check(link);
	if (*ret_code == CL_SUCCESS && !link->device_count) {
		chosen = stub_allocate(link->context->device_count,
				       sizeof(*chosen));
		link->device_count = choose_devices(link, chosen);
		link->devices = chosen;
	}
	if (*ret_code == CL_SUCCESS && !link->device_count)
		*ret_code = CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < link->device_count && !*ret_code; i++)
		if (!all_linkable(link, link->devices[i]))
			*ret_code = CL_INVALID_OPERATION;
	if (*ret_code == CL_SUCCESS) {
		program = stub_program_new(link->context, STUB_FROM_LINK,
					   link->device_count, link->devices);
		job = stub_job_new(program, STUB_LINK, link->device_count,
				   link->devices, link->options);
		job->type = job->parsed.create_library
				    ? CL_PROGRAM_BINARY_TYPE_LIBRARY
				    : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
		take_inputs(job, link);
	}
	free(chosen);
	return job;
}

static void begin(struct stub_job *job)
{
	cl_program program = job->program;

	program->building = true;
	program->holds += 2; /* the job, and who waits for its result */
	for (cl_uint i = 0; i < program->device_count; i++) {
		free(program->builds[i].options);
		program->builds[i].options =
			stub_copy(job->options, strlen(job->options));
		program->builds[i].status = CL_BUILD_IN_PROGRESS;
	}
}

/* NULL instead of a failed program, where the driver is one that does so. */
static cl_program finish(cl_program program, cl_int code)
{
	bool keep = code == CL_SUCCESS || stub.link_failure_program;

	stub_lock();
	program->holds--;
	if (!keep)
		program->object.references--;
	stub_program_drop(program);
	stub_unlock();
	return keep ? program : NULL;
}

cl_program CL_API_CALL stub_link_program(
	cl_context context, cl_uint num_devices, const cl_device_id *devices,
	const char *options, cl_uint num_inputs, const cl_program *inputs,
	stub_notify_function notify, void *user_data, cl_int *errcode_ret)
{
	struct link link = {context, num_devices, devices,
			    options, num_inputs,  inputs};
	cl_program program = NULL;
	struct stub_job *job = NULL;
	cl_int code = CL_INVALID_VALUE;

	stub_lock();
	if (notify || !user_data)
		job = prepare(&link, &code);
	if (job) {
		program = job->program;
		begin(job);
	}
	stub_unlock();
	if (job) {
		code = stub_job_run(job, notify, user_data);
		program = finish(program, code);
	}
	if (errcode_ret)
		*errcode_ret = code;
	return program;
}
