/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub/build.h"
#include "tests/stub/count.h"
#include "tests/stub/own_cache.h"
#include "tests/stub/switches.h"

struct stub_job *stub_job_new(cl_program program, enum stub_operation operation,
			      cl_uint device_count, const cl_device_id *devices,
			      const char *options)
{
	struct stub_job *job = stub_allocate(1, sizeof(*job));

	job->program = program;
	job->operation = operation;
	job->device_count = device_count;
	job->devices = stub_allocate(device_count, sizeof(*devices));
	memcpy(job->devices, devices, device_count * sizeof(*devices));
	job->options = stub_copy(options, options ? strlen(options) : 0);
	if (!stub_options_parse(&job->parsed, options, operation))
		job->bad_options = true;
	return job;
}

void stub_job_release(struct stub_job *job)
{
	for (size_t i = 0; i < job->header_count; i++) {
		free((void *)job->headers[i].name);
		free((void *)job->headers[i].text);
	}
	for (size_t i = 0; i < job->input_count * job->device_count; i++)
		stub_code_release(job->inputs[i]);
	free(job->headers);
	free(job->constants);
	free(job->inputs);
	free(job->devices);
	free(job->options);
	stub_options_release(&job->parsed);
	free(job);
}

/* Somebody edits files meanwhile. */
static void meanwhile(const char *command)
{
	if (*command && system(command))
		stub_die("%s failed", command);
}

static void take_time(void)
{
	if (stub.compile_computes)
		stub_compute(stub.compile_ms);
	else
		stub_sleep(stub.compile_ms);
}

/* STUB_LOAD: as drivers that load their compiler when they need it. */
static void load_object(void)
{
	if (*stub.load)
		dlopen(stub.load, RTLD_NOW | RTLD_LOCAL);
}

/* Takes the object over. */
static struct stub_code *make_executable(struct stub_code *object,
					 const char *options,
					 struct stub_text *log)
{
	struct stub_code *code;

	code = stub_code_link(&object, 1, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
			      options, log);
	stub_code_release(object);
	return code;
}

static struct stub_code *compile(struct stub_job *job, struct stub_text *log)
{
	cl_program program = job->program;
	const struct stub_source source = {
		.text = program->text,
		.size = program->text_size,
		.is_il = program->origin == STUB_FROM_IL,
		.raw_options = job->options,
		.options = &job->parsed,
		.headers = job->headers,
		.header_count = job->header_count,
		.constants = job->constants,
		.constant_count = job->constant_count,
	};
	struct stub_code *code;

	load_object();
	meanwhile(stub.before_reading);
	code = stub_compile(&source, log);
	meanwhile(stub.after_reading);
	take_time();
	if (code && job->operation == STUB_BUILD)
		code = make_executable(code, job->options, log);
	stub_count(job->operation == STUB_COMPILE ? "compile" : "source",
		   code ? code->digest : "-");
	return code;
}

static struct stub_code *link_inputs(struct stub_job *job, cl_uint device,
				     struct stub_text *log)
{
	struct stub_code *code;

	code = stub_code_link(job->inputs + device * job->input_count,
			      job->input_count, job->type, job->options, log);
	take_time();
	stub_count("link", code ? code->digest : "-");
	return code;
}

static bool binary_fails(void)
{
	static unsigned builds;
	unsigned now = __atomic_add_fetch(&builds, 1, __ATOMIC_RELAXED);

	return stub.fail_binary_build < 0 || (int)now == stub.fail_binary_build;
}

static struct stub_code *take_binary(struct stub_job *job, cl_uint device,
				     struct stub_text *log)
{
	struct stub_code *code;

	stub_lock();
	code = stub_program_build(job->program, job->devices[device])->code;
	code = stub_code_retain(code);
	stub_unlock();
	stub_sleep(stub.load_ms);
	stub_count(code->is_device_code ? "code" : "binary", code->digest);
	stub_text_add_string(log, code->log && *code->log
					  ? code->log
					  : "Reload Program Binary Object.");
	if (binary_fails() || stub.foreign == STUB_FOREIGN_BUILD ||
	    (code->is_device_code &&
	     stub.device_code == STUB_DEVICE_CODE_BUILD)) {
		stub_text_add_string(log, "error: the binary isn't liked\n");
		stub_code_release(code);
		return NULL;
	}
	if (!code->is_device_code)
		stub_own_cache_keep(code, job->devices[device]);
	return code;
}

static bool source_fails(const struct stub_job *job)
{
	static unsigned builds;

	return job->operation == STUB_BUILD &&
	       (int)__atomic_add_fetch(&builds, 1, __ATOMIC_RELAXED) ==
		       stub.fail_build;
}

