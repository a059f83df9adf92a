/* SPDX-License-Identifier: MIT */
/*
 * What tests/layer/74-record has recorded: recording DEED [NUMBER]
 *
 *	strings		builds a source of three strings, of which one is longer
 *			than it is said to be
 *	kernels		builds two programs; of one creates the kernel "a" twice
 *			and "c", of the other all at once
 *	asks		asks the device, builds, asks more, and builds another
 *	binary		links a program that it got as a binary
 *	links		links a link, and compiles with NULL and with ""
 *	fork		builds, forks, and each process builds another
 *	many NUMBER	builds so many, and prints a line after each
 *	same NUMBER	builds the same so often
 *	_exit, abort	builds, and ends so
 *
 * Prints what builds answered.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/layer/common.h"

static struct world world;

static cl_program make(const char *text)
{
	cl_int code;
	cl_program program =
		clCreateProgramWithSource(world.context, 1, &text, NULL, &code);

	must(code, "clCreateProgramWithSource");
	return program;
}

static cl_program build(const char *text)
{
	cl_program program = make(text);
	cl_int code =
		clBuildProgram(program, 1, &world.device, NULL, NULL, NULL);

	printf("build %d\n", code);
	return program;
}

static cl_program build_number(int number)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "__kernel void k(__global int *out, int x)\n"
		 "{ out[get_global_id(0)] = x + %d; }\n",
		 number);
	return build(text);
}

static void build_strings(void)
{
	const char *strings[] = {"__kernel void k(__global int *out, int x)\n",
				 "{ out[get_global_id(0)] = x; }}}}",
				 "// the end\n"};
	const size_t lengths[] = {0, 30, 0};
	cl_program program;
	cl_int code;

	program = clCreateProgramWithSource(world.context, 3, strings, lengths,
					    &code);
	must(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &world.device, NULL, NULL, NULL);
	printf("build %d\n", code);
	clReleaseProgram(program);
}

static void create_kernels(void)
{
	static const char three[] =
		"__kernel void a(__global int *out) { out[0] = 1; }\n"
		"__kernel void b(__global int *out) { out[0] = 2; }\n"
		"__kernel void c(__global int *out) { out[0] = 3; }\n";
	static const char two[] =
		"__kernel void d(__global int *out) { out[0] = 1; }\n"
		"__kernel void e(__global int *out) { out[0] = 2; }\n";
	static const char *const names[] = {"a", "a", "c"};
	cl_program program = build(three);
	cl_kernel kernels[8];
	cl_uint count = 0;

	for (size_t i = 0; i < LENGTH(names); i++)
		clReleaseKernel(clCreateKernel(program, names[i], NULL));
	clReleaseProgram(program);
	program = build(two);
	must(clCreateKernelsInProgram(program, LENGTH(kernels), kernels,
				      &count),
	     "clCreateKernelsInProgram");
	for (cl_uint i = 0; i < count; i++)
		clReleaseKernel(kernels[i]);
	clReleaseProgram(program);
}

static void ask(cl_device_info parameter)
{
	char answer[4096];
	size_t size = 0;

	clGetDeviceInfo(world.device, parameter, sizeof(answer), answer, &size);
}

static void ask_device(void)
{
	size_t size = 0;
	cl_platform_id platform;

	ask(CL_DEVICE_NAME);
	ask(CL_DEVICE_NAME);
	/* It hasn't got these, or means nothing to others. */
	clGetDeviceInfo(world.device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
	clGetDeviceInfo(world.device, CL_DEVICE_VENDOR, 1, &size, NULL);
	clGetDeviceInfo(world.device, CL_DEVICE_PLATFORM, sizeof(platform),
			&platform, NULL);
	clReleaseProgram(build_number(1));
	ask(CL_DEVICE_MAX_COMPUTE_UNITS);
	clReleaseProgram(build_number(2));
}

static void link_binary(void)
{
	cl_program program = make("int f(int x) { return x + 1; }\n"), copy;
	unsigned char *bytes;
	size_t size = 0;
	cl_int code, status;

	must(clCompileProgram(program, 1, &world.device, NULL, 0, NULL, NULL,
			      NULL, NULL),
	     "clCompileProgram");
	clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size,
			 NULL);
	bytes = malloc(size + 1);
	clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes,
			 NULL);
	clReleaseProgram(program);
	copy = clCreateProgramWithBinary(world.context, 1, &world.device, &size,
					 (const unsigned char **)&bytes,
					 &status, &code);
	must(code, "clCreateProgramWithBinary");
	program = clLinkProgram(world.context, 1, &world.device,
				"-create-library", 1, &copy, NULL, NULL, &code);
	printf("link %d\n", code);
	if (program)
		clReleaseProgram(program);
	clReleaseProgram(copy);
	free(bytes);
}

static cl_program compile(const char *text, const char *options)
{
	cl_program program = make(text);
	cl_int code = clCompileProgram(program, 1, &world.device, options, 0,
				       NULL, NULL, NULL, NULL);

	printf("compile %d\n", code);
	return program;
}

static cl_program link_programs(cl_uint count, const cl_program *programs,
				const char *options)
{
	cl_int code;
	cl_program program =
		clLinkProgram(world.context, 1, &world.device, options, count,
			      programs, NULL, NULL, &code);

	printf("link %d\n", code);
	return program;
}

static void link_links(void)
{
	cl_program programs[2], library, linked;

	programs[0] = compile("int f(int x) { return x + 1; }\n", NULL);
	library = link_programs(1, programs, "-create-library");
	clReleaseProgram(programs[0]);
	programs[0] = library;
	programs[1] = compile("int f(int x);\n"
			      "__kernel void k(__global int *out, int x)\n"
			      "{ out[get_global_id(0)] = f(x); }\n",
			      "");
	linked = link_programs(2, programs, NULL);
	clReleaseProgram(programs[0]);
	clReleaseProgram(programs[1]);
	if (linked)
		clReleaseProgram(linked);
}

static void build_forked(void)
{
	pid_t child;

	clReleaseProgram(build_number(1));
	fflush(stdout);
	child = fork();
	if (child == 0) {
		clReleaseProgram(build_number(2));
		exit(0);
	}
	clReleaseProgram(build_number(3));
	waitpid(child, NULL, 0);
}

static void build_many(int count, bool same)
{
	for (int i = 0; i < count; i++) {
		clReleaseProgram(build_number(same ? 0 : i));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *deed = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 1;

	world_open(&world);
	if (!strcmp(deed, "strings")) {
		build_strings();
	} else if (!strcmp(deed, "kernels")) {
		create_kernels();
	} else if (!strcmp(deed, "asks")) {
		ask_device();
	} else if (!strcmp(deed, "binary")) {
		link_binary();
	} else if (!strcmp(deed, "links")) {
		link_links();
	} else if (!strcmp(deed, "fork")) {
		build_forked();
	} else if (!strcmp(deed, "many") || !strcmp(deed, "same")) {
		build_many(number, !strcmp(deed, "same"));
	} else if (!strcmp(deed, "_exit") || !strcmp(deed, "abort")) {
		build_number(1);
		fflush(stdout);
		if (!strcmp(deed, "abort"))
			abort();
		_exit(0);
	} else {
		die("%s: no such deed", deed);
	}
	world_close(&world);
	return 0;
}
