/* SPDX-License-Identifier: MIT */
/*
 * A program that builds one program after the other and launches nothing. It is
 * an ordinary OpenCL program and knows nothing of any cache:
 *
 *	builds [OPTION]... LIST
 *	--platform TEXT	part of the platform's name (the first), its first
 *			device
 *	--link		compiles and links, as hashcat does, in place of
 *			clBuildProgram
 *
 * A line of LIST is a program: the source's file and the options, with a tab
 * between. All of its kernels are made.
 *
 * Prints a line of JSON for each: "source"; "error", 0 where it was built; how
 * many "kernels" it has; "ms"; and "peak_kb", the most memory that the process
 * has had so far. Its exit status is 0, also where some don't build.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "scripts/bench/common.h"

#define MAX_KERNELS 1024

static const char *platform_name = "";
static bool links;
static cl_device_id device;
static cl_context context;

static long peak_kb(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6)) {
			kb = strtol(line + 6, NULL, 10);
			break;
		}
	if (file)
		fclose(file);
	return kb;
}

/* *program becomes the linked one. */
static cl_int compile_and_link(cl_program *program, const char *options)
{
	cl_program object = *program;
	cl_int error = clCompileProgram(object, 1, &device, options, 0, NULL,
					NULL, NULL, NULL);

	if (error)
		return error;
	*program = clLinkProgram(context, 1, &device, NULL, 1, &object, NULL,
				 NULL, &error);
	clReleaseProgram(object);
	return error;
}

static cl_int make_kernels(cl_program program, cl_uint *ret_count)
{
	static cl_kernel kernels[MAX_KERNELS];
	cl_int error = clCreateKernelsInProgram(program, MAX_KERNELS, kernels,
						ret_count);

	for (cl_uint i = 0; !error && i < *ret_count; i++)
		clReleaseKernel(kernels[i]);
	return error;
}

static void build(const char *path, const char *options)
{
	size_t size;
	char *text = read_whole(path, &size);
	const char *string = text;
	int64_t start = now_ns(CLOCK_MONOTONIC);
	cl_uint kernels = 0;
	cl_int error;
	cl_program program =
		clCreateProgramWithSource(context, 1, &string, &size, &error);

	check(error, "clCreateProgramWithSource");
	error = links ? compile_and_link(&program, options)
		      : clBuildProgram(program, 1, &device, options, NULL,
				       NULL);
	if (!error)
		error = make_kernels(program, &kernels);
	printf("{\"source\": \"%s\", \"error\": %d, \"kernels\": %u, \"ms\": "
	       "%.3f, \"peak_kb\": %ld}\n",
	       path, error, kernels,
	       (double)(now_ns(CLOCK_MONOTONIC) - start) / 1e6, peak_kb());
	fflush(stdout);
	if (program)
		clReleaseProgram(program);
	free(text);
}

static void build_all(char *list)
{
	char *line;

	while ((line = strsep(&list, "\n"))) {
		char *path = strsep(&line, "\t");

		if (*path)
			build(path, line ? line : "");
	}
}

static const char *parse(int argc, char **argv)
{
	static const struct option options[] = {
		{"platform", required_argument, NULL, 'p'},
		{"link", no_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (option == 'p')
			platform_name = optarg;
		else if (option == 'l')
			links = true;
		else
			exit(2);
	if (optind + 1 != argc)
		exit(2);
	return argv[optind];
}

int main(int argc, char **argv)
{
	const char *list = parse(argc, argv);
	cl_int error;
	size_t size;

	device = find_device(platform_name);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	build_all(read_whole(list, &size));
	clReleaseContext(context);
	return 0;
}