/* The code for one device, NULL when it fails. */
static struct stub_code *make(struct stub_job *job, cl_uint device,
			      struct stub_code *before, struct stub_text *log)
{
	if (job->bad_options) {
		stub_text_add_string(log, "error: unknown option\n");
		return NULL;
	}
	if (job->operation == STUB_LINK)
		return link_inputs(job, device, log);
	if (job->program->origin == STUB_FROM_BINARY)
		return take_binary(job, device, log);
	if (before)
		return stub_code_retain(before);
	if (source_fails(job)) {
		stub_text_add_string(log, "error: no luck this time\n");
		return NULL;
	}
	return compile(job, log);
}

/* What the device has from now on; takes code over. */
static void settle(struct stub_job *job, cl_uint device, struct stub_code *code,
		   const char *log)
{
	struct stub_build *build;

	stub_lock();
	build = stub_program_build(job->program, job->devices[device]);
	/* A binary that fails to build is still there. */
	if (!code && job->program->origin == STUB_FROM_BINARY)
		code = stub_code_retain(build->code);
	else if (code)
		build->status = CL_BUILD_SUCCESS;
	if (build->status != CL_BUILD_SUCCESS)
		build->status = CL_BUILD_ERROR;
	free(build->log);
	build->log = stub_copy(log, strlen(log));
	stub_code_release(build->code);
	build->code = code;
	/* Devices may be listed twice. */
	stub_instance_release(build->instance);
	build->instance = NULL;
	if (build->status == CL_BUILD_SUCCESS &&
	    code->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		build->instance = stub_instance_new(code);
	stub_unlock();
}

static cl_int failure_of(enum stub_operation operation)
{
	switch (operation) {
	case STUB_BUILD:
		return CL_BUILD_PROGRAM_FAILURE;
	case STUB_COMPILE:
		return CL_COMPILE_PROGRAM_FAILURE;
	default:
		return CL_LINK_PROGRAM_FAILURE;
	}
}

static void work(struct stub_job *job)
{
	struct stub_code *first = NULL, *code;
	struct stub_text log = {NULL, 0, 0};

	job->result = CL_SUCCESS;
	for (cl_uint i = 0; i < job->device_count; i++) {
		if (!first)
			stub_text_release(&log);
		code = make(job, i, first, &log);
		if (!code)
			job->result = failure_of(job->operation);
		if (!first && code && job->operation != STUB_LINK &&
		    job->program->origin != STUB_FROM_BINARY)
			first = stub_code_retain(code);
		settle(job, i, code, stub_text_string(&log));
	}
	stub_code_release(first);
	stub_text_release(&log);
}

static void finish(struct stub_job *job)
{
	cl_program program = job->program;

	stub_lock();
	program->building = false;
	program->times_built++;
	stub_unlock();
	if (program->snapshot && job->operation == STUB_BUILD)
		program->snapshot(4, "code", NULL, program->snapshot_data);
	if (job->notify &&
	    (job->result == CL_SUCCESS || job->operation != STUB_LINK ||
	     stub.link_failure_program))
		job->notify(program, job->user_data);
	stub_lock();
	program->holds--;
	stub_program_drop(program);
	stub_unlock();
}

/* Until a build's callback has returned: STUB_NOTIFY=builder. */
static atomic_bool is_building;

static void *work_in_thread(void *data)
{
	bool builder = stub.notify == STUB_NOTIFY_BUILDER;

	while (builder && atomic_exchange(&is_building, true))
		stub_sleep(1);
	work(data);
	finish(data);
	if (builder)
		is_building = false;
	return NULL;
}

static void *work_later(void *data)
{
	stub_sleep(stub.async_ms);
	work_in_thread(data);
	stub_job_release(data);
	return NULL;
}

static cl_int run_later(struct stub_job *job)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work_later, job))
		stub_die("no thread");
	pthread_detach(thread);
	return CL_SUCCESS;
}

static void run_now(struct stub_job *job)
{
	pthread_t thread;

	if (!job->notify || stub.notify == STUB_NOTIFY_SAME) {
		work_in_thread(job);
		return;
	}
	if (pthread_create(&thread, NULL, work_in_thread, job))
		stub_die("no thread");
	pthread_join(thread, NULL);
}

cl_int stub_job_run(struct stub_job *job, stub_notify_function notify,
		    void *user_data)
{
	cl_int result;

	job->notify = notify;
	job->user_data = user_data;
	if (notify && stub.notify >= STUB_NOTIFY_ASYNC)
		return run_later(job);
	run_now(job);
	result = job->result;
	if (notify && stub.failed_build_success && job->operation != STUB_LINK)
		result = CL_SUCCESS;
	stub_job_release(job);
	return result;
}
