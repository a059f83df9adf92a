/* SPDX-License-Identifier: MIT */
/*
 * What small benchmark programs share: a context on the first device, the time,
 * a median, whole files, and errors that end the process.
 */
#ifndef SCRIPTS_COMMON_H
#define SCRIPTS_COMMON_H

#include <CL/cl.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A file, with a zero behind it. */
static inline char *read_whole(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rb");
	char *text;
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		fail(path, errno);
	rewind(file);
	text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
		fail(path, errno);
	fclose(file);
	text[size] = '\0';
	*ret_size = (size_t)size;
	return text;
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

#define MAX_PLATFORMS 64

/* The first one of the first platform with that in its name that has any. */
static inline cl_device_id find_device(const char *platform)
{
	cl_platform_id platforms[MAX_PLATFORMS];
	cl_device_id device = NULL;
	char name[256] = "";
	cl_uint count = 0;

	check(clGetPlatformIDs(MAX_PLATFORMS, platforms, &count),
	      "clGetPlatformIDs");
	for (cl_uint i = 0; i < count && !device; i++) {
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name),
				  name, NULL);
		if (strcasestr(name, platform))
			clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1,
				       &device, NULL);
	}
	if (!device)
		fail("no such platform, or no device", 0);
	return device;
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
