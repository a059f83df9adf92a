/* SPDX-License-Identifier: MIT */
/*
 * Which macros a driver has by itself that hash/predefined.h doesn't know.
 *
 *	predefined [OPTIONS] <NAMES
 *
 * Reads identifiers, one a line, and asks the first device's compiler in
 *programs of some thousands each, by #warning. Prints each macro that isn't
 *known; then how many names there were and how many were macros. Exit status 0:
 *every program was compiled and run.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

#include "hash/predefined.h"

#define NAMES	  1000
#define NAME_MAX_ 64
#define TEXT_MAX  (NAMES * (2 * NAME_MAX_ + 48) + 128)

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static const char *options;
static char names[NAMES][NAME_MAX_];
static char text[TEXT_MAX];
static cl_int are_macros[NAMES];
static size_t asked, found;

static void must(cl_int error, const char *what)
{
	if (!error)
		return;
	printf("%s: %d\n", what, error);
	exit(1);
}

static void write_text(size_t count)
{
	char *at = text;

	at += sprintf(at, "__kernel void k(__global int *out)\n{\n");
	for (size_t i = 0; i < count; i++)
		at += sprintf(at, "#ifdef %s\nout[%zu] = 1;\n#endif\n",
			      names[i], i);
	sprintf(at, "}\n");
}

static void run(cl_program program)
{
	size_t one = 1;
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, "k", &error);
	cl_mem buffer;

	must(error, "clCreateKernel");
	memset(are_macros, 0, sizeof(are_macros));
	buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
				sizeof(are_macros), are_macros, &error);
	must(error, "clCreateBuffer");
	must(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer),
	     "clSetKernelArg");
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL,
				    NULL),
	     "clEnqueueNDRangeKernel");
	must(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(are_macros),
				 are_macros, 0, NULL, NULL),
	     "clEnqueueReadBuffer");
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
}

static void ask(size_t count)
{
	const char *source = text;
	cl_program program;
	cl_int error;

	write_text(count);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	must(error, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &device, options, NULL, NULL),
	     "clBuildProgram");
	run(program);
	clReleaseProgram(program);
	for (size_t i = 0; i < count; i++) {
		found += are_macros[i] == 1;
		if (are_macros[i] == 1 && !occ_predefined(names[i]))
			puts(names[i]);
	}
	asked += count;
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	size_t count = 0;
	cl_int error;

	options = argc > 1 ? argv[1] : "";
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	must(error, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &error);
	must(error, "clCreateCommandQueue");
	while (fgets(names[count], NAME_MAX_, stdin)) {
		names[count][strcspn(names[count], "\n")] = '\0';
		if (!*names[count] || ++count < NAMES)
			continue;
		ask(count);
		count = 0;
	}
	if (count)
		ask(count);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	printf("%zu names, %zu macros\n", asked, found);
	return 0;
}
