/* SPDX-License-Identifier: MIT */
/* Scenes about how long handles live and what counts references to them. */
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "tests/layer/scene.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void other(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x; }\n";

static void play_counts(struct world *world)
{
	cl_program program;
	cl_kernel add, other;

	show_counts(world, NULL, NULL);
	program = make_program(world, "P1", source);
	show_counts(world, program, NULL);
	say("retain: %d", clRetainProgram(program));
	show_counts(world, program, NULL);
	build(world, program, "");
	show_counts(world, program, NULL);
	add = make_kernel(program, "add", "K1");
	show_counts(world, program, add);
	other = make_kernel(program, "other", "K2");
	show_counts(world, program, other);
	say("retain: %d", clRetainKernel(add));
	show_counts(world, program, add);
	release_kernel(add);
	show_counts(world, program, add);
	release_kernel(add);
	show_counts(world, program, other);
	release_program(program);
	show_counts(world, program, other);
	release_kernel(other);
	show_counts(world, program, NULL);
	release_program(program);
	show_counts(world, NULL, NULL);
}

static cl_program program_of(cl_kernel kernel)
{
	cl_program program = NULL;
	cl_int code = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM,
				      sizeof(program), &program, NULL);

	say("program of %s: %d %s", handle_name(kernel), code,
	    handle_name(program));
	return program;
}

static void play_kernel_outlives(struct world *world)
{
	cl_program program = make_built(world, "P1", source, ""), again;
	cl_kernel add = make_kernel(program, "add", "K1"), other;
	cl_int code;

	release_program(program);
	show_counts(world, NULL, add);
	again = program_of(add);
	show_counts(world, again, add);
	show_run(world, add, 3);
	show_kernel(world, add);
	code = clRetainProgram(again);
	say("retain again: %d", code);
	show_program(world, again);
	if (code != CL_SUCCESS) {
		/* Intel's program ends with its own references. */
		release_kernel(add);
		return;
	}
	other = make_kernel(again, "other", "K2");
	show_run(world, other, 4);
	release_kernel(add);
	show_counts(world, again, other);
	program_of(other);
	show_program(world, again);
	release_program(again);
	show_run(world, other, 5);
	release_kernel(other);
	show_counts(world, NULL, NULL);
}

/*
 * Where the arguments' values stay: NEO's clCloneKernel reads them again where
 * they were when they were set, and dies of others that are there by then.
 */
static cl_mem clone_buffer;
static int clone_number = 3;

static void set_arguments(const struct world *world, cl_kernel kernel)
{
	cl_int code;

	clone_buffer = clCreateBuffer(world->context, 0,
				      RUN_ITEMS * sizeof(int), NULL, &code);
	must(code, "clCreateBuffer");
	must(clSetKernelArg(kernel, 0, sizeof(clone_buffer), &clone_buffer),
	     "clSetKernelArg");
	must(clSetKernelArg(kernel, 1, sizeof(clone_number), &clone_number),
	     "clSetKernelArg");
}

static void play_clone(struct world *world)
{
	cl_program program;
	cl_kernel kernel, clone;
	cl_int code = 1;

	/* Some word behind its table would be called. */
	if (world->version < 210)
		skip("OpenCL 1.2 has no clCloneKernel");
	program = make_built(world, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	show_run(world, kernel, 3);
	set_arguments(world, kernel);
	clone = clCloneKernel(kernel, &code);
	name_handle(clone, "K2");
	say("clone: %s %d", handle_name(clone), code);
	if (!clone) {
		clReleaseMemObject(clone_buffer);
		release_kernel(kernel);
		release_program(program);
		return;
	}
	show_counts(world, program, kernel);
	show_counts(world, program, clone);
	release_kernel(kernel);
	show_kernel(world, clone);
	show_arguments(clone);
	release_program(program);
	show_run(world, clone, 4);
	program = program_of(clone);
	show_counts(world, program, clone);
	release_kernel(clone);
	clReleaseMemObject(clone_buffer);
	show_counts(world, NULL, NULL);
}

static void play_same_source(struct world *world)
{
	cl_program one = make_built(world, "P1", source, ""), two;
	cl_kernel first, second;

	two = make_built(world, "P2", source, "");
	first = make_kernel(one, "add", "K1");
	second = make_kernel(two, "add", "K2");
	program_of(first);
	program_of(second);
	show_counts(world, one, first);
	show_counts(world, two, second);
	show_run(world, first, 1);
	release_kernel(first);
	release_program(one);
	show_run(world, second, 2);
	show_program(world, two);
	release_program(two);
	show_run(world, second, 3);
	release_kernel(second);
	show_counts(world, NULL, NULL);
}

static void play_one_after_another(struct world *world)
{
	cl_program program;
	cl_kernel kernel;
	char name[8];
	int i;

	for (i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "P%d", i);
		program = make_built(world, name, source, "");
		snprintf(name, sizeof(name), "K%d", i);
		kernel = make_kernel(program, i % 2 ? "add" : "other", name);
		program_of(kernel);
		show_counts(world, program, kernel);
		show_run(world, kernel, i);
		if (i % 3)
			release_program(program);
		release_kernel(kernel);
		if (i % 3 == 0)
			release_program(program);
		show_counts(world, NULL, NULL);
	}
}

