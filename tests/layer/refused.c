/* SPDX-License-Identifier: MIT */
/*
 * What an application sees with OCLCACHE_MODE=require: builds that are refused,
 * and one program's way from there and back.
 *
 *	refused COMMAND SOURCE		COMMAND puts entries into the store, for
 *					SOURCE without options
 *
 * Prints a line for each answer.
 */
#include "tests/layer/common.h"

static struct world world;
static int calls;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program;
	(void)data;
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

static void build(const char *what, cl_program program, const char *options)
{
	cl_int code =
		clBuildProgram(program, 1, &world.device, options, NULL, NULL);

	printf("%s: %d, status %d\n", what, code,
	       build_status(&world, program));
}

/* With a log that is too long by one, and for no device. */
static void show_log(cl_program program)
{
	char log[1024] = "";
	size_t size = 0;

	printf("log: %d\n", clGetProgramBuildInfo(program, world.device,
						  CL_PROGRAM_BUILD_LOG,
						  sizeof(log), log, &size));
	printf("%s%s", log, strlen(log) + 1 == size ? "" : "of another size\n");
	printf("too short: %d\n", clGetProgramBuildInfo(program, world.device,
							CL_PROGRAM_BUILD_LOG,
							size - 1, log, NULL));
	printf("no device: %d\n",
	       clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_LOG,
				     sizeof(log), log, NULL));
}

static cl_kernel make_kernel(cl_program program)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "k", &code);

	printf("kernel: %d\n", code);
	return kernel;
}

static void refuse(cl_program program)
{
	cl_program linked;
	cl_int code;

	code = clBuildProgram(program, 1, &world.device, NULL, on_built, NULL);
	printf("refused: %d, status %d, called back %d\n", code,
	       build_status(&world, program),
	       __atomic_load_n(&calls, __ATOMIC_RELAXED));
	make_kernel(program);
	show_log(program);
	printf("compile: %d\n",
	       clCompileProgram(program, 1, &world.device, NULL, 0, NULL, NULL,
				NULL, NULL));
	linked = clLinkProgram(world.context, 1, &world.device, NULL, 1,
			       &program, NULL, NULL, &code);
	printf("link: %d, %s\n", code, linked ? "a program" : "none");
}

int main(int argc, char **argv)
{
	const char *source = argc == 3 ? argv[2] : "";
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	if (argc != 3)
		die("usage: refused COMMAND SOURCE");
	world_open(&world);
	program = clCreateProgramWithSource(world.context, 1, &source, NULL,
					    &code);
	must(code, "clCreateProgramWithSource");
	refuse(program);
	if (system(argv[1]) != 0)
		die("%s failed", argv[1]);
	build("found", program, NULL);
	kernel = make_kernel(program);
	build("other options, with a kernel", program, "-DX");
	build("the same, with a kernel", program, NULL);
	clReleaseKernel(kernel);
	build("the same", program, NULL);
	build("other options", program, "-DX");
	clReleaseProgram(program);
	world_close(&world);
	return 0;
}
