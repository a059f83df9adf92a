/* SPDX-License-Identifier: MIT */
/*
 * Builds a hundred programs in a row, each with a callback, as programs do that
 * build ahead. Prints how many callbacks came on the thread that was in the
 * call: where the driver has threads for them, an application may hold a lock
 * around the call that its callback takes.
 */
#include <sched.h>
#include <unistd.h>

#include "tests/layer/common.h"

#define PROGRAMS 100

static const char source[] = "__kernel void k(__global int *out, int x)"
			     "{ out[get_global_id(0)] = x; }";
static _Thread_local bool in_call;
static unsigned called, called_in_call; /* atomic */

static void CL_CALLBACK note(cl_program program, void *data)
{
	(void)program;
	(void)data;
	if (in_call)
		__atomic_add_fetch(&called_in_call, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
}

static unsigned calls(void)
{
	return __atomic_load_n(&called, __ATOMIC_ACQUIRE);
}

/* There threads that were started are late to begin. */
static void stay_on_one_processor(void)
{
	cpu_set_t all, one;
	int first = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		die("sched_getaffinity");
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

int main(void)
{
	cl_program programs[PROGRAMS];
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_int code;

	stay_on_one_processor();
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
	for (int i = 0; i < PROGRAMS; i++) {
		programs[i] = clCreateProgramWithSource(context, 1, &text, NULL,
							&code);
		must(code, "clCreateProgramWithSource");
	}
	in_call = true;
	for (int i = 0; i < PROGRAMS; i++)
		must(clBuildProgram(programs[i], 1, &device, NULL, note, NULL),
		     "clBuildProgram");
	in_call = false;
	for (int i = 0; i < 1000 && calls() < PROGRAMS; i++)
		usleep(10000);
	printf("callbacks: %u, on the thread in the call: %u\n", calls(),
	       called_in_call);
	for (int i = 0; i < PROGRAMS; i++)
		clReleaseProgram(programs[i]);
	clReleaseContext(context);
	puts("end");
	return 0;
}
