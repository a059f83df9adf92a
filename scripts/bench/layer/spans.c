/* SPDX-License-Identifier: MIT */
/*
 * A layer, to be had above all others, that notes how long an application waits
 * in calls of these kinds: contexts, programs (made, built, compiled, linked),
 * kernels, launches, and waiting for results.
 *
 *	OPENCL_LAYERS=...:libspans.so SPANS_FILE=FILE PROGRAM
 *
 * When the process ends FILE gets a line of JSON: of each kind the sum in ms
 *and how many calls those were, and "gap", the ms between the first context and
 *the first program. Any threads; of calls at the same time each counts.
 */
#define LAYER_NAME "spans"
#include "scripts/bench/layer/info.h"

#include <stdatomic.h>

#include "scripts/bench/common.h"

enum kind { CONTEXT, PROGRAM, KERNEL, LAUNCH, WAIT, KINDS };

static const char *const names[KINDS] = {"context", "program", "kernel",
					 "launch", "wait"};

static cl_icd_dispatch ours, target;
static atomic_int_least64_t spent_ns[KINDS];
static atomic_int calls[KINDS];
static atomic_int_least64_t context_end, program_start;

static int64_t begin(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

static void end(enum kind kind, int64_t start)
{
	int64_t now = begin(), none = 0;

	spent_ns[kind] += now - start;
	calls[kind]++;
	if (kind == CONTEXT)
		atomic_compare_exchange_strong(&context_end, &none, now);
	else if (kind == PROGRAM)
		atomic_compare_exchange_strong(&program_start, &none, start);
}

#define SPAN(kind, type, name, parameters, arguments)                          \
	static type CL_API_CALL span_##name parameters                         \
	{                                                                      \
		int64_t start = begin();                                       \
		type result = target.cl##name arguments;                       \
                                                                               \
		end(kind, start);                                              \
		return result;                                                 \
	}

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t,
					  void *);
typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

SPAN(CONTEXT, cl_context, CreateContext,
     (const cl_context_properties *properties, cl_uint n,
      const cl_device_id *devices, context_notify notify, void *data,
      cl_int *error),
     (properties, n, devices, notify, data, error))
SPAN(PROGRAM, cl_program, CreateProgramWithSource,
     (cl_context context, cl_uint n, const char **strings,
      const size_t *lengths, cl_int *error),
     (context, n, strings, lengths, error))
SPAN(PROGRAM, cl_program, CreateProgramWithIL,
     (cl_context context, const void *il, size_t size, cl_int *error),
     (context, il, size, error))
SPAN(PROGRAM, cl_program, CreateProgramWithBinary,
     (cl_context context, cl_uint n, const cl_device_id *devices,
      const size_t *sizes, const unsigned char **binaries, cl_int *status,
      cl_int *error),
     (context, n, devices, sizes, binaries, status, error))
SPAN(PROGRAM, cl_int, BuildProgram,
     (cl_program program, cl_uint n, const cl_device_id *devices,
      const char *options, program_notify notify, void *data),
     (program, n, devices, options, notify, data))
SPAN(PROGRAM, cl_int, CompileProgram,
     (cl_program program, cl_uint n, const cl_device_id *devices,
      const char *options, cl_uint n_headers, const cl_program *headers,
      const char **header_names, program_notify notify, void *data),
     (program, n, devices, options, n_headers, headers, header_names, notify,
      data))
SPAN(PROGRAM, cl_program, LinkProgram,
     (cl_context context, cl_uint n, const cl_device_id *devices,
      const char *options, cl_uint n_programs, const cl_program *programs,
      program_notify notify, void *data, cl_int *error),
     (context, n, devices, options, n_programs, programs, notify, data, error))
SPAN(KERNEL, cl_kernel, CreateKernel,
     (cl_program program, const char *name, cl_int *error),
     (program, name, error))
SPAN(LAUNCH, cl_int, EnqueueNDRangeKernel,
     (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
      const size_t *offset, const size_t *global, const size_t *local,
      cl_uint n, const cl_event *events, cl_event *event),
     (queue, kernel, dimensions, offset, global, local, n, events, event))
SPAN(WAIT, cl_int, Finish, (cl_command_queue queue), (queue))
SPAN(WAIT, cl_int, WaitForEvents, (cl_uint n, const cl_event *events),
     (n, events))

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries,
				      const cl_icd_dispatch *below,
				      cl_uint *num_entries_ret,
				      const cl_icd_dispatch **layer_ret)
{
	const cl_uint all = sizeof(ours) / sizeof(void *);
	const cl_uint known = num_entries < all ? num_entries : all;

	memcpy(&target, below, known * sizeof(void *));
	ours.clCreateContext = span_CreateContext;
	ours.clCreateProgramWithSource = span_CreateProgramWithSource;
	ours.clCreateProgramWithIL = span_CreateProgramWithIL;
	ours.clCreateProgramWithBinary = span_CreateProgramWithBinary;
	ours.clBuildProgram = span_BuildProgram;
	ours.clCompileProgram = span_CompileProgram;
	ours.clLinkProgram = span_LinkProgram;
	ours.clCreateKernel = span_CreateKernel;
	ours.clEnqueueNDRangeKernel = span_EnqueueNDRangeKernel;
	ours.clFinish = span_Finish;
	ours.clWaitForEvents = span_WaitForEvents;
	*num_entries_ret = known;
	*layer_ret = &ours;
	return CL_SUCCESS;
}

__attribute__((destructor)) static void print(void)
{
	const char *path = getenv("SPANS_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "{");
	for (int i = 0; i < KINDS; i++)
		fprintf(file, "\"%s\": %.4f, \"%s calls\": %d, ", names[i],
			(double)spent_ns[i] / 1e6, names[i], calls[i]);
	fprintf(file, "\"gap\": %.4f}\n",
		program_start ? (double)(program_start - context_end) / 1e6
			      : 0);
	fclose(file);
}
