/* SPDX-License-Identifier: MIT */
/*
 * One process of a crowd (scripts/bench/crowd): opens a context, says "ready",
 * waits for a line on standard input, and then as many threads as it is told
 * build the same source, from the creation of the program to a kernel.
 *
 *	crowd THREADS DEVICE-TYPE FILE KERNEL [OPTIONS]
 *
 * Prints a line of JSON: when all were done (ns of the monotonic clock, which
 * is one for all processes), and how long the process computed since it was
 * ready, until the programs were released (ns).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

#include "scripts/bench/common.h"

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

static void *build(void *data)
{
	const char *text = source;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	(void)data;
	pthread_barrier_wait(&start);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	check(code, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, options, NULL, NULL),
	      "clBuildProgram");
	kernel = clCreateKernel(program, kernel_name, &code);
	check(code, "clCreateKernel");
	check(clReleaseKernel(kernel), "clReleaseKernel");
	check(clReleaseProgram(program), "clReleaseProgram");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	cl_device_type type;
	int64_t cpu;
	int count = argc > 4 ? atoi(argv[1]) : 0;

	if (count < 1 || count > THREADS_MAX)
		die("usage: crowd THREADS DEVICE-TYPE FILE KERNEL [OPTIONS]");
	source = read_file(argv[3]);
	kernel_name = argv[4];
	options = argc > 5 ? argv[5] : NULL;
	type = strcmp(argv[2], "gpu") == 0 ? CL_DEVICE_TYPE_GPU
					   : CL_DEVICE_TYPE_ALL;
	context = open_context(type, &device);
	pthread_barrier_init(&start, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, build, NULL))
			die("pthread_create");
	puts("ready");
	fflush(stdout);
	if (getchar() == EOF)
		die("nobody says when");
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_barrier_wait(&start);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("{\"done\":%" PRId64 ",\"cpu\":%" PRId64 "}\n",
	       now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	clReleaseContext(context);
	free(source);
	return 0;
}
