/* SPDX-License-Identifier: MIT */
/*
 * What the first calls of a process cost, on the first device of the first
 * platform:
 *
 *	first [platform | device | context | build]	the last call that is
 *made
 *
 * Prints a line of JSON: of each call how many microseconds it took by the
 *clock, and the process's page faults meanwhile; and the resident memory in kB
 *before its end, all and what is the process's own (heap, stacks, relocated
 *tables). A second context, and builds of two more programs, show what the
 *first one took for being the first. It is an ordinary OpenCL program and knows
 *nothing of any cache.
 */
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "scripts/bench/common.h"

static struct {
	int64_t time;
	long faults;
} begun;

static cl_platform_id platform;
static cl_device_id device;

static long page_faults(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_minflt + used.ru_majflt;
}

static void begin(void)
{
	begun.faults = page_faults();
	begun.time = now_ns(CLOCK_MONOTONIC);
}

static void end(const char *what)
{
	int64_t time = now_ns(CLOCK_MONOTONIC);

	printf("\"%s\": %.2f, \"%s faults\": %ld, ", what,
	       (double)(time - begun.time) / 1e3, what,
	       page_faults() - begun.faults);
}

/* Of the lines that begin so, the sum. */
static long resident(const char *name)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	size_t length = strlen(name);
	char line[256];
	long sum = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length))
			sum += strtol(line + length, NULL, 10);
	if (file)
		fclose(file);
	return sum;
}

static cl_context make_context(const char *what)
{
	cl_context context;
	cl_int error;

	begin();
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	end(what);
	check(error, "clCreateContext");
	return context;
}

/* Programs that differ have different names in them. */
static void build(cl_context context, const char *what, const char *kernel)
{
	char source[256];
	const char *text = source;
	cl_program program;
	cl_int error;

	snprintf(source, sizeof(source),
		 "kernel void %s(global uint *out, uint x)\n"
		 "{\n"
		 "    out[get_global_id(0)] = x;\n"
		 "}\n",
		 kernel);
	begin();
	program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	error = clBuildProgram(program, 1, &device, "", NULL, NULL);
	end(what);
	check(error, "clBuildProgram");
	check(clReleaseProgram(program), "clReleaseProgram");
}

static void use_contexts(bool with_build)
{
	cl_context first = make_context("context");
	cl_context second = make_context("second context");

	if (with_build) {
		build(first, "build", "one");
		build(first, "second build", "two");
		build(first, "third build", "three");
	}
	check(clReleaseContext(second), "clReleaseContext");
	check(clReleaseContext(first), "clReleaseContext");
}

static void use_device(const char *last)
{
	cl_int error;

	begin();
	error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	end("device");
	check(error, "clGetDeviceIDs");
	if (strcmp(last, "device") != 0)
		use_contexts(!strcmp(last, "build"));
}

static bool is_call(const char *name)
{
	static const char *const names[] = {"platform", "device", "context",
					    "build"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const char *last = argc > 1 ? argv[1] : "context";
	cl_int error;

	if (argc > 2 || !is_call(last)) {
		fprintf(stderr,
			"usage: first [platform | device | context | build]\n");
		return 2;
	}
	/* Its buffer is there before anything is measured. */
	printf("{");
	begin();
	error = clGetPlatformIDs(1, &platform, NULL);
	end("platform");
	check(error, "clGetPlatformIDs");
	if (strcmp(last, "platform") != 0)
		use_device(last);
	printf("\"resident\": %ld, \"private\": %ld}\n", resident("Rss:"),
	       resident("Private_Dirty:"));
	return 0;
}
