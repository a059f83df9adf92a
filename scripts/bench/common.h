/* SPDX-License-Identifier: MIT */
/*
 * What small benchmark programs share: a context on the first device, the time,
 * a median, and errors that end the process.
 */
#ifndef SCRIPTS_COMMON_H
#define SCRIPTS_COMMON_H

#include <CL/cl.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noreturn)) static inline void fail(const char *what,
						  cl_int error)
{
	fprintf(stderr, "%s: %s: %d\n", program_invocation_short_name, what,
		error);
	exit(1);
}

static inline void check(cl_int error, const char *what)
{
	if (error != CL_SUCCESS)
		fail(what, error);
}

static inline int64_t now_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* On the first device of that type of the first platform. */
static inline cl_context open_context(cl_device_type type,
				      cl_device_id *ret_device)
{
	cl_platform_id platform;
	cl_context context;
	cl_int error;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, type, 1, ret_device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, ret_device, NULL, NULL, &error);
	check(error, "clCreateContext");
	return context;
}

static inline int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Sorts them. */
static inline double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

#endif
