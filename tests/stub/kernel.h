/* SPDX-License-Identifier: MIT */
/* Kernels: a function of a program's builds, and its arguments. */
#ifndef TESTS_STUB_KERNEL_H
#define TESTS_STUB_KERNEL_H

#include "tests/stub/program.h"

struct stub_setting {
	bool set;
	size_t size;
	unsigned char *value; /* NULL: of local memory, or a NULL pointer */
	cl_mem buffer;	      /* borrowed, as OpenCL has it */
};

struct _cl_kernel {
	struct stub_object object;
	cl_program program;
	char *name;
	struct stub_code *code; /* keeps `function` */
	const struct stub_function *function;
	/* Per device of the program; NULL where it wasn't built. */
	struct stub_instance **instances;
	struct stub_setting *settings;
};

/* With the lock: what runs on the device, or NULL. */
struct stub_instance *stub_kernel_instance(cl_kernel kernel,
					   cl_device_id device);

#endif
