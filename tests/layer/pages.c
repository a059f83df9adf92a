/* SPDX-License-Identifier: MIT */
/*
 * Does the layer give back what it takes of the heap while a context is made?
 * For drivers whose contexts have next to no memory. Prints a line for each way
 * to make one, and what is still in use of the heap if that is much.
 */
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "tests/layer/common.h"

/* Less than what is taken. */
#define MUCH ((size_t)90 << 10)

static size_t in_use(void)
{
	return mallinfo2().uordblks;
}

/* The thread that looks at the driver's files has memory for a while, too. */
static void report(const char *what, size_t before)
{
	size_t after;

	for (int i = 0; (after = in_use()) >= before + MUCH && i < 500; i++)
		usleep(10000);
	if (after < before + MUCH)
		printf("%s: given back\n", what);
	else
		printf("%s: %zu bytes more\n", what, after - before);
}

static void be_refused(cl_device_id device)
{
	size_t before = in_use();
	cl_int code;

	/* For no function. */
	if (clCreateContext(NULL, 1, &device, NULL, &before, &code))
		die("a context with user data alone");
	report("refused", before);
}

static void make(cl_device_id device)
{
	size_t before = in_use();
	cl_int code;

	clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	must(code, "clCreateContext");
	report("made", before);
}

static void make_from_type(cl_platform_id platform)
{
	const cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
	size_t before = in_use();
	cl_int code;

	clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL,
				&code);
	must(code, "clCreateContextFromType");
	report("made from a type", before);
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";
	cl_platform_id platform;
	cl_device_id device;

	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "clGetDeviceIDs");
	if (!strcmp(first, "refused"))
		be_refused(device);
	else if (!strcmp(first, "type"))
		make_from_type(platform);
	else
		make(device);
	return 0;
}
