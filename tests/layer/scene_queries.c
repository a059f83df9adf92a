/* SPDX-License-Identifier: MIT */
/* Scenes about what a built program and its kernels say about themselves. */
#include "tests/layer/scene.h"

static const char two_kernels[] =
	"__kernel void add(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) + x; }\n"
	"__kernel void multiply(__global int *out, int x)\n"
	"{ out[get_global_id(0)] = (int)get_global_id(0) * x; }\n";

static void play_two_kernels(struct world *world)
{
	cl_program program = make_program(world, "P1", two_kernels);
	cl_kernel add, multiply;

	show_program(world, program);
	build(world, program, "");
	show_program(world, program);
	add = make_kernel(program, "add", "K1");
	multiply = make_kernel(program, "multiply", "K2");
	show_kernel(world, add);
	show_kernel(world, multiply);
	show_arguments(multiply);
	show_run(world, add, 100);
	show_run(world, multiply, 3);
	show_run_in_groups(world, multiply, 5, 4);
	show_run_in_groups(world, add, 5, 1);
	show_program(world, program);
	show_sizes(program);
	release_kernel(add);
	release_kernel(multiply);
	release_program(program);
}

static void play_unbuilt(struct world *world)
{
	cl_program program = make_program(world, "P1", two_kernels);
	cl_kernel kernels[2] = {NULL, NULL};
	cl_uint count = 77;
	cl_int code;

	make_kernel(program, "add", "K1");
	code = clCreateKernelsInProgram(program, 2, kernels, &count);
	say("kernels in program: %d %u", code, count);
	show_program(world, program);
	release_program(program);
}

static void play_wrong_names(struct world *world)
{
	cl_program program = make_built(world, "P1", two_kernels, NULL);
	cl_int code = 1;
	cl_kernel kernel;

	make_kernel(program, "subtract", "K1");
	make_kernel(program, "", "K2");
	make_kernel(program, "ad", "K3");
	make_kernel(program, "add ", "K4");
	kernel = clCreateKernel(program, NULL, &code);
	say("kernel NULL: %s %d", handle_name(kernel), code);
	release_kernel(make_kernel(program, "add", "K5"));
	release_program(program);
}

static void play_warning(struct world *world)
{
	static const char source[] =
		"__kernel void warn(__global int *out, int x)\n"
		"{\n"
		"	int unused[2];\n"
		"	uint y = 1 ? x == (uint)3 : 2;\n"
		"	const int *c = &x; int *p = c;\n"
		"	out[get_global_id(0)] = *p;\n"
		"}\n"
		"#warning this is a warning\n";
	cl_program program = make_built(world, "P1", source, "-DA=1");
	cl_kernel kernel;

	show_build(world, program);
	kernel = make_kernel(program, "warn", "K1");
	show_build(world, program);
	show_run(world, kernel, 9);
	release_kernel(kernel);
	release_program(program);
}

static const char argument_source[] =
	"typedef struct { int a; float b; } pair;\n"
	"__kernel void arguments(__global const int *restrict in,\n"
	"	__constant float4 *table, __local volatile uchar *scratch,\n"
	"	pair value, read_only image2d_t image, sampler_t how,\n"
	"	__global int *out, unsigned long long_name, uint n)\n"
	"{ out[0] = in[0] + value.a + (int)n; }\n";

static void play_argument_info(struct world *world)
{
	cl_program program =
		make_built(world, "P1", argument_source, "-cl-kernel-arg-info");
	cl_kernel kernel = make_kernel(program, "arguments", "K1");

	show_arguments(kernel);
	show_kernel(world, kernel);
	show_program(world, program);
	release_kernel(kernel);
	release_program(program);
}

static void play_no_argument_info(struct world *world)
{
	cl_program program = make_built(world, "P1", argument_source, "");
	cl_kernel kernel = make_kernel(program, "arguments", "K1");

	show_arguments(kernel);
	release_kernel(kernel);
	release_program(program);
}

static void play_attributes(struct world *world)
{
	static const char source[] =
		"__attribute__((reqd_work_group_size(4, 1, 1)))\n"
		"__kernel void required(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = get_local_size(0) + x; }\n"
		"__attribute__((work_group_size_hint(8, 1, 1)))\n"
		"__attribute__((vec_type_hint(float4)))\n"
		"__kernel void hinted(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n"
		"__kernel void none(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = x; }\n";
	static const char *const functions[] = {"required", "hinted", "none"};
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernel;
	size_t i;

	for (i = 0; i < LENGTH(functions); i++) {
		kernel = make_kernel(program, functions[i], functions[i]);
		show_kernel(world, kernel);
		show_run_in_groups(world, kernel, 40, 4);
		show_run_in_groups(world, kernel, 40, 8);
		release_kernel(kernel);
	}
	release_program(program);
}

static void play_kernel_order(struct world *world)
{
	static const char source[] =
		"#define K(name, n) __kernel void name(__global int *out,"
		"	int x) { out[get_global_id(0)] = n + x; }\n"
		"K(zulu, 1)\nK(alpha, 2)\nK(mike, 3)\nK(bravo, 4)\nK(a, 5)\n";
	cl_program program = make_built(world, "P1", source, "");
	cl_kernel kernels[8] = {NULL};
	cl_uint count = 77, i;
	char name[8];
	cl_int code;

	code = clCreateKernelsInProgram(program, 0, NULL, &count);
	say("count: %d %u", code, count);
	code = clCreateKernelsInProgram(program, 2, kernels, &count);
	say("too few: %d %u %s", code, count, handle_name(kernels[0]));
	code = clCreateKernelsInProgram(program, 0, NULL, NULL);
	say("nothing: %d", code);
	count = 77;
	code = clCreateKernelsInProgram(program, 8, kernels, &count);
	say("all: %d %u", code, count);
	for (i = 0; i < 8 && kernels[i]; i++) {
		snprintf(name, sizeof(name), "K%u", i);
		name_handle(kernels[i], name);
		show_counts(world, program, kernels[i]);
		show_kernel(world, kernels[i]);
		show_run(world, kernels[i], 10);
	}
	show_program(world, program);
	for (i = 0; i < 8 && kernels[i]; i++)
		release_kernel(kernels[i]);
	show_counts(world, program, NULL);
	release_program(program);
}

