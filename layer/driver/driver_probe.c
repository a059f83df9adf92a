/* SPDX-License-Identifier: MIT */
#include "layer/driver/driver_probe.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/cost.h"
#include "cache/file.h"
#include "layer/base/dispatch.h"
#include "layer/driver/device.h"
#include "layer/base/log.h"

/* How often a count must come out the same. */
#define ROUNDS		 3

/* So many kernels are compared: drivers exist that compile them one by one. */
#define KERNELS_COMPARED 4

static bool context_count(cl_context context, cl_uint *ret_count)
{
	return !occ_target.clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT,
					    sizeof(*ret_count), ret_count,
					    NULL);
}

static bool program_count(cl_program program, cl_uint *ret_count)
{
	return !occ_target.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
					    sizeof(*ret_count), ret_count,
					    NULL);
}

/* Counts before, with and after an object: does it count? */
static bool conclude(const cl_uint counts[3], bool *ret_counts)
{
	*ret_counts = counts[1] != counts[0];
	return counts[2] == counts[0] && counts[1] - counts[0] <= 1;
}

/* Cuts the first name off "a;b;c". */
static char *next_name(char **names)
{
	char *name = *names;

	*names += strcspn(name, ";");
	if (**names)
		*(*names)++ = '\0';
	return *name ? name : NULL;
}

/*
 * Another one each time: a driver with a cache of its own that has it would not
 * load what it compiles with.
 */
static cl_program create_source(cl_context context)
{
	/* Loops and a barrier, so that there is something to compile. */
	static const char format[] =
		"__kernel void occ_driver_probe(__global int *out, "
		"__local int *sums)\n"
		"{\n"
		"	int sum = 0;\n"
		"	for (int i = 0; i < 100; i++)\n"
		"		sum += out[i] * i;\n"
		"	sums[get_local_id(0)] = sum;\n"
		"	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	out[get_global_id(0)] = sums[0] ^ %d;\n"
		"}\n";
	char text[sizeof(format) + 16];
	const char *string = text;

	snprintf(text, sizeof(text), format,
		 (int)(occ_file_unique() & INT_MAX));
	return occ_target.clCreateProgramWithSource(context, 1, &string, NULL,
						    NULL);
}

/* One round: a program that isn't compiled comes and goes. */
static bool try_program(cl_context context, bool *ret_counts)
{
	cl_uint counts[3];
	cl_program program;
	bool answered = context_count(context, &counts[0]);

	program = create_source(context);
	if (!program)
		return false;
	answered &= context_count(context, &counts[1]);
	occ_target.clReleaseProgram(program);
	answered &= context_count(context, &counts[2]);
	return answered && conclude(counts, ret_counts);
}

/* One round: a kernel of the program comes and goes. */
static bool try_kernel(cl_program program, const char *name, bool *ret_counts)
{
	cl_uint counts[3];
	cl_kernel kernel;
	bool answered = program_count(program, &counts[0]);

	kernel = occ_target.clCreateKernel(program, name, NULL);
	if (!kernel)
		return false;
	answered &= program_count(program, &counts[1]);
	occ_target.clReleaseKernel(kernel);
	answered &= program_count(program, &counts[2]);
	return answered && conclude(counts, ret_counts);
}

/* Every round must say the same. */
static bool count_programs(cl_context context, bool *ret_counts)
{
	bool counts, clear = try_program(context, ret_counts);

	for (int i = 1; i < ROUNDS && clear; i++)
		clear = try_program(context, &counts) && counts == *ret_counts;
	return clear;
}

static bool count_kernels(cl_program program, bool *ret_counts)
{
	size_t size;
	char *names = occ_kernel_names(program, &size), *rest = names;
	const char *name = names ? next_name(&rest) : NULL;
	bool counts, clear = name && try_kernel(program, name, ret_counts);

	for (int i = 1; i < ROUNDS && clear; i++)
		clear = try_kernel(program, name, &counts) &&
			counts == *ret_counts;
	free(names);
	return clear;
}

static size_t binary_size(const struct occ_driver_probe *probe)
{
	size_t size = 0;

	if (occ_target.clGetProgramInfo(probe->program, CL_PROGRAM_BINARY_SIZES,
					sizeof(size), &size, NULL))
		return 0;
	return size;
}

static void fetch(struct occ_driver_probe *probe)
{
	free(probe->binary);
	probe->size = binary_size(probe);
	probe->binary = probe->size ? malloc(probe->size) : NULL;
	if (probe->binary &&
	    occ_target.clGetProgramInfo(probe->program, CL_PROGRAM_BINARIES,
					sizeof(probe->binary), &probe->binary,
					NULL)) {
		free(probe->binary);
		probe->binary = NULL;
	}
}

