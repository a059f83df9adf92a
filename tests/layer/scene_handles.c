/* SPDX-License-Identifier: MIT */
/* Scenes about many handles, handles used again, and handles that are wrong. */
#include "tests/layer/scene.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void other(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = x; }\n";

/* Drivers give the same address again; a new program is not the old one. */
static void play_programs_again(struct world *world)
{
	struct subject subject = {NULL};
	cl_program program;
	int i;

	program = make_built(world, "P1", source, "");
	release_program(program);
	for (i = 0; i < 50; i++) {
		program = make_program(world, "P2", source);
		if (i % 10 == 0) {
			subject.program = program;
			show_build(world, program);
			make_kernel(program, "add", "K1");
			show_query("P2", ask_program, &subject,
				   &program_queries[0]);
		}
		release_program(program);
	}
	program = make_built(world, "P3", source, "");
	show_function(world, program, "add", 2);
	release_program(program);
	show_counts(world, NULL, NULL);
}

static void play_kernels_again(struct world *world)
{
	cl_program one = make_built(world, "P1", source, "");
	cl_program two = make_built(world, "P2", source, "-DB"), owner;
	cl_kernel kernel;
	int i;

	for (i = 0; i < 40; i++) {
		kernel = clCreateKernel(i % 2 ? one : two,
					i % 3 ? "add" : "other", NULL);
		owner = NULL;
		clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(owner),
				&owner, NULL);
		say("kernel %d of %s", i, handle_name(owner));
		if (i % 13 == 0) {
			name_handle(kernel, "K");
			show_kernel(world, kernel);
		}
		clReleaseKernel(kernel);
	}
	show_counts(world, one, NULL);
	show_counts(world, two, NULL);
	release_program(one);
	release_program(two);
}

#define MANY 64

static void play_many_programs(struct world *world)
{
	cl_program programs[MANY];
	char name[8];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "P%d", i);
		programs[i] = make_program(world, name, source);
	}
	for (i = 0; i < MANY; i += 16)
		build(world, programs[i], "");
	show_counts(world, programs[0], NULL);
	for (i = 1; i < MANY; i += 2)
		release_program(programs[i]);
	for (i = 0; i < MANY; i += 16)
		show_function(world, programs[i], "add", i);
	for (i = 0; i < MANY; i += 2)
		release_program(programs[i]);
	show_counts(world, NULL, NULL);
}

static void play_many_kernels(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernels[MANY];
	char name[8];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "K%d", i);
		kernels[i] =
			make_kernel(program, i % 2 ? "add" : "other", name);
	}
	show_counts(world, program, kernels[0]);
	for (i = 0; i < MANY; i += 21)
		show_run(world, kernels[i], i);
	for (i = MANY - 1; i > 0; i--)
		clReleaseKernel(kernels[i]);
	show_counts(world, program, kernels[0]);
	release_program(program);
	show_kernel(world, kernels[0]);
	release_kernel(kernels[0]);
	show_counts(world, NULL, NULL);
}

static void play_retains(struct world *world)
{
	cl_program program = make_program(world, "P1", source);
	cl_kernel kernel;
	int i;

	for (i = 0; i < 5; i++)
		say("retain: %d", clRetainProgram(program));
	build(world, program, "");
	kernel = make_kernel(program, "add", "K1");
	for (i = 0; i < 3; i++)
		say("retain: %d", clRetainKernel(kernel));
	show_counts(world, program, kernel);
	for (i = 0; i < 5; i++)
		release_program(program);
	show_counts(world, program, kernel);
	release_program(program);
	for (i = 0; i < 3; i++) {
		show_run(world, kernel, i);
		release_kernel(kernel);
	}
	show_run(world, kernel, 9);
	release_kernel(kernel);
	show_counts(world, NULL, NULL);
}

/* Something else in a program's or kernel's place. */
static void play_other_objects(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1"), wrong;
	cl_program as_program = (cl_program)(void *)world->context;
	cl_kernel as_kernel = (cl_kernel)(void *)world->queue;
	cl_uint count = 77;
	cl_int code = 1;

	/* The others believe whatever they are given. */
	if (!world->intel && !world->stub) {
		release_kernel(kernel);
		release_program(program);
		skip("the driver doesn't look at handles");
	}
	say("retain: %d", clRetainProgram(as_program));
	say("release: %d", clReleaseProgram(as_program));
	say("build: %d",
	    clBuildProgram(as_program, 1, &world->device, "", NULL, NULL));
	say("compile: %d", clCompileProgram(as_program, 1, &world->device, "",
					    0, NULL, NULL, NULL, NULL));
	say("info: %d", clGetProgramInfo(as_program, CL_PROGRAM_REFERENCE_COUNT,
					 sizeof(count), &count, NULL));
	say("build info: %d", build_status(world, as_program));
	wrong = clCreateKernel(as_program, "add", &code);
	say("kernel: %s %d", handle_name(wrong), code);
	code = clCreateKernelsInProgram(as_program, 0, NULL, &count);
	say("kernels: %d", code);
	say("retain kernel: %d", clRetainKernel(as_kernel));
	say("release kernel: %d", clReleaseKernel(as_kernel));
	say("kernel info: %d",
	    clGetKernelInfo(as_kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count),
			    &count, NULL));
	wrong = clCloneKernel(as_kernel, &code);
	say("clone: %s %d", handle_name(wrong), code);
	say("argument: %d", clSetKernelArg(as_kernel, 0, 4, &count));
	show_run(world, kernel, 3);
	release_kernel(kernel);
	release_program(program);
}