static cl_program make_cut(const struct world *world, const char *name,
			   const char **strings, const size_t *lengths,
			   cl_uint count)
{
	cl_int code = 1;
	cl_program program = clCreateProgramWithSource(world->context, count,
						       strings, lengths, &code);

	name_handle(program, name);
	say("create %s: %d", handle_name(program), code);
	return program;
}

static void play_many_strings(struct world *world)
{
	static const char *strings[] = {
		"__kernel void cut(__global int *out, int x)\n",
		"{ out[get_global_id(0)] = VALUEgarbage that is cut off",
		" + x; }\n"};
	static const char *other[] = {
		"__kernel void cut(__global int *out, int x)\n{ ",
		"out[get_global_id(0)] = VALUE", " + x; }\n"};
	size_t lengths[] = {0, 31, 8};
	cl_program program = make_cut(world, "P1", strings, lengths, 3);
	cl_program twin = make_cut(world, "P2", other, NULL, 3);
	cl_kernel kernel;

	build(world, program, "-D VALUE=6");
	build(world, twin, "-D VALUE=6");
	show_program(world, program);
	show_program(world, twin);
	kernel = make_kernel(program, "cut", "K1");
	show_run(world, kernel, 7);
	release_kernel(kernel);
	kernel = make_kernel(twin, "cut", "K2");
	show_run(world, kernel, 8);
	release_kernel(kernel);
	release_program(program);
	release_program(twin);
}

static void play_options(struct world *world)
{
	static const char source[] =
		"#ifndef N\n#define N 1\n#endif\n"
		"__kernel void option(__global int *out, int x)\n"
		"{ out[get_global_id(0)] = N * x; }\n";
	static const char *const options[] = {
		NULL,
		"",
		" ",
		"-DN=2",
		"-D N=2",
		"  -DN=2   -cl-fast-relaxed-math ",
		"-cl-std=CL1.2 -DN=4 -w",
		"-cl-opt-disable -DN=7",
	};
	cl_program program;
	cl_kernel kernel;
	char name[8];
	size_t i;

	for (i = 0; i < LENGTH(options); i++) {
		snprintf(name, sizeof(name), "P%zu", i);
		program = make_built(world, name, source, options[i]);
		show_build(world, program);
		kernel = make_kernel(program, "option", "K");
		show_run(world, kernel, 5);
		release_kernel(kernel);
		release_program(program);
	}
}

/* The application's own binary programs stay its own. */
static void play_round_trip(struct world *world)
{
	cl_program program = make_built(world, "P1", two_kernels, ""), again;
	unsigned char *bytes;
	cl_int code, status = 77;
	cl_kernel kernel;
	size_t size = 0;

	code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
				&size, NULL);
	say("size: %d %s", code, size ? "some" : "none");
	bytes = calloc(1, size + 1);
	code = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes),
				&bytes, NULL);
	say("bytes: %d %s", code, size && bytes[0] ? "some" : "none");
	/* Aborts. */
	if (!world->rusticl)
		say("too small: %d",
		    clGetProgramInfo(program, CL_PROGRAM_BINARIES, 1, &bytes,
				     NULL));
	again = clCreateProgramWithBinary(world->context, 1, &world->device,
					  &size, (const unsigned char **)&bytes,
					  &status, &code);
	free(bytes);
	name_handle(again, "P2");
	say("from binary: %s %d %d", handle_name(again), code, status);
	build(world, again, "");
	/* Rusticl has a binary's kernels in another order each time. */
	if (!world->rusticl)
		show_program(world, again);
	kernel = make_kernel(again, "multiply", "K1");
	show_kernel(world, kernel);
	show_run(world, kernel, 11);
	release_kernel(kernel);
	build(world, program, "-DREBUILT");
	release_program(again);
	release_program(program);
}

static const struct scene scenes[] = {
	SCENE("two-kernels", play_two_kernels, 1, 0, 0),
	SCENE("unbuilt", play_unbuilt, 0, 0, 0),
	SCENE("wrong-names", play_wrong_names, 1, 0, 0),
	SCENE("warning", play_warning, 1, 0, 0),
	SCENE("argument-info", play_argument_info, 1, 0, 0),
	SCENE("no-argument-info", play_no_argument_info, 1, 0, 0),
	SCENE("attributes", play_attributes, 1, 0, 0),
	SCENE("kernel-order", play_kernel_order, 1, 0, 0),
	SCENE("many-strings", play_many_strings, 2, 0, 0),
	SCENE("options", play_options, 8, 0, 0),
	SCENE("round-trip", play_round_trip, 1, 1, 0, SEED(two_kernels, ""),
	      ON(UNLIKE("rusticl", 1, 0, 1))),
};

int main(int argc, char **argv)
{
	return scenes_main(argc, argv, scenes, LENGTH(scenes));
}