static bool build(const struct occ_driver_probe *probe, cl_program program)
{
	cl_build_status status = CL_BUILD_ERROR;

	return !occ_target.clBuildProgram(program, 1, &probe->device, "", NULL,
					  NULL) &&
	       !occ_target.clGetProgramBuildInfo(program, probe->device,
						 CL_PROGRAM_BUILD_STATUS,
						 sizeof(status), &status,
						 NULL) &&
	       status == CL_BUILD_SUCCESS;
}

static bool compile(struct occ_driver_probe *probe)
{
	uint64_t start = occ_log_now();

	probe->context = occ_target.clCreateContext(NULL, 1, &probe->device,
						    NULL, NULL, NULL);
	if (!probe->context)
		return false;
	probe->program = create_source(probe->context);
	if (!probe->program || !build(probe, probe->program))
		return false;
	probe->compile_time = occ_log_now() - start;
	return true;
}

bool occ_driver_probe_count_kernels(cl_device_id device, bool *ret_counts)
{
	struct occ_driver_probe probe = {.device = device};
	bool clear =
		compile(&probe) && count_kernels(probe.program, ret_counts);

	occ_driver_probe_release(&probe);
	return clear;
}

/* Fetches, and takes note if that is expensive. */
static void time_fetch(struct occ_driver_probe *probe)
{
	uint64_t start = occ_log_now(), time;

	fetch(probe);
	time = occ_log_now() - start;
	probe->habits.expensive |=
		occ_cost_is_expensive(time, probe->compile_time);
}

bool occ_driver_probe_examine(struct occ_driver_probe *probe)
{
	size_t first;

	if (!compile(probe))
		return false;
	time_fetch(probe);
	first = probe->binary ? probe->size : 0;
	if (!count_programs(probe->context, &probe->habits.counts_programs) ||
	    !count_kernels(probe->program, &probe->habits.counts_kernels))
		return false;
	/* Kernels were made: some drivers (Mali's) compile only then. */
	if (!first || binary_size(probe) != first) {
		probe->habits.late = true;
		time_fetch(probe);
	}
	return true;
}

/* Accepted without any complaint? To be released; NULL when it wasn't. */
static cl_program create(const struct occ_driver_probe *probe)
{
	const unsigned char *binary = probe->binary;
	cl_int status = CL_SUCCESS, error = CL_SUCCESS;
	cl_program program;

	program = occ_target.clCreateProgramWithBinary(probe->context, 1,
						       &probe->device,
						       &probe->size, &binary,
						       &status, &error);
	if (program && (error || status)) {
		occ_target.clReleaseProgram(program);
		program = NULL;
	}
	return program;
}

static size_t kernel_count(cl_program program)
{
	size_t count = SIZE_MAX;

	occ_target.clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
				    sizeof(count), &count, NULL);
	return count;
}

/* CL_KERNEL_NUM_ARGS of the kernel of that name; UINT32_MAX: there is none. */
static cl_uint argument_count(cl_program program, const char *name)
{
	cl_kernel kernel = occ_target.clCreateKernel(program, name, NULL);
	cl_uint count = UINT32_MAX;

	if (!kernel)
		return count;
	occ_target.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count),
				   &count, NULL);
	occ_target.clReleaseKernel(kernel);
	return count;
}

static bool has_same_kernels(const struct occ_driver_probe *probe,
			     cl_program program)
{
	size_t size;
	char *names = occ_kernel_names(probe->program, &size), *rest = names;
	bool same = names && *names &&
		    kernel_count(program) == kernel_count(probe->program);

	for (int i = 0; i < KERNELS_COMPARED && same; i++) {
		const char *name = next_name(&rest);
		cl_uint count;

		if (!name)
			break;
		count = argument_count(program, name);
		same = count != UINT32_MAX &&
		       count == argument_count(probe->program, name);
	}
	free(names);
	return same;
}

bool occ_driver_probe_load(const struct occ_driver_probe *probe)
{
	cl_program program = probe->binary ? create(probe) : NULL;
	bool good;

	if (!program)
		return false;
	good = build(probe, program) && has_same_kernels(probe, program);
	occ_target.clReleaseProgram(program);
	return good;
}

void occ_driver_probe_release(struct occ_driver_probe *probe)
{
	if (probe->program)
		occ_target.clReleaseProgram(probe->program);
	if (probe->context)
		occ_target.clReleaseContext(probe->context);
	probe->program = NULL;
	probe->context = NULL;
	free(probe->binary);
	probe->binary = NULL;
}
