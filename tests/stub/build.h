/* SPDX-License-Identifier: MIT */
/*
 * Builds, compiles and links have the same course: checks, then work on a
 * thread that STUB_NOTIFY names, then the callback.
 */
#ifndef TESTS_STUB_BUILD_H
#define TESTS_STUB_BUILD_H

#include "tests/stub/program.h"

struct stub_job {
	cl_program program;
	enum stub_operation operation;
	cl_uint device_count;
	cl_device_id *devices;
	char *options;
	struct stub_options parsed;
	bool bad_options; /* and that is a failed build */
	stub_notify_function notify;
	void *user_data;
	/* compiles: embedded headers */
	struct stub_header *headers;
	size_t header_count;
	struct stub_constant *constants;
	size_t constant_count;
	/* links: input_count for each device */
	struct stub_code **inputs;
	size_t input_count;
	cl_program_binary_type type;
	cl_int result;
};

/* With the lock: an empty job on the program. */
struct stub_job *stub_job_new(cl_program program, enum stub_operation operation,
			      cl_uint device_count, const cl_device_id *devices,
			      const char *options);

/*
 * Does it, without the lock, and takes the job over. What clBuildProgram and
 * its like return.
 */
cl_int stub_job_run(struct stub_job *job, stub_notify_function notify,
		    void *user_data);
void stub_job_release(struct stub_job *job); /* with the lock */

/* The devices of a list, or those that NULL means; CL_SUCCESS or an error. */
cl_int stub_check_devices(cl_program program, cl_uint *count,
			  const cl_device_id **devices);

#endif
