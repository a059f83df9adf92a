/* SPDX-License-Identifier: MIT */
/*
 * An application that shows what a source says of the place where it is: builds
 * it, runs its kernel "k", which gets 1024 chars, and prints these up to the
 * first NUL, then what the driver calls the types of all kernels' arguments.
 *
 *	places [-o OPTIONS] [-x COUNT] [-n] SOURCE_FILE
 *
 *	-x COUNT	builds so many other programs before
 *	-n		only builds and asks: the kernel isn't run
 *
 * Prints "build CODE", "text ...", "type KERNEL.ARGUMENT ...". The source is
 * read before anything is built. Exit status 0, also after a failed build.
 */
#include <unistd.h>

#include "tests/layer/common.h"

#define SIZE 1024

static cl_context context;
static cl_device_id device;
static bool dry;

static cl_program build(const char *text, const char *options)
{
	static char log[65536];
	cl_int code;
	cl_program program =
		clCreateProgramWithSource(context, 1, &text, NULL, &code);

	must(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (!code)
		return program;
	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			      sizeof(log), log, NULL);
	fputs(log, stderr);
	clReleaseProgram(program);
	return NULL;
}

static void run(cl_kernel kernel)
{
	char text[SIZE + 1] = "";
	cl_int code;
	cl_command_queue queue =
		clCreateCommandQueue(context, device, 0, &code);
	cl_mem buffer = clCreateBuffer(context,
				       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				       SIZE, text, &code);
	size_t one = 1;

	must(code, "clCreateBuffer");
	must(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer),
	     "clSetKernelArg");
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL,
				    NULL),
	     "clEnqueueNDRangeKernel");
	must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, text, 0, NULL,
				 NULL),
	     "clEnqueueReadBuffer");
	printf("text %s\n", text);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
}

static void show_types(cl_kernel kernel)
{
	char name[256] = "", type[1024];
	cl_uint count = 0;

	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name,
			NULL);
	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count,
			NULL);
	for (cl_uint i = 0; i < count; i++) {
		cl_int code =
			clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME,
					   sizeof(type), type, NULL);

		printf("type %s.%u %s\n", name, i, code ? "unknown" : type);
	}
}

static void show(cl_program program)
{
	cl_kernel kernels[16];
	cl_uint count = 0;
	char name[256];

	must(clCreateKernelsInProgram(program, 16, kernels, &count),
	     "clCreateKernelsInProgram");
	for (cl_uint i = 0; i < count; i++) {
		must(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME,
				     sizeof(name), name, NULL),
		     "clGetKernelInfo");
		if (!dry && !strcmp(name, "k"))
			run(kernels[i]);
		show_types(kernels[i]);
		clReleaseKernel(kernels[i]);
	}
}

static char *read_text(const char *path)
{
	static char text[65536];
	FILE *file = fopen(path, "r");

	if (!file || !fread(text, 1, sizeof(text) - 1, file))
		die("can't read %s", path);
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	const char *options = NULL, *text;
	cl_platform_id platform;
	cl_program program;
	int option, before = 0;
	cl_int code;

	while ((option = getopt(argc, argv, "o:x:n")) != -1) {
		if (option == 'o')
			options = optarg;
		else if (option == 'x')
			before = atoi(optarg);
		else
			dry = true;
	}
	text = read_text(argv[optind]);
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
	for (; before > 0; before--) {
		program = build("kernel void other(int i) {}", NULL);
		clReleaseProgram(program);
	}
	program = build(text, options);
	printf("build %s\n", program ? "done" : "failed");
	if (program) {
		show(program);
		clReleaseProgram(program);
	}
	clReleaseContext(context);
	return 0;
}