/* A kernel where a program is wanted, and the other way round. */
static void play_swapped(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	cl_program as_program = (cl_program)(void *)kernel;
	cl_kernel as_kernel = (cl_kernel)(void *)program;
	cl_uint count = 77;

	if (!world->intel && !world->stub) {
		release_kernel(kernel);
		release_program(program);
		skip("the driver doesn't look at handles");
	}
	say("info: %d", clGetProgramInfo(as_program, CL_PROGRAM_REFERENCE_COUNT,
					 sizeof(count), &count, NULL));
	say("build: %d",
	    clBuildProgram(as_program, 1, &world->device, "", NULL, NULL));
	say("kernel info: %d",
	    clGetKernelInfo(as_kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(count),
			    &count, NULL));
	say("retain: %d %d", clRetainProgram(as_program),
	    clRetainKernel(as_kernel));
	show_run(world, kernel, 3);
	show_counts(world, program, kernel);
	release_kernel(kernel);
	release_program(program);
}

static void play_null_calls(struct world *world)
{
	cl_program program;
	cl_uint count = 77;
	size_t size = 77;
	int x = 0;

	say("argument: %d", clSetKernelArg(NULL, 0, sizeof(x), &x));
	say("task: %d", clEnqueueTask(NULL, NULL, 0, NULL, NULL));
	say("unload: %d", clUnloadPlatformCompiler(NULL));
	say("kernels: %d", clCreateKernelsInProgram(NULL, 1, NULL, &count));
	say("build: %d", clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL));
	say("info: %d", clGetProgramInfo(NULL, 0, 0, NULL, &size));
	say("build info: %d",
	    clGetProgramBuildInfo(NULL, NULL, 0, 0, NULL, &size));
	say("argument info: %d",
	    clGetKernelArgInfo(NULL, 0, 0, 0, NULL, &size));
	if (world->version >= 200) {
		say("pointer: %d", clSetKernelArgSVMPointer(NULL, 0, NULL));
		say("exec info: %d", clSetKernelExecInfo(NULL, 0, 0, NULL));
	}
	if (world->version >= 210)
		say("sub-groups: %d",
		    clGetKernelSubGroupInfo(NULL, NULL, 0, 0, NULL, 0, NULL,
					    &size));
	if (world->version >= 220) {
		say("constant: %d",
		    clSetProgramSpecializationConstant(NULL, 0, sizeof(x), &x));
		say("release callback: %d",
		    clSetProgramReleaseCallback(NULL, NULL, NULL));
	}
	program = make_built(world, "P1", source, "");
	show_function(world, program, "add", 1);
	release_program(program);
}

static void play_unload_anytime(struct world *world)
{
	cl_program program;
	int i;

	say("before anything: %d", clUnloadPlatformCompiler(world->platform));
	for (i = 0; i < 3; i++) {
		program = make_program(world, "P", source);
		say("unload: %d", clUnloadPlatformCompiler(world->platform));
		build(world, program, i == 1 ? "-DA" : "");
		say("unload: %d", clUnloadCompiler());
		show_function(world, program, "add", i);
		show_build(world, program);
		release_program(program);
	}
}

static void CL_CALLBACK on_release(cl_program program, void *data)
{
	(void)program;
	say("release callback %s", (const char *)data);
}

/* In the reverse order, each once, and only at the end. */
static void play_release_callbacks(struct world *world)
{
	static char one[] = "1", two[] = "2", three[] = "3";
	cl_program program;
	cl_kernel kernel;

	if (world->version < 220)
		skip("OpenCL 1.2 has no release callbacks");
	program = make_program(world, "P1", source);
	say("first: %d", clSetProgramReleaseCallback(program, on_release, one));
	say("second: %d",
	    clSetProgramReleaseCallback(program, on_release, two));
	say("none: %d", clSetProgramReleaseCallback(program, NULL, one));
	build(world, program, "");
	say("third: %d",
	    clSetProgramReleaseCallback(program, on_release, three));
	kernel = make_kernel(program, "add", "K1");
	release_program(program);
	say("program released");
	show_run(world, kernel, 1);
	release_kernel(kernel);
	say("kernel released");
}

static const struct scene scenes[] = {
	SCENE("programs-again", play_programs_again, 2, 0, 0),
	SCENE("kernels-again", play_kernels_again, 2, 0, 0),
	SCENE("many-programs", play_many_programs, 4, 0, 0),
	SCENE("many-kernel-handles", play_many_kernels, 1, 0, 0),
	SCENE("retains", play_retains, 1, 0, 0),
	SCENE("other-objects", play_other_objects, 1, 0, 0),
	SCENE("swapped-handles", play_swapped, 1, 0, 0),
	SCENE("null-calls", play_null_calls, 1, 0, 0),
	SCENE("unload-anytime", play_unload_anytime, 3, 0, 0),
	SCENE("release-callbacks", play_release_callbacks, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
