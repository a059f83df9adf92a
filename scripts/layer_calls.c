/* SPDX-License-Identifier: MIT */
/*
 * What the layer costs where it has nothing to do: memory, and time of calls.
 *
 *	layer_calls [OPTIONS]	run with and without OPENCL_LAYERS, compare
 *
 * Prints a line of JSON: KiB of the process's own memory (Private and Pss of
 * smaps_rollup) after clGetPlatformIDs; then, of a small program built with
 * OPTIONS on the first device, ns per call of clCreateKernel with
 * clReleaseKernel, clGetKernelInfo, clGetProgramInfo, clSetKernelArg and
 * clEnqueueNDRangeKernel: medians of batches.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCHES	 31
#define CALLS	 2000
#define LAUNCHES 50

static const char source[] = "kernel void k(global uint *out, uint x)\n"
			     "{ out[get_global_id(0)] = x; }\n";

struct run {
	cl_program program;
	cl_kernel kernel;
	cl_command_queue queue;
};

static void check(cl_int error, const char *what)
{
	if (error) {
		fprintf(stderr, "layer_calls: %s: %d\n", what, error);
		exit(1);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void print_memory(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long private = 0, pss = 0, value;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Private_Clean: %lu", &value) == 1 ||
		    sscanf(line, "Private_Dirty: %lu", &value) == 1)
		private += value;
		if (sscanf(line, "Pss: %lu", &value) == 1)
			pss = value;
	}
	if (file)
		fclose(file);
	printf("{\"private_kib\": %lu, \"pss_kib\": %lu", private, pss);
}

static void create(const struct run *run)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(run->program, "k", &error);

	check(error, "clCreateKernel");
	clReleaseKernel(kernel);
}

static void query_kernel(const struct run *run)
{
	cl_uint count;

	clGetKernelInfo(run->kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count,
			NULL);
}

static void query_program(const struct run *run)
{
	size_t count;

	clGetProgramInfo(run->program, CL_PROGRAM_NUM_KERNELS, sizeof(count),
			 &count, NULL);
}

static void set_argument(const struct run *run)
{
	cl_uint value = 1;

	clSetKernelArg(run->kernel, 1, sizeof(value), &value);
}

static void launch(const struct run *run)
{
	const size_t size = 1;

	clEnqueueNDRangeKernel(run->queue, run->kernel, 1, NULL, &size, NULL, 0,
			       NULL, NULL);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const struct run *run, const char *name,
		    void (*call)(const struct run *run), int calls)
{
	double times[BATCHES];

	for (int i = 0; i < BATCHES; i++) {
		double start = now();

		for (int j = 0; j < calls; j++)
			call(run);
		times[i] = (now() - start) / calls;
		clFinish(run->queue);
	}
	qsort(times, BATCHES, sizeof(*times), compare);
	printf(", \"%s_ns\": %.0f", name, times[BATCHES / 2]);
}

int main(int argc, char **argv)
{
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_mem buffer;
	struct run run;
	cl_int error;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	print_memory();
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	run.queue = clCreateCommandQueue(context, device, 0, &error);
	check(error, "clCreateCommandQueue");
	run.program =
		clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(run.program, 1, &device, argc > 1 ? argv[1] : "",
			     NULL, NULL),
	      "clBuildProgram");
	run.kernel = clCreateKernel(run.program, "k", &error);
	check(error, "clCreateKernel");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &error);
	check(error, "clCreateBuffer");
	check(clSetKernelArg(run.kernel, 0, sizeof(buffer),
			     (const void *)&buffer),
	      "clSetKernelArg");
	set_argument(&run);
	launch(&run);
	clFinish(run.queue);
	measure(&run, "clCreateKernel", create, CALLS);
	measure(&run, "clGetKernelInfo", query_kernel, CALLS);
	measure(&run, "clGetProgramInfo", query_program, CALLS);
	measure(&run, "clSetKernelArg", set_argument, CALLS);
	measure(&run, "clEnqueueNDRangeKernel", launch, LAUNCHES);
	printf("}\n");
	clReleaseKernel(run.kernel);
	clReleaseMemObject(buffer);
	clReleaseProgram(run.program);
	clReleaseCommandQueue(run.queue);
	clReleaseContext(context);
	return 0;
}
