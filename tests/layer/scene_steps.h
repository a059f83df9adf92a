/* SPDX-License-Identifier: MIT */
/* What most scenes do, each step with a line about how it went. */
#ifndef TESTS_LAYER_SCENE_STEPS_H
#define TESTS_LAYER_SCENE_STEPS_H

#include "tests/layer/scene_show.h"

static inline cl_program make_program(const struct world *world,
				      const char *name, const char *source)
{
	cl_int code = 1;
	cl_program program = clCreateProgramWithSource(world->context, 1,
						       &source, NULL, &code);

	name_handle(program, name);
	say("create %s: %d", handle_name(program), code);
	return program;
}

static inline cl_int build(const struct world *world, cl_program program,
			   const char *options)
{
	cl_int code;

	settle();
	code = clBuildProgram(program, 1, &world->device, options, NULL, NULL);
	say("build %s with %s: %d, status %d", handle_name(program),
	    options ? options : "NULL", code, build_status(world, program));
	return code;
}

static inline cl_program make_built(const struct world *world, const char *name,
				    const char *source, const char *options)
{
	cl_program program = make_program(world, name, source);

	build(world, program, options);
	return program;
}

static inline cl_kernel make_kernel(cl_program program, const char *function,
				    const char *name)
{
	cl_int code = 1;
	cl_kernel kernel = clCreateKernel(program, function, &code);

	name_handle(kernel, name);
	say("kernel %s of %s: %s %d", function, handle_name(program),
	    handle_name(kernel), code);
	return kernel;
}

static inline void show_run_in_groups(const struct world *world,
				      cl_kernel kernel, int x, size_t local)
{
	int got[RUN_ITEMS];
	cl_int code = run_kernel(world, kernel, x, local, got);

	fprintf(out(), "run %s(%d) in groups of %zu: %d:", handle_name(kernel),
		x, local, code);
	say_results(world, kernel, got, RUN_ITEMS);
}

static inline void show_run(const struct world *world, cl_kernel kernel, int x)
{
	show_run_in_groups(world, kernel, x, 0);
}

/* The name comes first: afterwards the address may be another thread's. */
static inline void release_kernel(cl_kernel kernel)
{
	const char *name = handle_name(kernel);

	say("release %s: %d", name, clReleaseKernel(kernel));
}

static inline void release_program(cl_program program)
{
	const char *name = handle_name(program);

	say("release %s: %d", name, clReleaseProgram(program));
}

/* Make a kernel, run it, release it. */
static inline void show_function(const struct world *world, cl_program program,
				 const char *function, int x)
{
	cl_kernel kernel = make_kernel(program, function, "K");

	if (!kernel)
		return;
	show_run(world, kernel, x);
	release_kernel(kernel);
}

static inline cl_int compile_with(const struct world *world, cl_program program,
				  const char *options, cl_uint count,
				  const cl_program *headers, const char **names)
{
	cl_int code;

	settle();
	code = clCompileProgram(program, 1, &world->device, options, count,
				headers, names, NULL, NULL);
	say("compile %s with %s, %u headers: %d, status %d",
	    handle_name(program), options ? options : "NULL", count, code,
	    build_status(world, program));
	return code;
}

static inline cl_int compile(const struct world *world, cl_program program,
			     const char *options)
{
	return compile_with(world, program, options, 0, NULL, NULL);
}

static inline cl_program make_compiled(const struct world *world,
				       const char *name, const char *source,
				       const char *options)
{
	cl_program program = make_program(world, name, source);

	compile(world, program, options);
	return program;
}

static inline cl_program link_programs(const struct world *world,
				       const char *name, const char *options,
				       cl_uint count, const cl_program *inputs)
{
	cl_int code = 1;
	cl_program linked =
		clLinkProgram(world->context, 1, &world->device, options, count,
			      inputs, NULL, NULL, &code);

	name_handle(linked, name);
	say("link %s of %u with %s: %d, status %d", handle_name(linked), count,
	    options ? options : "NULL", code,
	    linked ? build_status(world, linked) : 1);
	return linked;
}

/* `two` may be NULL. */
static inline cl_program link_two(const struct world *world, const char *name,
				  const char *options, cl_program one,
				  cl_program two)
{
	cl_program inputs[] = {one, two};

	return link_programs(world, name, options, two ? 2 : 1, inputs);
}

/* Everything about a linked program, which may be NULL, and its end. */
static inline void use_linked(const struct world *world, cl_program linked,
			      const char *function)
{
	cl_kernel kernel;

	if (!linked)
		return;
	/* Rusticl has linked kernels in another order each time. */
	if (world->rusticl)
		show_build(world, linked);
	else
		show_program(world, linked);
	kernel = make_kernel(linked, function, "KL");
	if (kernel) {
		show_run(world, kernel, 5);
		show_kernel(world, kernel);
		release_kernel(kernel);
	}
	release_program(linked);
}

