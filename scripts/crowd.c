/* SPDX-License-Identifier: MIT */
/*
 * One process of a crowd (scripts/bench-crowd): opens a context, says "ready",
 * waits for a line on standard input, and then as many threads as it is told
 * build the same source, from the creation of the program to a kernel.
 *
 *	crowd THREADS DEVICE-TYPE FILE KERNEL [OPTIONS]
 *
 * Prints a line of JSON: when all were done (ns of the monotonic clock, which
 *is one for all processes), and how long the process computed since it was
 *ready, until the programs were released (ns).
 */
#include <CL/cl.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 64

static cl_context context;
static cl_device_id device;
static char *source;
static const char *options, *kernel_name;
static pthread_barrier_t start;

__attribute__((noreturn, format(printf, 1, 2))) static void die(
	const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

static void must(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		die("%s: %d", what, code);
}

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0)
		die("%s can't be read", path);
	fclose(file);
	return text;
}

static void open_context(const char *type)
{
	cl_device_type wanted = strcmp(type, "gpu") == 0 ? CL_DEVICE_TYPE_GPU
							 : CL_DEVICE_TYPE_ALL;
	cl_platform_id platform;
	cl_int code;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, wanted, 1, &device, NULL),
	     "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
}

static void *build(void *data)
{
	const char *text = source;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	(void)data;
	pthread_barrier_wait(&start);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	must(code, "clCreateProgramWithSource");
	must(clBuildProgram(program, 1, &device, options, NULL, NULL),
	     "clBuildProgram");
	kernel = clCreateKernel(program, kernel_name, &code);
	must(code, "clCreateKernel");
	must(clReleaseKernel(kernel), "clReleaseKernel");
	must(clReleaseProgram(program), "clReleaseProgram");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long long cpu;
	int count = argc > 4 ? atoi(argv[1]) : 0;

	if (count < 1 || count > THREADS_MAX)
		die("usage: crowd THREADS DEVICE-TYPE FILE KERNEL [OPTIONS]");
	source = read_file(argv[3]);
	kernel_name = argv[4];
	options = argc > 5 ? argv[5] : NULL;
	open_context(argv[2]);
	pthread_barrier_init(&start, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, build, NULL))
			die("pthread_create");
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		die("nobody says when");
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&start);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("{\"done\":%lld,\"cpu\":%lld}\n", now(CLOCK_MONOTONIC),
	       now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	clReleaseContext(context);
	free(source);
	return 0;
}
