/* SPDX-License-Identifier: MIT */
/* clBuildProgram, clCompileProgram and clLinkProgram up to the work. */
#include "tests/stub/build.h"

#include <string.h>

#include "tests/stub/calls.h"
#include "tests/stub/switches.h"

cl_int stub_check_devices(cl_program program, cl_uint *count,
			  const cl_device_id **devices)
{
	if (!*count != !*devices)
		return CL_INVALID_VALUE;
	if (!*count && stub.null_list_context) {
		*count = program->context->device_count;
		*devices = program->context->devices;
	} else if (!*count) {
		*count = program->device_count;
		*devices = program->devices;
	}
	for (cl_uint i = 0; i < *count; i++)
		if (!stub_program_build(program, (*devices)[i]))
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

static cl_int check_state(cl_program program, enum stub_operation operation)
{
	bool allowed = operation == STUB_BUILD ? stub.rebuild_attached
					       : stub.compile_attached;

	if (program->building || (program->kernels && !allowed))
		return CL_INVALID_OPERATION;
	switch (program->origin) {
	case STUB_FROM_LINK:
	case STUB_BUILT_IN:
		return CL_INVALID_OPERATION;
	case STUB_FROM_BINARY:
		if (operation == STUB_COMPILE)
			return CL_INVALID_OPERATION;
		break;
	default:
		return CL_SUCCESS;
	}
	if (program->times_built && stub.rebuild_binary_abort)
		stub_die("a binary program is built a second time");
	return CL_SUCCESS;
}

/* What a build of a binary needs. */
static cl_int check_binaries(cl_program program, cl_uint count,
			     const cl_device_id *devices)
{
	const struct stub_code *code;

	if (program->origin != STUB_FROM_BINARY)
		return CL_SUCCESS;
	for (cl_uint i = 0; i < count; i++) {
		code = stub_program_build(program, devices[i])->code;
		if (!code || code->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
			return CL_INVALID_BINARY;
	}
	return CL_SUCCESS;
}

static cl_int check_options(const char *options, enum stub_operation operation)
{
	static const cl_int codes[] = {CL_INVALID_BUILD_OPTIONS,
				       CL_INVALID_COMPILER_OPTIONS,
				       CL_INVALID_LINKER_OPTIONS};
	struct stub_options parsed;
	bool good = stub_options_parse(&parsed, options, operation);

	stub_options_release(&parsed);
	return good || stub.bad_option_fails ? CL_SUCCESS : codes[operation];
}

static cl_int check(cl_program program, cl_uint *count,
		    const cl_device_id **devices, const char *options,
		    enum stub_operation operation)
{
	cl_int code;

	if (!stub_program_valid(program))
		return CL_INVALID_PROGRAM;
	code = stub_check_devices(program, count, devices);
	if (code == CL_SUCCESS)
		code = check_state(program, operation);
	if (code == CL_SUCCESS)
		code = check_binaries(program, *count, *devices);
	return code == CL_SUCCESS ? check_options(options, operation) : code;
}

/* The constants that count for this build. */
static void take_constants(struct stub_job *job)
{
	cl_program program = job->program;
	struct stub_constant *from = program->constants;
	size_t count = program->constant_count;

	if (program->times_built && stub.constants_later_ignored) {
		from = program->first_constants;
		count = program->first_constant_count;
	}
	job->constants = stub_allocate(count, sizeof(*from));
	job->constant_count = count;
	if (count)
		memcpy(job->constants, from, count * sizeof(*from));
	if (!program->times_built && !program->first_constants) {
		program->first_constants = stub_allocate(count, sizeof(*from));
		program->first_constant_count = count;
		if (count)
			memcpy(program->first_constants, from,
			       count * sizeof(*from));
	}
}

/* What was built before is gone; a binary's own code stays. */
static void begin(struct stub_job *job)
{
	cl_program program = job->program;

	program->building = true;
	program->holds++;
	for (cl_uint i = 0; i < job->device_count; i++) {
		struct stub_build *build =
			stub_program_build(program, job->devices[i]);
		struct stub_code *code = NULL;

		if (program->origin == STUB_FROM_BINARY) {
			code = build->code;
			build->code = NULL;
		}
		stub_build_clear(build);
		build->code = code;
		build->status = CL_BUILD_IN_PROGRESS;
		free(build->options);
		build->options = stub_copy(job->options, strlen(job->options));
	}
}

static cl_int refuse(cl_program program, cl_int code,
		     stub_notify_function notify, void *user_data)
{
	if (notify && stub.notify_errors && program)
		notify(program, user_data);
	return code;
}

cl_int CL_API_CALL stub_build_program(cl_program program, cl_uint num_devices,
				      const cl_device_id *devices,
				      const char *options,
				      stub_notify_function notify,
				      void *user_data)
{
	struct stub_job *job;
	cl_int code;

	stub_lock();
	code = check(program, &num_devices, &devices, options, STUB_BUILD);
	if (code == CL_SUCCESS && !notify && user_data)
		code = CL_INVALID_VALUE;
	if (code != CL_SUCCESS) {
		stub_unlock();
		return refuse(program, code, notify, user_data);
	}
	job = stub_job_new(program, STUB_BUILD, num_devices, devices, options);
	take_constants(job);
	begin(job);
	stub_unlock();
	return stub_job_run(job, notify, user_data);
}

static cl_int check_headers(cl_uint count, const cl_program *headers,
			    const char **names)
{
	if (!count != !headers || !count != !names)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < count; i++)
		if (!stub_program_valid(headers[i]) ||
		    headers[i]->origin != STUB_FROM_SOURCE)
			return CL_INVALID_PROGRAM;
	return CL_SUCCESS;
}

static void take_headers(struct stub_job *job, cl_uint count,
			 const cl_program *headers, const char **names)
{
	job->headers = stub_allocate(count, sizeof(*job->headers));
	job->header_count = count;
	for (cl_uint i = 0; i < count; i++) {
		job->headers[i].name = stub_copy(names[i], strlen(names[i]));
		job->headers[i].text =
			stub_copy(headers[i]->text, headers[i]->text_size);
	}
}

cl_int CL_API_CALL stub_compile_program(
	cl_program program, cl_uint num_devices, const cl_device_id *devices,
	const char *options, cl_uint num_headers, const cl_program *headers,
	const char **names, stub_notify_function notify, void *user_data)
{
	struct stub_job *job;
	cl_int code;

	stub_lock();
	code = check(program, &num_devices, &devices, options, STUB_COMPILE);
	if (code == CL_SUCCESS && !notify && user_data)
		code = CL_INVALID_VALUE;
	if (code == CL_SUCCESS)
		code = check_headers(num_headers, headers, names);
	if (code != CL_SUCCESS) {
		stub_unlock();
		return refuse(program, code, notify, user_data);
	}
	job = stub_job_new(program, STUB_COMPILE, num_devices, devices,
			   options);
	take_headers(job, num_headers, headers, names);
	take_constants(job);
	begin(job);
	stub_unlock();
	return stub_job_run(job, notify, user_data);
}