/*
 * A callback, and what it is to do. Some drivers call from a thread of their
 * own: what the callback says is kept, and said by called_wait() on the thread
 * that waits for it.
 */
struct called {
	const struct world *world;
	void (*act)(struct called *called, cl_program program);
	cl_program expected; /* NULL: made by the call, as by clLinkProgram */
	cl_program another;  /* for act */
	pthread_t thread;
	_Atomic bool in_call;
	_Atomic int calls;
	char *text;
	size_t size;
};

static inline void called_before(struct called *called, cl_program expected)
{
	called->expected = expected;
	called->thread = pthread_self();
	called->in_call = true;
	called->calls = 0;
}

static inline void CL_CALLBACK on_called(cl_program program, void *data)
{
	struct called *called = data;
	bool same = pthread_equal(pthread_self(), called->thread);
	FILE *before = scene_stream, *stream;

	free(called->text);
	stream = open_memstream(&called->text, &called->size);
	if (!stream)
		die("out of memory");
	scene_output(stream);
	if (!called->expected)
		name_handle(program, "new program");
	say("callback: %s, %s, status %d",
	    called->expected && program != called->expected ? "other handle"
							    : "right handle",
	    !same	      ? "another thread"
	    : called->in_call ? "same thread, during the call"
			      : "same thread, after the call",
	    build_status(called->world, program));
	if (called->act)
		called->act(called, program);
	scene_output(before);
	fclose(stream);
	called->calls++;
}

/* Waits for a callback when the call promised one. */
static inline void called_after(struct called *called, cl_int code)
{
	int i;

	called->in_call = false;
	for (i = 0; code == CL_SUCCESS && !called->calls && i < 5000; i++)
		usleep(1000);
	if (called->text)
		say_text(called->text);
	free(called->text);
	called->text = NULL;
}

static inline cl_int build_called(struct called *called, cl_program program,
				  const char *options)
{
	const struct world *world = called->world;
	cl_int code;

	settle();
	called_before(called, program);
	code = clBuildProgram(program, 1, &world->device, options, on_called,
			      called);
	called_after(called, code);
	say("build %s with %s: %d, %d calls", handle_name(program), options,
	    code, called->calls);
	return code;
}

static inline cl_int compile_called(struct called *called, cl_program program,
				    const char *options)
{
	cl_int code;

	settle();
	called_before(called, program);
	code = clCompileProgram(program, 1, &called->world->device, options, 0,
				NULL, NULL, on_called, called);
	called_after(called, code);
	say("compile %s with %s: %d, %d calls", handle_name(program), options,
	    code, called->calls);
	return code;
}

static inline cl_program link_called(struct called *called, const char *name,
				     const char *options, cl_uint count,
				     const cl_program *inputs)
{
	const struct world *world = called->world;
	cl_program linked;
	cl_int code = 1;

	called_before(called, NULL);
	linked = clLinkProgram(world->context, 1, &world->device, options,
			       count, inputs, on_called, called, &code);
	called_after(called, linked ? CL_SUCCESS : code);
	name_handle(linked, name);
	say("link %s with %s: %d, %d calls", handle_name(linked), options, code,
	    called->calls);
	return linked;
}

/* The application's own copy of a program's binary; free() it. */
static inline unsigned char *fetch_binary(cl_program program, size_t *ret_size)
{
	unsigned char *bytes;
	size_t size = 0;
	cl_int code;

	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
				&size, NULL);
	bytes = calloc(1, size + 1);
	if (!bytes)
		die("out of memory");
	if (code == CL_SUCCESS && size)
		code = clGetProgramInfo(program, CL_PROGRAM_BINARIES,
					sizeof(bytes), &bytes, NULL);
	say("binary of %s: %d, %s", handle_name(program), code,
	    size ? "some" : "none");
	*ret_size = size;
	return bytes;
}

static inline cl_program from_binary(const struct world *world,
				     const char *name,
				     const unsigned char *bytes, size_t size)
{
	cl_int code = 1, status = 77;
	cl_program program =
		clCreateProgramWithBinary(world->context, 1, &world->device,
					  &size, &bytes, &status, &code);

	name_handle(program, name);
	say("create %s from binary: %d %d", handle_name(program), code, status);
	return program;
}

/* Fetches the binary of one program and makes another from it. */
static inline cl_program make_copy(const struct world *world, const char *name,
				   cl_program program)
{
	size_t size;
	unsigned char *bytes = fetch_binary(program, &size);
	cl_program copy = NULL;

	if (size)
		copy = from_binary(world, name, bytes, size);
	free(bytes);
	return copy;
}

#endif
