/* SPDX-License-Identifier: MIT */
/*
 * An application for OpenCL 1.0: calls nothing newer, but for a function that
 * it fetches by name. Writes down what it sees.
 */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "tests/layer/common.h"
#include "tests/layer/il.h"

typedef cl_program (*create_function)(cl_context context, const void *il,
				      size_t size, cl_int *ret_code);

static const char source[] = "__attribute__((reqd_work_group_size(4, 1, 1)))\n"
			     "__kernel void scale(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = N * x; }\n"
			     "__kernel void other(__global int *out, int x)\n"
			     "{ out[get_global_id(0)] = x; }\n"
			     "#warning this is a warning\n";

static int calls;

static void CL_CALLBACK on_built(cl_program program, void *data)
{
	(void)program;
	(void)data;
	calls++;
}

static void open_old(struct world *world)
{
	cl_int code;

	memset(world, 0, sizeof(*world));
	must(clGetPlatformIDs(1, &world->platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 1,
			    &world->device, NULL),
	     "clGetDeviceIDs");
	world->context =
		clCreateContext(NULL, 1, &world->device, NULL, NULL, &code);
	must(code, "clCreateContext");
	world->queue =
		clCreateCommandQueue(world->context, world->device, 0, &code);
	must(code, "clCreateCommandQueue");
}

static void show_text(const struct world *world, cl_program program,
		      const char *what, cl_program_build_info name)
{
	char text[512] = "";
	size_t size = 77;
	cl_int code;

	code = clGetProgramBuildInfo(program, world->device, name, sizeof(text),
				     text, &size);
	printf("%s: %d %zu \"%s\"\n", what, code, size, text);
}

static void show_program(const struct world *world, cl_program program)
{
	cl_uint references = 0;
	size_t size = 77;
	cl_int code;

	printf("status %d\n", build_status(world, program));
	show_text(world, program, "options", CL_PROGRAM_BUILD_OPTIONS);
	show_text(world, program, "log", CL_PROGRAM_BUILD_LOG);
	code = clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
				sizeof(references), &references, NULL);
	printf("references: %d %u\n", code, references);
	code = clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size);
	printf("source: %d %zu\n", code, size);
	/* Of OpenCL 1.2 and 2.1. */
	code = clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, 0, NULL,
				&size);
	printf("number of kernels: %d\n", code);
	code = clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size);
	printf("IL: %d %zu\n", code, code ? 0 : size);
}

static void show_kernel(const struct world *world, cl_program program,
			const char *name)
{
	cl_int code = 1, out[RUN_ITEMS] = {0};
	cl_kernel kernel = clCreateKernel(program, name, &code);
	cl_program owner = NULL;
	size_t group[3] = {7, 7, 7};

	printf("kernel %s: %d\n", name, code);
	if (!kernel)
		return;
	code = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(owner), &owner,
			       NULL);
	printf("owner: %d %s\n", code, owner == program ? "right" : "wrong");
	code = clGetKernelWorkGroupInfo(kernel, world->device,
					CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
					sizeof(group), group, NULL);
	printf("group: %d %zu\n", code, group[0]);
	code = run_kernel(world, kernel, 5, 4, out);
	printf("run: %d, %d %d\n", code, out[0], out[RUN_ITEMS - 1]);
	clReleaseKernel(kernel);
}

static void play_source(const struct world *world, const char *options)
{
	const char *text = source;
	cl_kernel kernels[2] = {NULL, NULL};
	cl_program program;
	cl_uint count = 77;
	cl_int code;

	program = clCreateProgramWithSource(world->context, 1, &text, NULL,
					    &code);
	printf("create: %d\n", code);
	calls = 0;
	code = clBuildProgram(program, 1, &world->device, options, on_built,
			      NULL);
	printf("build with %s: %d, %d calls\n", options, code, calls);
	show_program(world, program);
	show_kernel(world, program, "scale");
	show_kernel(world, program, "other");
	code = clCreateKernelsInProgram(program, 2, kernels, &count);
	printf("kernels: %d %u\n", code, count);
	code = clBuildProgram(program, 0, NULL, "-DN=9", NULL, NULL);
	printf("build with kernels attached: %d\n", code);
	clReleaseProgram(program);
	for (int i = 0; i < 2 && kernels[i]; i++)
		clReleaseKernel(kernels[i]);
}

/* By the call that the platform has: of OpenCL 1.2, or of 1.0. */
static create_function find_create(const struct world *world)
{
	static const char name[] = "clCreateProgramWithILKHR";
	char version[64] = "";

	clGetPlatformInfo(world->platform, CL_PLATFORM_VERSION, sizeof(version),
			  version, NULL);
	if (strcmp(version, "OpenCL 1.2") < 0)
		return (create_function)clGetExtensionFunctionAddress(name);
	return (create_function)
		clGetExtensionFunctionAddressForPlatform(world->platform, name);
}

static void play_il(const struct world *world)
{
	create_function create = find_create(world);
	cl_program program;
	cl_int code = 1;

	printf("clCreateProgramWithILKHR: %s\n", create ? "there" : "none");
	if (!create)
		return;
	program = create(world->context, il_words, sizeof(il_words), &code);
	printf("create: %d\n", code);
	if (!program)
		return;
	code = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
	printf("build: %d\n", code);
	show_program(world, program);
	show_kernel(world, program, "plain");
	clReleaseProgram(program);
}

int main(void)
{
	struct world world;

	open_old(&world);
	play_source(&world, "-DN=2");
	play_source(&world, "-DN=3");
	play_source(&world, "-no-such-option");
	play_il(&world);
	clUnloadCompiler();
	play_source(&world, "-DN=4");
	world_close(&world);
	printf("end\n");
	return 0;
}
