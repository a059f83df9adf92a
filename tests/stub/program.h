/* SPDX-License-Identifier: MIT */
/*
 * Programs. A program has a build per device; what it was made from doesn't
 * change but for specialization constants.
 *
 * The application's references and its kernels keep it. While kernels alone
 * do, its handle is as STUB_RELEASED_PROGRAM says.
 */
#ifndef TESTS_STUB_PROGRAM_H
#define TESTS_STUB_PROGRAM_H

#include "tests/stub/code.h"
#include "tests/stub/compiler.h"
#include "tests/stub/context.h"
#include "tests/stub/object.h"

enum stub_origin {
	STUB_FROM_SOURCE,
	STUB_FROM_IL,
	STUB_FROM_BINARY,
	STUB_FROM_LINK,
	STUB_BUILT_IN,
};

typedef void(CL_CALLBACK *stub_notify_function)(cl_program program, void *data);

struct stub_build {
	cl_build_status status;
	char *options; /* never NULL */
	char *log;
	struct stub_code *code;		/* what there is, also before a build */
	struct stub_instance *instance; /* of executables that were built */
};

struct stub_release_callback {
	stub_notify_function function;
	void *data;
	struct stub_release_callback *next;
};

/* cl_codeplay_snapshot_callback_t of cl_codeplay_program_snapshot. */
typedef void (*stub_snapshot_function)(size_t size, const char *bytes,
				       void *callback_data, void *user_data);

struct _cl_program {
	struct stub_object object;
	cl_context context;
	enum stub_origin origin;
	cl_uint device_count;
	cl_device_id *devices;
	struct stub_build *builds;
	char *text; /* source or IL; "" otherwise */
	size_t text_size;
	struct stub_constant *constants;
	size_t constant_count;
	struct stub_constant *first_constants; /* those of the first build */
	size_t first_constant_count;
	cl_uint kernels;
	cl_uint holds; /* builds that run, inputs of links */
	bool building;
	bool kernel_created;
	unsigned times_built;
	struct stub_release_callback *callbacks; /* newest first */
	/* clRequestProgramSnapshotCODEPLAY */
	stub_snapshot_function snapshot;
	void *snapshot_data;
};

/* All with the lock. */

/* A program with one reference, which holds its context. */
cl_program stub_program_new(cl_context context, enum stub_origin origin,
			    cl_uint device_count, const cl_device_id *devices);
/* Is it one for the application? */
bool stub_program_valid(cl_program program);
/* Ends it when nothing holds it any more; lets go of the lock meanwhile. */
void stub_program_drop(cl_program program);
/* The build for the device, or NULL. */
struct stub_build *stub_program_build(cl_program program, cl_device_id device);
/*
 * The context's programs that the application, kernels or builds have; not
 * those that only a callback's end is still holding.
 */
cl_uint stub_programs_in(cl_context context);
/* Was it built in the driver, for any device? */
bool stub_program_executable(cl_program program);
void stub_build_clear(struct stub_build *build);

#endif
