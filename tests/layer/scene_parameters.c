/* SPDX-License-Identifier: MIT */
/*
 * Scenes with parameters that are wrong: the codes must stay the driver's own.
 * What makes a bare driver crash isn't asked.
 */
#include "tests/layer/scene.h"

static const char source[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n";

static int calls;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program;
	(void)data;
	calls++;
}

static void say_build(const char *what, cl_program program, cl_uint count,
		      const cl_device_id *devices, const char *options,
		      void *notify, void *data)
{
	cl_int code;

	calls = 0;
	code = clBuildProgram(program, count, devices, options,
			      notify ? on_built : NULL, data);
	say("build, %s: %d, %d calls", what, code, calls);
}

static void try_builds(const struct world *world, cl_program program)
{
	cl_device_id twice[2] = {world->device, world->device};
	int data = 0;

	say_build("a count without devices", program, 1, NULL, "", NULL, NULL);
	say_build("devices without a count", program, 0, &world->device, "",
		  NULL, NULL);
	say_build("data without a callback", program, 1, &world->device, "",
		  NULL, &data);
	say_build("the same with a callback", program, 1, NULL, "", &data,
		  &data);
	say_build("an unknown option", program, 1, &world->device,
		  "-no-such-option", NULL, NULL);
	say_build("an unknown option, callback", program, 1, &world->device,
		  "-no-such-option", &data, &data);
	/* PoCL 3.1 crashes. */
	if (!world->pocl)
		say_build("an odd option", program, 1, &world->device, "-D",
			  NULL, NULL);
	/* These two read it as a file's name, and crash. */
	if (!world->oclgrind && !world->rusticl)
		say_build("no option at all", program, 1, &world->device,
			  "nonsense", NULL, NULL);
	say_build("the device twice", program, 2, twice, "", NULL, NULL);
	show_program(world, program);
}

static void play_bad_builds(struct world *world)
{
	cl_program program = make_program(world, "P1", source);
	cl_kernel kernel;

	say_build("NULL program", NULL, 1, &world->device, "", NULL, NULL);
	try_builds(world, program);
	release_program(program);
	/* On one that was built. */
	program = make_built(world, "P2", source, "");
	try_builds(world, program);
	build(world, program, "-DB");
	kernel = make_kernel(program, "add", "K1");
	if (kernel) {
		show_run(world, kernel, 3);
		release_kernel(kernel);
	}
	release_program(program);
}

static void play_whole_context(struct world *world)
{
	cl_program program = make_program(world, "P1", source);
	cl_kernel kernel;

	say_build("all devices", program, 0, NULL, NULL, NULL, NULL);
	show_program(world, program);
	kernel = make_kernel(program, "add", "K1");
	show_run(world, kernel, 3);
	release_kernel(kernel);
	release_program(program);
	program = make_program(world, "P2", source);
	say_build("all devices, callback", program, 0, NULL, "-DB", &calls,
		  NULL);
	show_build(world, program);
	release_program(program);
}

static void play_bad_programs(struct world *world)
{
	static const char *none[] = {NULL}, *empty[] = {""}, *one[] = {source};
	static const struct {
		const char *what;
		cl_uint count;
		const char **strings;
	} cases[] = {
		{"no strings", 0, one},
		{"NULL strings", 1, NULL},
		{"a NULL string", 1, none},
	};
	cl_program program;
	cl_int code = 1;
	size_t i;

	/* All but the first crash PoCL 3.1. */
	for (i = 0; i < (world->pocl ? 1 : LENGTH(cases)); i++) {
		program = clCreateProgramWithSource(world->context,
						    cases[i].count,
						    cases[i].strings, NULL,
						    &code);
		say("create, %s: %s %d", cases[i].what, handle_name(program),
		    code);
	}
	code = 1;
	program = clCreateProgramWithSource(NULL, 1, one, NULL, &code);
	say("create, no context: %s %d", handle_name(program), code);
	program = clCreateProgramWithSource(world->context, 1, one, NULL, NULL);
	name_handle(program, "P1");
	say("create, no code: %s", handle_name(program));
	release_program(program);
	program = clCreateProgramWithSource(world->context, 1, empty, NULL,
					    &code);
	name_handle(program, "P2");
	say("create, empty: %s %d", handle_name(program), code);
	build(world, program, "");
	show_program(world, program);
	release_program(program);
}

static void play_null_handles(struct world *world)
{
	struct subject nothing = {.device = world->device};
	cl_uint count = 77;
	cl_int code = 1;
	cl_kernel kernel;

	say("retain program: %d", clRetainProgram(NULL));
	say("release program: %d", clReleaseProgram(NULL));
	say("retain kernel: %d", clRetainKernel(NULL));
	say("release kernel: %d", clReleaseKernel(NULL));
	kernel = clCreateKernel(NULL, "add", &code);
	say("kernel: %s %d", handle_name(kernel), code);
	code = clCreateKernelsInProgram(NULL, 0, NULL, &count);
	say("kernels: %d %u", code, count);
	if (world->version >= 210) {
		kernel = clCloneKernel(NULL, &code);
		say("clone: %s %d", handle_name(kernel), code);
	}
	say("compile: %d", clCompileProgram(NULL, 1, &world->device, "", 0,
					    NULL, NULL, NULL, NULL));
	show_query("NULL", ask_program, &nothing, &program_queries[0]);
	show_query("NULL", ask_build, &nothing, &build_queries[0]);
	show_query("NULL", ask_kernel, &nothing, &kernel_queries[0]);
	show_query("NULL", ask_argument, &nothing, &argument_queries[0]);
	show_query("NULL", ask_group, &nothing, &group_queries[0]);
}

static void play_null_device(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel = make_kernel(program, "add", "K1");
	struct subject subject = {.program = program, .kernel = kernel};

	show_queries("no device", ask_group, &subject, group_queries,
		     LENGTH(group_queries));
	if (!world->pocl)
		show_queries("no device", ask_build, &subject, build_queries,
			     LENGTH(build_queries));
	release_kernel(kernel);
	release_program(program);
}

static void play_no_code(struct world *world)
{
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel;

	kernel = clCreateKernel(program, "add", NULL);
	name_handle(kernel, "K1");
	say("kernel without a code: %s", handle_name(kernel));
	show_run(world, kernel, 4);
	release_kernel(kernel);
	kernel = clCreateKernel(program, "nothing", NULL);
	say("wrong name without a code: %s", handle_name(kernel));
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("bad-builds", play_bad_builds, 1, ANY, ANY, SEED(source, "")),
	SCENE("whole-context", play_whole_context, 2, 0, 0),
	/* Intel's runtime has no kernel names for a program without any. */
	/* Rusticl refuses the empty program, too. */
	SCENE("bad-programs", play_bad_programs, 1, 0, 0,
	      ON(UNLIKE("rusticl", 0, 1, 0), UNLIKE("rusticl-26", 1, 0, 0),
		 ENDS("nvidia", "dies of names of no kernels"))),
	SCENE("null-handles", play_null_handles, 0, 0, 0),
	SCENE("null-device", play_null_device, 1, 0, 0),
	SCENE("no-code", play_no_code, 1, 0, 0),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