static void play_two_contexts(struct world *world)
{
	struct world second;
	cl_program here, there;
	cl_kernel kernel;

	world_open(&second);
	name_handle(second.context, "context 2");
	name_handle(second.device, "device");
	here = make_built(world, "P1", source, "");
	there = make_built(&second, "P2", source, "");
	show_program(world, here);
	show_program(&second, there);
	show_counts(world, here, NULL);
	show_counts(&second, there, NULL);
	kernel = make_kernel(here, "add", "K1");
	show_run(world, kernel, 1);
	release_kernel(kernel);
	release_program(here);
	kernel = make_kernel(there, "add", "K2");
	show_kernel(&second, kernel);
	show_run(&second, kernel, 2);
	show_counts(&second, there, kernel);
	release_kernel(kernel);
	release_program(there);
	show_counts(&second, NULL, NULL);
	world_close(&second);
}

/* Programs and kernels hold their context. */
static void play_context_released_first(struct world *world)
{
	struct world second;
	cl_program program;
	cl_kernel kernel;
	int got[RUN_ITEMS];
	cl_int code;
	cl_mem buffer;

	(void)world;
	world_open(&second);
	name_handle(second.context, "context 2");
	program = make_built(&second, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	show_counts(&second, program, kernel);
	buffer = clCreateBuffer(second.context, 0, sizeof(got), NULL, &code);
	say("release context: %d", clReleaseContext(second.context));
	code = run_kernel_in(&second, kernel, 6, 0, buffer, got);
	fprintf(out(), "run: %d:", code);
	say_results(&second, kernel, got, RUN_ITEMS);
	clReleaseMemObject(buffer);
	release_program(program);
	release_kernel(kernel);
	say("release queue: %d", clReleaseCommandQueue(second.queue));
}

static int destructor_calls;

static void CL_CALLBACK on_context_end(cl_context context, void *data)
{
	(void)context;
	(void)data;
	destructor_calls++;
}

static void play_context_destructor(struct world *world)
{
	struct world second;
	cl_program program;
	cl_kernel kernel;
	cl_int code;
	int i;

	destructor_calls = 0;
	if (world->version < 300)
		skip("OpenCL 1.2 has no clSetContextDestructorCallback");
	world_open(&second);
	code = clSetContextDestructorCallback(second.context, on_context_end,
					      NULL);
	say("destructor callback: %d", code);
	program = make_built(&second, "P1", source, "");
	kernel = make_kernel(program, "add", "K1");
	show_run(&second, kernel, 6);
	release_kernel(kernel);
	release_program(program);
	say("called %d times", destructor_calls);
	say("release queue: %d", clReleaseCommandQueue(second.queue));
	say("called %d times", destructor_calls);
	say("release context: %d", clReleaseContext(second.context));
	/* Rusticl's thread may hold it for a while. */
	for (i = 0; world->rusticl && i < 1000 && !destructor_calls; i++)
		usleep(1000);
	say("called %d times", destructor_calls);
}

static void CL_CALLBACK on_release(cl_program program, void *data)
{
	(void)data;
	say("release callback for %s", handle_name(program));
}

static void play_release_callback(struct world *world)
{
	cl_program program;
	cl_int code;

	if (world->version < 220)
		skip("OpenCL 1.2 has no release callbacks");
	program = make_program(world, "P1", source);
	code = clSetProgramReleaseCallback(program, on_release, NULL);
	say("release callback: %d", code);
	build(world, program, "");
	code = clSetProgramReleaseCallback(program, on_release, NULL);
	say("release callback: %d", code);
	release_program(program);
}

static cl_program kept_program;
static cl_kernel kept_kernel;
static struct world *kept_world;

static void at_exit(void)
{
	/* In two plays this is called twice, and some drivers die of it. */
	if (!kept_kernel)
		return;
	show_run(kept_world, kept_kernel, 2);
	show_program(kept_world, kept_program);
	release_kernel(kept_kernel);
	release_program(kept_program);
	kept_kernel = NULL;
}

/* Applications release things in handlers of their own, or never. */
static void play_release_at_exit(struct world *world)
{
	static struct world copy;

	if (world->oclgrind)
		skip("the driver is gone at exit");
	kept_program = make_built(world, "P1", source, "");
	kept_kernel = make_kernel(kept_program, "add", "K1");
	show_run(world, kept_kernel, 1);
	/* main() closes its own world. */
	clRetainContext(world->context);
	clRetainCommandQueue(world->queue);
	copy = *world;
	kept_world = &copy;
	atexit(at_exit);
}

static void play_never_released(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");

	show_run(world, kernel, 1);
}

static void play_unload_compiler(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel;
	cl_int code = clUnloadPlatformCompiler(world->platform);

	say("unload: %d", code);
	kernel = make_kernel(program, "add", "K1");
	show_run(world, kernel, 3);
	show_program(world, program);
	release_kernel(kernel);
	release_program(program);
	program = make_built(world, "P2", source, "-DB");
	kernel = make_kernel(program, "add", "K2");
	show_run(world, kernel, 3);
	release_kernel(kernel);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("counts", play_counts, 1, 0, 0),
	SCENE("kernel-outlives", play_kernel_outlives, 1, 0, 0),
	SCENE("clone", play_clone, 1, 0, 0),
	SCENE("same-source", play_same_source, 2, 0, 0),
	SCENE("one-after-another", play_one_after_another, 6, 0, 0),
	SCENE("two-contexts", play_two_contexts, 2, 0, 0),
	SCENE("context-released-first", play_context_released_first, 1, 0, 0),
	SCENE("context-destructor", play_context_destructor, 1, 0, 0),
	SCENE("release-callback", play_release_callback, 1, 0, 0),
	SCENE("release-at-exit", play_release_at_exit, 1, 0, 0),
	SCENE("never-released", play_never_released, 1, 0, 0),
	SCENE("unload-compiler", play_unload_compiler, 2, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
