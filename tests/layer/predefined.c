/* SPDX-License-Identifier: MIT */
/*
 * Which macros a driver has by itself that hash/predefined.h doesn't know.
 *
 *	predefined [OPTIONS] <NAMES
 *
 * Reads identifiers, one a line, and asks the first device's compiler in
 * programs of a thousand each. Prints each macro that isn't known; then how
 *many names there were and how many were macros. Exit status 0: every program
 *was compiled.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

#include "hash/predefined.h"

#define NAMES	  1000
#define NAME_MAX_ 64
#define TEXT_MAX  (NAMES * (NAME_MAX_ + 96) + 128)

static cl_context context;
static cl_device_id device;
static const char *options;
static char names[NAMES][NAME_MAX_];
static char text[TEXT_MAX];
static bool are_macros[NAMES];
static size_t asked, found;

static void must(cl_int error, const char *what)
{
	if (!error)
		return;
	printf("%s: %d\n", what, error);
	exit(1);
}

/* A kernel for each that is a macro: nothing needs to be run. */
static void write_text(size_t count)
{
	char *at = text;

	at += sprintf(at, "__kernel void k(__global int *out) { *out = 1; }\n");
	for (size_t i = 0; i < count; i++)
		at += sprintf(at,
			      "#ifdef %s\n"
			      "__kernel void m%zu(__global int *out)"
			      " { *out = 1; }\n#endif\n",
			      names[i], i);
}

static void read_answer(cl_program program)
{
	char *answer, *at;
	size_t size;

	must(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size),
	     "CL_PROGRAM_KERNEL_NAMES");
	answer = malloc(size + 1);
	if (!answer)
		exit(1);
	must(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, answer,
			      NULL),
	     "CL_PROGRAM_KERNEL_NAMES");
	answer[size] = '\0';
	memset(are_macros, 0, sizeof(are_macros));
	for (at = strtok(answer, ";"); at; at = strtok(NULL, ";"))
		if (*at == 'm')
			are_macros[strtoul(at + 1, NULL, 10) % NAMES] = true;
	free(answer);
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
	read_answer(program);
	clReleaseProgram(program);
	for (size_t i = 0; i < count; i++) {
		found += are_macros[i];
		if (are_macros[i] && !occ_predefined(names[i]))
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
	while (fgets(names[count], NAME_MAX_, stdin)) {
		names[count][strcspn(names[count], "\n")] = '\0';
		if (!*names[count] || ++count < NAMES)
			continue;
		ask(count);
		count = 0;
	}
	if (count)
		ask(count);
	clReleaseContext(context);
	printf("%zu names, %zu macros\n", asked, found);
	return 0;
}
