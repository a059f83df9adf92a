/* SPDX-License-Identifier: MIT */
/*
 * What the test programs share: opening the one device that the script chose
 * through the loader's environment, and running a kernel.
 *
 * Kernels that run_kernel() can run take (__global int *out, int x).
 */
#ifndef TESTS_LAYER_COMMON_H
#define TESTS_LAYER_COMMON_H

/* Old calls must stay as they are for old programs. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Work-items of a run_kernel(), and ints that it reads back. */
#define RUN_ITEMS     16

struct world {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	int version; /* 120: OpenCL 1.2, of the device */
	bool pocl;
	bool intel;
	bool rusticl;
	bool oclgrind;
	bool stub;
	bool simulated; /* it compiles and loads, but computes nothing */
};

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(
	const char *format, ...)
{
	va_list list;

	fflush(stdout);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(2);
}

static inline void must(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		die("%s: %d", what, code);
}

static inline int device_version(cl_device_id device)
{
	char text[256] = "";
	int major = 0, minor = 0;

	clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(text), text, NULL);
	if (sscanf(text, "OpenCL %d.%d", &major, &minor) != 2)
		die("a device of no version: %s", text);
	return major * 100 + minor * 10;
}

/* Another queue for the world's context and device. */
static inline cl_command_queue make_queue(const struct world *world)
{
	cl_command_queue queue;
	cl_int code;

	if (world->version < 200)
		queue = clCreateCommandQueue(world->context, world->device, 0,
					     &code);
	else
		queue = clCreateCommandQueueWithProperties(world->context,
							   world->device, NULL,
							   &code);
	must(code, "clCreateCommandQueue");
	return queue;
}

static inline void world_open(struct world *world)
{
	char name[256] = "";
	cl_int code;

	memset(world, 0, sizeof(*world));
	must(clGetPlatformIDs(1, &world->platform, NULL), "clGetPlatformIDs");
	must(clGetPlatformInfo(world->platform, CL_PLATFORM_NAME, sizeof(name),
			       name, NULL),
	     "CL_PLATFORM_NAME");
	world->pocl = strstr(name, "Portable Computing") != NULL;
	world->intel = strstr(name, "Intel") != NULL;
	world->rusticl = strstr(name, "rusticl") != NULL;
	world->oclgrind = strstr(name, "Oclgrind") != NULL;
	world->simulated = world->intel && strstr(name, "Graphics") &&
			   getenv("SetCommandStreamReceiver");
	world->stub = getenv("STUB_AS") || strstr(name, "stub");
	must(clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 1,
			    &world->device, NULL),
	     "clGetDeviceIDs");
	world->version = device_version(world->device);
	world->context =
		clCreateContext(NULL, 1, &world->device, NULL, NULL, &code);
	must(code, "clCreateContext");
	world->queue = make_queue(world);
}

static inline void world_close(struct world *world)
{
	clReleaseCommandQueue(world->queue);
	clReleaseContext(world->context);
}

/*
 * Until nothing of what was enqueued is held any more. Rusticl's thread lets go
 * of the commands of one batch only when it begins the next: kernels would be
 * held for a while, or not.
 */
static inline cl_int quiet(const struct world *world)
{
	cl_int code = clFinish(world->queue);

	if (!world->rusticl || code != CL_SUCCESS)
		return code;
	code = clEnqueueMarkerWithWaitList(world->queue, 0, NULL, NULL);
	return code == CL_SUCCESS ? clFinish(world->queue) : code;
}

/*
 * Runs `kernel` with RUN_ITEMS work-items in groups of `local` (0: the driver
 * chooses) and reads `buffer` back to `out`. The first failure's code.
 */
static inline cl_int run_kernel_in(const struct world *world, cl_kernel kernel,
				   int x, size_t local, cl_mem buffer,
				   int out[RUN_ITEMS])
{
	size_t items = RUN_ITEMS;
	cl_int code = clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);

	if (code == CL_SUCCESS)
		code = clSetKernelArg(kernel, 1, sizeof(x), &x);
	if (code == CL_SUCCESS)
		code = clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL,
					      &items, local ? &local : NULL, 0,
					      NULL, NULL);
	if (code == CL_SUCCESS)
		code = clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0,
					   RUN_ITEMS * sizeof(int), out, 0,
					   NULL, NULL);
	if (code == CL_SUCCESS)
		code = quiet(world);
	return code;
}

/* The same in a buffer of its own, zeros at first. */
static inline cl_int run_kernel(const struct world *world, cl_kernel kernel,
				int x, size_t local, int out[RUN_ITEMS])
{
	cl_int code;
	cl_mem buffer;

	memset(out, 0, RUN_ITEMS * sizeof(int));
	buffer = clCreateBuffer(world->context,
				CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				RUN_ITEMS * sizeof(int), out, &code);
	if (code == CL_SUCCESS)
		code = run_kernel_in(world, kernel, x, local, buffer, out);
	if (buffer)
		clReleaseMemObject(buffer);
	return code;
}

/* CL_BUILD_SUCCESS, CL_BUILD_ERROR ..., or a failure's code. */
static inline cl_int build_status(const struct world *world, cl_program program)
{
	cl_build_status status = CL_BUILD_NONE;
	cl_int code = clGetProgramBuildInfo(program, world->device,
					    CL_PROGRAM_BUILD_STATUS,
					    sizeof(status), &status, NULL);

	return code == CL_SUCCESS ? status : code;
}

/* A whole file, NUL-terminated; its size without the NUL in *ret_size. */
static inline char *read_whole_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0, got;

	if (!file)
		die("%s: can't be opened", path);
	do {
		text = realloc(text, size + 4097);
		if (!text)
			die("out of memory");
		got = fread(text + size, 1, 4096, file);
		size += got;
	} while (got > 0);
	fclose(file);
	text[size] = '\0';
	if (ret_size)
		*ret_size = size;
	return text;
}

#endif
